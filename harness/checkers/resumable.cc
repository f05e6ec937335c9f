// SPDX-License-Identifier: Apache-2.0
// Resumable: a watch that takes up where another stopped is given exactly what that one was not.
#include "harness/checkers/checker.h"
#include "harness/checkers/phrases.h"

namespace watchproof {
namespace {

class Resumable final : public Checker {
 public:
  using Checker::Checker;

  void Compared(WatchIndex watch, const Response& response, const std::vector<Comparison>& compared,
                Findings& findings) override {
    const WatchDetails& details = facts().table.details(watch);
    if (!details.continues) return;
    for (std::size_t i = 0; i < compared.size(); ++i) {
      const EventView& event = response.message.events[i];
      if (compared[i].match != Match::kBelowStart || !Concerns(details.range, event)) continue;
      findings.Add(Guarantee::kResumable, watch, [&] {
        return Draft{
            .expected = fmt::format("nothing below revision {}, up to which {} had been given all",
                                    facts().table.state(watch).start,
                                    facts().table.Label(*details.continues)),
            .observed = fmt::format("the {} in line {}", Phrase(event), response.where.line.value),
            .evidence = {details.asked.line, response.where.line},
            .at = response.where.at};
      });
    }
  }

  void Finish(WatchIndex watch, Findings& findings) override {
    const WatchDetails& details = facts().table.details(watch);
    if (!details.continues || !JoinsOn(watch, *details.continues, findings)) return;
    FindLostBefore(watch, *details.continues, findings);
    FindLostAfter(watch, findings);
  }

 private:
  // Whether the client asked for what comes next. If it did not, the target cannot be blamed.
  bool JoinsOn(WatchIndex watch, WatchIndex before, Findings& findings) const {
    const WatchState& theirs = facts().table.state(before);
    const WatchDetails& details = facts().table.details(watch);
    if (details.range != facts().table.details(before).range) {
      findings.Undecide(
          fmt::format("line {}: the resumed watch asks for another range or other "
                      "filters than {}",
                      details.asked.line.value, facts().table.Label(before)));
      return false;
    }
    // From "now" to "now": what came between was promised to nobody.
    if (!theirs.created && facts().table.details(before).requested_start <= 0) return false;
    const Revision start(details.requested_start);
    const bool after_notice =
        theirs.end == WatchEnd::kCompacted && start == theirs.compact_revision;
    if (start == theirs.resume_at || after_notice) return true;
    findings.Undecide(
        fmt::format("line {}: the watch resumes at revision {}, but {} had stopped at "
                    "revision {}",
                    details.asked.line.value, details.requested_start, facts().table.Label(before),
                    theirs.resume_at));
    return false;
  }

  // Passed by the predecessor's progress without having been given: now nobody will be given it.
  void FindLostBefore(WatchIndex watch, WatchIndex before, Findings& findings) {
    if (facts().table.state(before).end == WatchEnd::kCompacted) return;
    const auto missing = facts().comparer.FirstMissing(before);
    if (!missing) return;
    const Change& lost = *missing;
    const WatchDetails& details = facts().table.details(watch);
    if (lost.revision >= Revision(details.requested_start)) return;
    if (lost.revision < details.floor_when_asked) return;
    findings.Add(Guarantee::kResumable, watch, [&] {
      return Draft{
          .expected = fmt::format("the {}, before the resumption or after it", Phrase(lost)),
          .observed = fmt::format("{} was told progress beyond it without being given it; the "
                                  "resumed watch starts at revision {}",
                                  facts().table.Label(before), details.requested_start),
          .evidence = {lost.written, details.asked.line},
          .at = details.asked.at};
    });
  }

  void FindLostAfter(WatchIndex watch, Findings& findings) {
    const WatchDetails& details = facts().table.details(watch);
    if (details.starts_below_floor()) return;
    for (const Skipped& gap : facts().comparer.skipped(watch)) {
      const Change lost = facts().comparer.FirstOf(watch, gap);
      if (lost.revision < gap.compaction_requested) continue;
      if (!LostByResuming(facts(), watch, lost)) continue;
      findings.Add(Guarantee::kResumable, watch, [&] {
        return Draft{
            .expected = fmt::format("the {}, written before the resumption", Phrase(lost)),
            .observed = fmt::format("{} had not been given it yet, and the resumed watch went on "
                                    "with revision {} in line {}",
                                    facts().table.Label(*details.continues),
                                    gap.overtaken_by_revision, gap.overtaken_by.line.value),
            .evidence = {lost.written, details.asked.line, gap.overtaken_by.line},
            .at = gap.overtaken_by.at};
      });
      return;
    }
  }
};

const CheckerRegistration kResumable{{
    .guarantee = Guarantee::kResumable,
    .promise = "A watch can be continued by another from where it stopped, without loss and "
               "without repetition.",
    .impact = "A Kubernetes cache believes to have taken up where it had stopped; what "
              "changed in between looks unchanged, or changes twice.",
    .explain = "Streams break, and clients open another one and ask for the revision after the "
               "last that they were given (or were told progress of). Both watches together, and "
               "so on along a chain of them, must be given everything that was owed, once: nothing "
               "below the new start, nothing left out of what was written while nobody listened, "
               "and no progress told beyond a change that was then never given. A watch whose "
               "stream was cut owes no more; its successor does. The driver marks who continues "
               "whom; if the new watch does not start where the old one stopped, nothing is "
               "decided. Source: the guarantee \"resumable\" of the etcd v3 watch API.",
    .make = [](const Facts& facts) { return std::make_unique<Resumable>(facts); },
}};

}  // namespace

bool LostByResuming(const Facts& facts, WatchIndex watch, const Change& lost) {
  const WatchDetails& details = facts.table.details(watch);
  return details.continues && lost.revision <= details.header_when_created;
}

}  // namespace watchproof
