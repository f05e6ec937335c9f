// SPDX-License-Identifier: Apache-2.0
// Filtered: a watch is shown its range and the kinds of change that it asked for, and nothing else.
#include "harness/checkers/checker.h"
#include "harness/checkers/known_bugs.h"
#include "harness/checkers/phrases.h"

namespace watchproof {
namespace {

class Filtered final : public Checker {
 public:
  using Checker::Checker;

  void Compared(WatchIndex watch, const Response& response, const std::vector<Comparison>& compared,
                Findings& findings) override {
    for (std::size_t i = 0; i < compared.size(); ++i) {
      // What was owed has been chosen by range and filters.
      if (compared[i].match <= Match::kRepeated) continue;
      const EventView& event = response.message.events[i];
      const WatchDetails& details = facts().table.details(watch);
      if (Concerns(details.range, event)) continue;
      findings.Add(Guarantee::kFiltered, watch, [&] {
        Draft draft = Describe(details, event, response);
        const bool elsewhere = !details.range.range.Contains(event.kv.key);
        if (elsewhere && AnsweredOutOfOrder(facts(), watch, event.kv.key)) {
          draft.signature = signature::kAnswersOutOfOrder;
        }
        return draft;
      });
    }
  }

 private:
  static Draft Describe(const WatchDetails& details, const EventView& event,
                        const Response& response) {
    const TrackedRange& range = details.range;
    std::string expected = "nothing at all, as the filters hide puts and deletes";
    if (!range.range.Contains(event.kv.key)) {
      expected = fmt::format("only changes in the range of the watch, {}", Phrase(range.range));
    } else if (range.puts) {
      expected = "only puts, as the watch asked not to be shown deletes";
    } else if (range.deletes) {
      expected = "only deletes, as the watch asked not to be shown puts";
    }
    return {.expected = std::move(expected),
            .observed = fmt::format("the {} in line {}", Phrase(event), response.where.line.value),
            .evidence = {details.asked.line, response.where.line},
            .at = response.where.at};
  }
};

const CheckerRegistration kFiltered{{
    .guarantee = Guarantee::kFiltered,
    .promise = "A watch is shown only its own range, and only the kinds of change it asked for.",
    .impact = "A Kubernetes cache holds objects that it did not ask for, or acts on a "
              "kind of change that it had ruled out.",
    .explain = "A watch names a key, a range, or everything from a key on, and may ask not to be "
               "shown puts or not to be shown deletes. What it is given must lie in the range and "
               "be of a kind that is left. That nothing of the other kind is lost on the way is "
               "judged by Reliable, which owes a filtered watch exactly that kind. Source: the "
               "fields range_end and filters of WatchCreateRequest in the etcd v3 API.",
    .make = [](const Facts& facts) { return std::make_unique<Filtered>(facts); },
}};

}  // namespace
}  // namespace watchproof
