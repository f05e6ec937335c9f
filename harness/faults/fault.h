// SPDX-License-Identifier: Apache-2.0
// A fault: how it is armed and healed, and the evidence that it took effect at the target.
//
//   WP_ASSIGN_OR_RETURN(auto stall, MakeFault("stall", {{"at-least", "32KiB"}}));
//   stall->Arm(ports);
//   while (!stall->took_effect()) stall->Observe(ports);
//   stall->Heal(ports);
//   stall->receipt();
//
// A fault took effect only if evidence independent of its injector confirms it. Faults on the
// network are rows (network_faults.cc, peer_faults.cc); others have a file each. Not thread-safe;
// all calls come from the case thread. Ownership: ports outlive the fault.
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
#include "harness/targets/target.h"
#include "proxies/control/proxy_handle.h"

namespace watchproof {

// How fast a client reads a stream: so many messages, then a pause, and so on.
struct ReaderPace {
  std::string stream = "main";
  std::optional<std::int64_t> messages{};  // at a time; 0: reads nothing, none: as they come
  Duration every = 1s;
};

// One server: the target, or a member of it.
struct ServerPorts {
  Target* target = nullptr;
  // The proxy before its peer port, and the name with which it dials other members. Only in a
  // cluster.
  proxy::ProxyId peer_path{};
  std::string caller{};
};

// What faults may act on, and where they look for evidence.
struct FaultPorts {
  proxy::Proxies* proxies =
      nullptr;  // null when clients connect to the target directly: no effect can be armed
  proxy::ProxyId path{};  // the proxied path
  // The target, or the members of it, from 1.
  std::vector<ServerPorts> servers;
  // Nanoseconds since the recording began.
  std::function<Duration()> now;
  // Time since anything arrived on the proxied path.
  std::function<Duration()> silence;
  // One of the target's own metrics by its name; empty when it publishes none of that name.
  std::function<std::optional<double>(std::string_view)> metric;
  // The memory that the target holds; empty when that is not known.
  std::function<std::optional<double>()> resident_bytes;
  // One small call over the proxied path, on a new connection.
  std::function<Status(Deadline)> call_by_proxied_path;
  // How many watch streams of the proxied path have ended since the start, and when the last one
  // did.
  std::function<std::int64_t()> closed_streams;
  std::function<Duration()> last_closed;
  // Bytes of responses that each stream of the proxied path received so far, in the order of
  // opening.
  std::function<std::vector<std::int64_t>()> bytes_arrived;
  // The longest time so far from the answer to a write until a watcher was given it.
  std::function<Duration()> delay;
  // How much longer the slowest watcher of any stream waits than the fastest one.
  std::function<Duration()> spread;
  // Sets how a watch stream of the harness is read from here on.
  std::function<Status(const ReaderPace&)> pace_reader;
  // Raises or disarms the NOSPACE alarm. This and `defragment` are null where others use the
  // target.
  std::function<Status(bool raised)> alarm;
  // The call, to a member: it blocks its thread, which may be any, until it is done.
  std::function<std::function<Status()>(std::int64_t member)> defragment;
  // Records that the store, on all members, was restored from a snapshot of the revision `saved`,
  // and counts on from `revision`, up to which everything is compacted.
  std::function<void(std::int64_t saved, std::int64_t revision)> restored;
  // One put by the direct path, recorded like any other.
  std::function<Status()> put;
};

struct FaultReceipt;

// How many watchers are behind, by the target's own gauge.
class SlowWatchers {
 public:
  // Between two pages of metrics: one costs the target some milliseconds.
  static constexpr Duration kPageEvery = 30ms;

  // Before the fault.
  void Begin(const FaultPorts& ports) { before_ = Read(ports); }
  // Empty: the target publishes no such gauge.
  const std::optional<std::int64_t>& before() const { return before_; }
  // By the last page.
  std::int64_t Now(const FaultPorts& ports);
  // Adds what was measured, with the highest number since, and says it. Requires: it is published.
  std::string Describe(std::int64_t most, FaultReceipt& receipt) const;

 private:
  static std::optional<std::int64_t> Read(const FaultPorts& ports);

