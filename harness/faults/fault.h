// SPDX-License-Identifier: Apache-2.0
// One named harm: how it is armed and healed, and the proof that the target felt it.
//
//   WP_ASSIGN_OR_RETURN(auto stall, MakeFault("stall", {{"at-least", "32KiB"}}));
//   stall->Arm(ports);  ...  while (!stall->felt()) stall->Observe(ports);  ... stall->Heal(ports);
//   stall->receipt();
//
// A fault is felt only when a witness other than the injector says so. Faults register themselves,
// one file each. Not thread-safe; all calls come from the case thread. Ownership: ports outlive the
// fault.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/deadline.h"
#include "harness/base/status.h"
#include "proxies/control/proxy_handle.h"

namespace watchproof {

// A client that reads so many messages of a stream, then pauses, and so on.
struct ReaderPace {
  std::string stream = "main";
  std::optional<std::int64_t> messages{};  // at a time; 0: it has stopped, none: as they come
  Duration every = 1s;
};

// What a server says of itself.
struct ServerWord {
  std::string version;
  std::int64_t revision = 0;
  std::uint64_t member = 0;  // its id in the cluster
  std::uint64_t leader = 0;  // as it knows; 0: none
  std::uint64_t term = 0;
};

// One server: the target, or a member of it. Signals are kUnimplemented where there is no process
// of ours that could be continued or started again.
struct ServerPorts {
  // What it says by the side door, on a connection of its own.
  std::function<Result<ServerWord>(Deadline)> ask;
  // SIGKILL or SIGTERM; return when the end of the process was seen.
  std::function<Status()> kill;
  std::function<Status(Deadline)> terminate;
  // Starts it again with the data it had, as another release if one is named; returns when it
  // answers.
  std::function<Status(Deadline, const std::string& release)> restart;
  // SIGSTOP and SIGCONT, and what the kernel tells of the process: 'T' is stopped.
  std::function<Status()> pause;
  std::function<Status()> proceed;
  std::function<char()> process_state;
  // Has it hand the lead over to the member with that id. Requires: it leads.
  std::function<Status(std::uint64_t)> hand_over;
  // One of its own metrics by its name; empty when it publishes none of that name.
  std::function<std::optional<double>(std::string_view)> metric;
  // The proxy before its peer port, and how it names itself to those of the others. Of a cluster
  // only.
  proxy::ProxyId peer_road{};
  std::string caller{};
};

// What faults may touch, and whom they may ask for proof.
struct FaultPorts {
  proxy::Proxies* proxies =
      nullptr;            // null when clients go straight to the target: nothing can be harmed
  proxy::ProxyId road{};  // the faulted road
  // The target, or the members of it, from 1.
  std::vector<ServerPorts> servers;
  // Nanoseconds since the recording began.
  std::function<Duration()> now;
  // Time since anything arrived on the faulted road.
  std::function<Duration()> silence;
  // One of the target's own metrics by its name; empty when it publishes none of that name.
  std::function<std::optional<double>(std::string_view)> metric;
  // One small call over the faulted road, on a connection of its own.
  std::function<Status(Deadline)> call_by_road;
  // How many watch streams of the faulted road have ended since the start, and when the last did.
  std::function<std::int64_t()> closed_streams;
  std::function<Duration()> last_closed;
  // Bytes of responses that each stream of the faulted road was given so far, in the order of
  // opening.
  std::function<std::vector<std::int64_t>()> bytes_arrived;
  // The longest time so far from the answer to a write until a watcher was given it.
  std::function<Duration()> delay;
  // How much longer the slowest watcher of any stream waits than the fastest one.
  std::function<Duration()> spread;
  // What is held against the target so far: findings, and watches whose next change was overtaken.
  std::function<std::size_t()> findings;
  // How a stream of ours is read from here on.
  std::function<Status(const ReaderPace&)> pace_reader;
  // The alarm that there is no space left. This and the next are null where others use the target.
  std::function<Status(bool raised)> alarm;
  std::function<Status()> defragment;
  // One put by the side door, in the recording like any other.
  std::function<Status()> put;
};

// How many watchers are behind, as the target says itself; empty when it publishes no such gauge.
std::optional<std::int64_t> SlowWatchers(const FaultPorts& ports);
// With nothing arriving for so long, something is held back.
inline constexpr Duration kLeastGap = 100ms;

using FaultParameters = std::map<std::string, std::string>;

struct FaultReceipt {
  bool fired = false;
  Duration armed_at{};
  Duration healed_at{};
  std::map<std::string, std::int64_t> measured;
  std::string
      text;  // one sentence: what it did and how the target felt it, or why that is not known
  // What the target would have to do for this fault and does not; empty: nothing.
  std::string unsupported = {};
};

class Fault {
 public:
  virtual ~Fault() = default;
  virtual Status Arm(FaultPorts& ports) = 0;
  // Asks the witnesses again. Cheap enough for every few milliseconds.
  virtual void Observe(FaultPorts& ports) = 0;
  // No-op if it was never armed.
  virtual Status Heal(FaultPorts& ports) = 0;
  virtual bool felt() const = 0;
  virtual FaultReceipt receipt() const = 0;
};

struct FaultParameterInfo {
  std::string name;
  std::string default_value;
  std::string explain;
};
// Which watch streams it may end, by itself or when it is healed: none, those that lead through the
// proxy, or all.
enum class EndsStreams { kNone, kProxied, kEvery };
std::string_view Name(EndsStreams which);  // as in recordings: "none", "proxied", "every"

struct FaultInfo {
  std::string name;
  std::string explain;
  std::vector<FaultParameterInfo> parameters;
  bool follows_streams = false;  // the proxy must know the streams of its connections
  bool self_test_only = false;   // lies to clients: only for a target of our own making
  // What its line in the recording says of it, so that checkers know what it excuses.
  EndsStreams ends_streams = EndsStreams::kNone;
  // A member of a cluster may lose its leader, or fall behind and be sent a snapshot.
  bool parts_members = false;
};
struct FaultKind {
  FaultInfo info;
  // The parameters are complete: defaults filled in, unknown names refused.
  std::function<Result<std::unique_ptr<Fault>>(const FaultParameters&)> make;
};
struct FaultRegistration {
  explicit FaultRegistration(FaultKind kind);
};

// A number from 0 on, as a parameter.
Result<std::int64_t> ParseCount(std::string_view text);

// Sorted by name.
std::vector<FaultInfo> KnownFaults();
// Empty for a name that no fault has.
std::optional<FaultInfo> FindFault(const std::string& name);
// A plan that injects one kind several times tells them apart behind a slash: "restart/2".
std::string KindOf(const std::string& name);
// Errors name the fault or parameter and what was expected.
Result<std::unique_ptr<Fault>> MakeFault(const std::string& name,
                                         const FaultParameters& parameters);

}  // namespace watchproof
