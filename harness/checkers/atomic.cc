// SPDX-License-Identifier: Apache-2.0
// Atomic: all events of one revision come in one response; the parts of a fragmented response count
// as one.
#include "harness/checkers/checker.h"
#include "harness/checkers/phrases.h"

namespace watchproof {
namespace {

class Atomic final : public Checker {
 public:
  using Checker::Checker;

  void Compared(WatchIndex watch, const Response& response, const std::vector<Comparison>& compared,
                Findings& findings) override {
    Current& current = At(current_, watch);
    const OwedList& owed = *facts().comparer.owed(watch);
    for (const Comparison& event : compared) {
      if (event.match != Match::kOwed) continue;
      const Owed& change = owed[event.owed];
      if (change.revision != current.revision) {
        Close(watch, current, findings);
        current = {.revision = change.revision,
                   .group = response.group,
                   .where = response.where,
                   .given = 1,
                   .owed = change.run_size,
                   .whole = response.last_part};
        continue;
      }
      ++current.given;
      current.whole = response.last_part;
      if (current.group == response.group) continue;
      current.split = true;
      current.group = response.group;
      findings.Add(Guarantee::kAtomic, watch, [&] { return DescribeSplit(current, response); });
    }
  }

  void Finish(WatchIndex watch, Findings& findings) override {
    const Current& current = At(current_, watch);
    // A stream or recording that is cut takes the parts to come with it.
    const bool cut = facts().cut_off || facts().book.state(watch).end == WatchEnd::kStreamClosed;
    if (!current.whole && cut) return;
    Close(watch, current, findings);
  }

 private:
  // The revision that was given last.
  struct Current {
    Revision revision{};
    std::uint64_t group = 0;
    Where where;
    std::uint32_t given = 0;
    std::uint32_t owed = 0;
    bool split = false;
    bool whole = true;  // the response that gave it has all its parts
  };

  static Draft DescribeSplit(const Current& current, const Response& response) {
    return {.expected = fmt::format("all {} changes of revision {} in one response", current.owed,
                                    current.revision),
            .observed = fmt::format("some in line {}, more of them {}", current.where.line.value,
                                    Since(response.where, current.where)),
            .evidence = {current.where.line, response.where.line},
            .at = response.where.at};
  }

  static void Close(WatchIndex watch, const Current& current, Findings& findings) {
    if (current.given == current.owed || current.split) return;
    findings.Add(Guarantee::kAtomic, watch, [&] {
      return Draft{.expected = fmt::format("all {} changes of revision {} in one response",
                                           current.owed, current.revision),
                   .observed = fmt::format("only {} of them, in line {}", current.given,
                                           current.where.line.value),
                   .evidence = {current.where.line},
                   .at = current.where.at};
    });
  }

  std::vector<Current> current_;
};

const CheckerRegistration kAtomic{{
    .guarantee = Guarantee::kAtomic,
    .promise = "All events of one revision that concern a watch come in one response.",
    .belief = "For a moment a Kubernetes cache holds one half of a transaction without "
              "the other, a state that never was.",
    .explain = "A transaction makes all its changes at one revision, and a watch must not show "
               "half of it: the "
               "events of a revision are never spread over several responses, and none of them is "
               "left out. A "
               "watch that asked for fragments gets large responses in parts; the parts of one "
               "response, up to "
               "the one that is not marked as a fragment, count as one. Source: the guarantee "
               "\"atomic\" of the "
               "etcd v3 watch API.",
    .make = [](const Facts& facts) { return std::make_unique<Atomic>(facts); },
}};

}  // namespace
}  // namespace watchproof