  std::optional<std::int64_t> before_;
  std::int64_t last_ = 0;
  Duration next_page_{};
};
// When nothing arrives for so long, something is held back.
inline constexpr Duration kLeastGap = 100ms;
// How long nothing has arrived, since the fault was armed.
Duration GapOf(const FaultPorts& ports, Duration armed_at);

// By name, as a person writes them.
using FaultParameters = proxy::Parameters;

struct FaultReceipt {
  bool fired = false;
  Duration armed_at{};
  Duration healed_at{};
  std::map<std::string, std::int64_t> measured;
  // One sentence: what the fault did and how it took effect, or why that is not known.
  std::string text;
  // What this fault needs from the target and the target does not do; empty: nothing.
  std::string unsupported = {};
  std::string lacks_here = {};  // likewise from this machine
};

class Fault {
 public:
  virtual ~Fault() = default;
  Status Arm(FaultPorts& ports);
  // Looks for evidence again. Cheap enough for every few milliseconds.
  void Observe(FaultPorts& ports);
  // Called before Observe and Heal, for faults that test the oracle: how many problems it has seen
  // since the fault was armed.
  virtual void Noticed(std::size_t /*problems*/) {}
  // No-op unless it acts.
  Status Heal(FaultPorts& ports);
  FaultReceipt receipt() const;
  virtual bool took_effect() const = 0;

 protected:
  // Sets acts_ once there is something to observe and to heal.
  virtual Status Act(FaultPorts& ports) = 0;
  // Only while it acts, and once more right before Undo.
  virtual void Look(FaultPorts& /*ports*/) {}
  virtual Status Undo(FaultPorts& /*ports*/) { return {}; }
  // Fills in what was measured, and the sentence.
  virtual void Describe(FaultReceipt& receipt) const = 0;

  Duration armed_at() const { return armed_at_; }

  bool acts_ = false;
  Duration healed_at_{};  // set sooner by what is over by itself

 private:
  Duration armed_at_{};
};

// Which watch streams a fault may end, while armed or when it is healed: none, those through the
// proxy, or all.
enum class EndsStreams { kNone, kProxied, kEvery };
constexpr std::string_view Name(EndsStreams which) {  // as in recordings
  constexpr std::string_view kNames[] = {"none", "proxied", "every"};
  return kNames[static_cast<std::size_t>(which)];
}

struct FaultInfo {
  std::string name;
  std::string explain;
  std::vector<proxy::ParameterInfo> parameters;
  bool follows_streams = false;  // the proxy must know the streams of its connections
  bool on_disk = false;          // a proxy must stand before the disk of the target
  bool self_test_only = false;   // tampers with messages: only for the embedded store
  // Recorded with the fault, so that checkers know what it excuses.
  EndsStreams ends_streams = EndsStreams::kNone;
  // A member of a cluster may lose its leader, or fall behind and be sent a snapshot.
  bool parts_members = false;
};
struct FaultKind {
  FaultInfo info;
  std::function<Result<std::unique_ptr<Fault>>(const proxy::ParameterValues&)> make;
};
// At namespace scope. The kinds are asked for when the first one is looked up: those on the network
// need the effects, which are registered before main in no particular order.
struct FaultRegistration {
  explicit FaultRegistration(std::vector<FaultKind> (*kinds)());
};

// Sorted by name.
std::vector<FaultInfo> KnownFaults();
// Empty for a name that no fault has.
std::optional<FaultInfo> FindFault(const std::string& name);
// A plan that injects one kind several times adds a suffix behind a slash: "restart/2".
std::string KindOf(const std::string& name);
// Errors name the fault or parameter and what was expected.
Result<std::unique_ptr<Fault>> MakeFault(const std::string& name,
                                         const FaultParameters& parameters);

// For faults on one server: the parameter that numbers it, and the server with that number.
proxy::ParameterInfo MemberParameter(std::string name = "member", std::string default_value = "1");
// For faults that end a server: "stay-down".
proxy::ParameterInfo StayDownParameter();
Result<ServerPorts*> ServerOf(FaultPorts& ports, std::int64_t member);
// After Target::Kill or Terminate: starts it again, perhaps as another release, and asks where it
// is. An error also if it does not answer in time.
Result<ServerStatus> StartAgain(Target& target, const std::string& release = {});
// The same of all members at once, since none may serve alone.
Result<std::vector<ServerStatus>> StartTogether(FaultPorts& ports);
// The proxy before its disk; kUnimplemented without one.
Result<proxy::Disk*> DiskOf(ServerPorts& server);
// Whether a crash point has killed it, so that it answers only once that is healed.
bool AtCrashPoint(const ServerPorts& server);
// Separates two cases: the target rejects what a fault asks of it (an error here), and the fault
// has nothing to act on (kUnimplemented).
Status AsRefusal(Status answer);
// For receipts.
std::int64_t Milliseconds(Duration duration);

}  // namespace watchproof
