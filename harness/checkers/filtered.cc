// SPDX-License-Identifier: Apache-2.0
// Filtered: a watch delivers only changes in its range and of the requested kinds.
#include "harness/checkers/checker.h"
#include "harness/checkers/phrases.h"

namespace watchproof {
namespace {

class Filtered final : public Checker {
 public:
  void Compared(WatchIndex watch, const Response& response,
                const std::vector<Comparison>& compared) override {
    for (std::size_t i = 0; i < compared.size(); ++i) {
      // Expected changes have been selected by range and filters.
      if (compared[i].match <= Match::kRepeated) continue;
      const EventView& event = response.message.events[i];
      const WatchDetails& details = facts().details(watch);
      if (Concerns(details.range, event)) continue;
      Add(watch, [&] {
        Draft draft = Describe(details, event, response);
        if (!details.range.range.Contains(event.kv.key)) {
          draft.symptom = symptom::ForeignKey{event.kv.key};
        }
        return draft;
      });
    }
  }

  void Finish(WatchIndex watch) override {
    const bool created = facts().state(watch).created;
    if (created && facts().timeline().changes() > facts().comparer.Expected(watch)) Exercised();
  }

 private:
  static Draft Describe(const WatchDetails& details, const EventView& event,
                        const Response& response) {
    const TrackedRange& range = details.range;
    std::string expected = "no events, as the watch filters out puts and deletes";
    if (!range.range.Contains(event.kv.key)) {
      expected = fmt::format("only changes in the range of the watch, {}", Phrase(range.range));
    } else if (range.puts) {
      expected = "only puts, as the watch filters out deletes";
    } else if (range.deletes) {
      expected = "only deletes, as the watch filters out puts";
    }
    return {.expected = std::move(expected),
            .observed = fmt::format("the {} in line {}", Phrase(event), response.where.line.value),
            .evidence = {details.asked.line},
            .where = response.where};
  }
};

const CheckerRegistration<Filtered> kFiltered{{
    .guarantee = Guarantee("Filtered"),
    .place = 110,
    .gravity = Gravity::kData,
    .clause = "W-9",
    .impact = "A Kubernetes cache holds objects outside of its request, or acts on a kind of "
              "change that it had excluded.",
    .explain = "A watch requests a key, a range, or everything from a key on, and may filter out "
               "puts or deletes. Its events must be in the range and of a kind that is not "
               "filtered out. Whether all changes of the other kind arrive is judged by Reliable, "
               "which expects exactly that kind of a filtered watch. Source: the fields range_end "
               "and filters of WatchCreateRequest in the etcd v3 API.",
}};

}  // namespace
}  // namespace watchproof
