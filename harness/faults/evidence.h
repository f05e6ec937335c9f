// SPDX-License-Identifier: Apache-2.0
// The evidence that a fault on the network took effect: what is seen apart from the proxy that
// injects it. A row of network_faults.cc names one kind.
//
//   {.effect = "cut", ..., .evidence = StreamsEnd()}
//
// To add a kind: a class in evidence.cc, and a function here that makes it. Not thread-safe.
// Ownership: the fault owns its evidence.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "harness/faults/fault.h"

namespace watchproof {

// The target's gauge of watchers that are registered.
constexpr std::string_view kWatchers = "etcd_debugging_mvcc_watcher_total";

class Evidence {
 public:
  // Each kind looks for some of it. In Look a kind that needs the most takes that of `kept_` and of
  // what there is now.
  struct Seen {
    std::int64_t closed = 0;    // streams of the clients
    Duration last_closed{};     // the last one, since the arming
    std::int64_t problems = 0;  // of the oracle, at most
    std::int64_t fewer = 0;     // watchers that the target counts, at most
    std::int64_t slow = 0;      // watchers that are behind, at most
    Duration gap{};             // in which nothing arrived, at most
    Duration round_trip{};      // of a call, at most
    bool failed = false;        // a call
    std::int64_t arrived = 0;   // bytes, on the busiest stream
    Duration taken{};           // for them
    Duration spread{};          // of the watchers of a stream, at most
  };

  virtual ~Evidence() = default;
  // The state without the fault. Called once, right before the effect is armed.
  virtual void Before(FaultPorts& /*ports*/) {}
  // Looks. What was seen counts only once Keep is called.
  virtual void Look(FaultPorts& ports, Duration armed_at) = 0;
  // As of Fault.
  virtual void Noticed(std::size_t /*problems*/) {}
  // The proxy, asked after Look, reports that it has acted and has not stopped yet. Other causes
  // have similar consequences, so that what was seen at other times is no evidence.
  void Keep() { kept_ = seen_; }
  // `done`: what the proxy reports that it did.
  virtual bool found(const proxy::Receipt& done) const = 0;
  // Adds to what was measured and to the sentence.
  virtual void Describe(const proxy::Receipt& done, FaultReceipt& receipt) const = 0;

 protected:
  Seen seen_;
  Seen kept_;
};

struct EvidenceKind {
  std::string explain;  // "Took effect if <the proxy acted> and ..."
  std::function<Result<std::unique_ptr<Evidence>>(const proxy::ParameterValues&)> make;
};

// A watch stream of the clients ended, or was refused by a GOAWAY.
EvidenceKind StreamsEnd();
// The same, or the oracle found something.
EvidenceKind OracleNotices();
// Nothing arrives for a while, or the target's slow-watcher gauge rose. A watcher created in the
// past is slow anyway, so that the gauge is not always evidence; a gauge that is published and has
// not risen is evidence against a stall.
enum class GaugeUse { kNone, kAlternative, kInsteadIfPublished };
EvidenceKind NothingArrives(GaugeUse gauge);
// A call over the proxied path takes at least as long as required, and longer than one before.
EvidenceKind CallIsSlow(Result<Duration> (*required)(const proxy::ParameterValues&));
// A call was answered before the fault, and one now is refused or not answered in time.
EvidenceKind CallsFail();
// The busiest watch stream receives at least `at-least` bytes, within the rate.
EvidenceKind RateIsKept();
// The slowest watch of a stream waits longer than the fastest one.
EvidenceKind OneWatchLags();
// A watch stream ends, but no sooner than the delay.
EvidenceKind EndIsLate();
// One end of the connections is gone, and the other one does not know.
EvidenceKind OneEndIsGone();

}  // namespace watchproof
