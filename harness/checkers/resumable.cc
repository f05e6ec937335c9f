// SPDX-License-Identifier: Apache-2.0
// Resumable: a watch that resumes another one receives exactly what the first did not.
#include "harness/checkers/checker.h"
#include "harness/checkers/phrases.h"

namespace watchproof {
namespace {

class Resumable final : public Checker {
 public:
  void Answered(WatchIndex watch, const Response& response) override {
    if (!IsRefusal(response) && facts().details(watch).continues) Exercised();
  }

  void Compared(WatchIndex watch, const Response& response,
                const std::vector<Comparison>& compared) override {
    const WatchDetails& details = facts().details(watch);
    // From "now" it repeats nothing: Reliable judges it like any other.
    if (!details.continues || details.requested_start == 0) return;
    for (std::size_t i = 0; i < compared.size(); ++i) {
      const EventView& event = response.message.events[i];
      if (compared[i].match != Match::kBelowStart || !Concerns(details.range, event)) continue;
      Add(watch, [&] {
        return Draft{
            .expected =
                fmt::format("nothing below revision {}, up to which {} had received all",
                            facts().state(watch).start, facts().table.Label(*details.continues)),
            .observed = fmt::format("the {} in line {}", Phrase(event), response.where.line.value),
            .evidence = {details.asked.line},
            .where = response.where,
            .symptom = symptom::BelowStart{Revision(event.kv.mod_revision)}};
      });
    }
  }

  void Finish(WatchIndex watch) override {
    const WatchDetails& details = facts().details(watch);
    if (!details.continues || !JoinsOn(watch, *details.continues)) return;
    FindLostBefore(watch, *details.continues);
    FindLostAfter(watch);
  }

 private:
  // Whether the client requested the next revision. If not, the target is not judged.
  bool JoinsOn(WatchIndex watch, WatchIndex before) const {
    const WatchState& theirs = facts().state(before);
    const WatchDetails& details = facts().details(watch);
    if (details.range != facts().details(before).range) {
      Undecide(
          fmt::format("line {}: the resumed watch asks for another range or other "
                      "filters than {}",
                      details.asked.line.value, facts().table.Label(before)));
      return false;
    }
    // From "now" to "now": changes between the two watches were expected by neither.
    if (!theirs.created && facts().details(before).requested_start <= 0) return false;
    const Revision start(details.requested_start);
    const bool after_notice =
        theirs.end == WatchEnd::kCompacted && start == theirs.compact_revision;
    if (start == theirs.resume_at || after_notice) return true;
    Undecide(
        fmt::format("line {}: the watch resumes at revision {}, but {} had stopped at "
                    "revision {}",
                    details.asked.line.value, details.requested_start, facts().table.Label(before),
                    theirs.resume_at));
    return false;
  }

  // The predecessor's progress passed the change without delivering it: now it is lost.
  void FindLostBefore(WatchIndex watch, WatchIndex before) {
    if (facts().state(before).end == WatchEnd::kCompacted) return;
    const auto missing = facts().comparer.FirstMissing(before);
    if (!missing) return;
    const Change& lost = *missing;
    const WatchDetails& details = facts().details(watch);
    if (lost.revision >= Revision(details.requested_start)) return;
    if (lost.revision < details.floor_when_asked) return;
    Add(watch, {.expected = fmt::format("the {}, before the resumption or after it", Phrase(lost)),
                .observed = fmt::format("{} received progress beyond it, but not the change; the "
                                        "resumed watch starts at revision {}",
                                        facts().table.Label(before), details.requested_start),
                .evidence = {lost.written},
                .where = details.asked,
                .symptom = symptom::PassedOver{before},
                .lost = LossSoFar(facts(), before, lost)});
  }

  void FindLostAfter(WatchIndex watch) {
    const WatchDetails& details = facts().details(watch);
    if (details.starts_below_floor()) return;
    for (const Skipped& gap : facts().comparer.skipped(watch)) {
      const Change lost = facts().comparer.FirstOf(watch, gap);
      if (lost.revision < gap.compaction_requested) continue;
      if (!LostByResuming(facts(), watch, lost)) continue;
      const Loss loss = GravestLoss(facts(), watch, gap);
      Add(watch,
          {.expected = fmt::format("the {}, written before the resumption", Phrase(loss.change)),
           .observed = fmt::format("{} had not received it yet, and the resumed watch went on "
                                   "with revision {} in line {}",
                                   facts().table.Label(*details.continues),
                                   gap.overtaken_by_revision, gap.overtaken_by.line.value),
           .evidence = {loss.change.written, details.asked.line},
           .where = gap.overtaken_by,
           .lost = loss});
      return;
    }
  }
};

const CheckerRegistration<Resumable> kResumable{{
    .guarantee = Guarantee("Resumable"),
    .place = 50,
    .gravity = Gravity::kData,
    .clause = "W-5",
    .impact = "A Kubernetes cache takes its resumption for complete; changes made in between are "
              "missing, or are applied twice.",
    .explain = "Streams break; then a client opens another one and requests the revision after "
               "the last event (or progress) that it received. Both watches together, and so on "
               "along a chain of them, must deliver every expected change once: nothing below the "
               "new start, nothing missing of the changes written between the two watches, and no "
               "progress beyond a change that was then never delivered. A watch on a stream that "
               "was cut has nothing more to deliver; its successor has. An annotation of the "
               "driver names the two watches; if the new watch does not start where the old one "
               "stopped, nothing is decided. Source: the guarantee \"resumable\" of the etcd v3 "
               "watch API.",
}};

}  // namespace
}  // namespace watchproof
