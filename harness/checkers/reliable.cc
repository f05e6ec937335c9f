// SPDX-License-Identifier: Apache-2.0
// Reliable: a watch receives exactly the changes written in its range from its start on.
#include <memory>
#include <utility>

#include "harness/checkers/checker.h"
#include "harness/checkers/phrases.h"
#include "harness/checkers/version_chain.h"

namespace watchproof {
namespace {

// What it does to a Kubernetes cache.
constexpr std::string_view kChangeInvented =
    "A Kubernetes cache holds a state of an object that was never written, and has no reason to "
    "list it anew.";
constexpr std::string_view kChangeRepeated =
    "A Kubernetes cache applies an old change again: an object returns to an older state, or a "
    "deleted object reappears.";

constexpr std::string_view kChangeSkippedByResuming =
    "A client that reconnects before the first event resumes at the revision of the header, and "
    "never receives the changes before it.";

// Empty if the event is the change as it was written; its metadata is judged by Fields.
std::string DifferenceOf(const EventView& event, const Change& change) {
  const KeyValueView& kv = event.kv;
  if (event.type != (change.deleted ? 1 : 0)) return "it is of another type";
  if (!change.value_known || kv.value == change.value) return {};
  return fmt::format("its value is {} ({} bytes) instead of {} ({} bytes)", Quoted(kv.value),
                     kv.value.size(), Quoted(change.value), change.value.size());
}

class Reliable final : public Checker {
 public:
  void Compared(WatchIndex watch, const Response& response,
                const std::vector<Comparison>& compared) override {
    if (facts().passive()) FollowVersions(watch, response);
    const ExpectedList& expected = *facts().comparer.expected(watch);
    for (std::size_t i = 0; i < compared.size(); ++i) {
      if (compared[i].match <= Match::kLate) Exercised();
      const EventView& event = response.message.events[i];
      switch (compared[i].match) {
        case Match::kExpected:
        case Match::kLate:
        case Match::kRepeated:
          CheckContent(watch, event, facts().comparer.change(expected[compared[i].expected]),
                       response);
          break;
        case Match::kBelowStart:
          CheckStart(watch, event, response);
          break;
        case Match::kForgotten:
          CheckForgotten(watch, event, response);
          break;
        case Match::kNotExpected:
          NotExpected(watch, event, response);
          break;
        case Match::kUnknown:
          CheckUnknown(watch, event, response);
          break;
      }
    }
  }

  void Progress(WatchIndex watch, const Response& response) override {
    Bookmark& bookmark = At(bookmarks_, watch);
    const Revision revision(response.message.header.revision);
    if (revision <= bookmark.revision) return;
    bookmark = {revision, response.where, facts().model.calls().compaction_acknowledged()};
  }

  void Afterwards(WatchIndex watch, const Response& response) override {
    const bool cancelled = facts().state(watch).end == WatchEnd::kCancelled;
    if (!cancelled || response.message.events.empty()) return;
    Add(watch, [&] {
      const Where ended = *facts().details(watch).ended;
      return Draft{.expected = "no event after the answer to the cancel",
                   .observed = fmt::format("the {} {}", Phrase(response.message.events.front()),
                                           Since(response.where, ended)),
                   .evidence = {ended.line},
                   .where = response.where};
    });
  }

  void Finish(WatchIndex watch) override {
    // It expected ErrCompacted instead of events; a missing change is judged by CompactionSurfaced.
    if (facts().details(watch).starts_below_floor()) return;
    FindGaps(watch);
    FindGapBelowBookmark(watch);
    if (watch.value < chains_.size() && chains_[watch.value]) ReportVersions(watch);
  }

  // Finds changes without a client's write. Imported recordings do not name the keys that a
  // revocation deleted.
  void Conclude() override {
    if (facts().options.without_metadata) return;
    const auto change = facts().model.unexplained();
    if (!change) return;
    Add(StreamId(0), [&] {
      std::string before;
      if (change->written.value == 0) {
        before = "the key did not exist before";
      } else if (change->lease == 0) {
        before =
            fmt::format("the write in line {} left the key without a lease", change->written.value);
      } else {
        before = fmt::format("the write in line {} left the key on lease {}, which has not ended",
                             change->written.value, change->lease);
      }
      Draft draft{.expected = "only changes that a recorded write or the end of a lease explains",
                  .observed = fmt::format("the {} of {} at revision {} in line {}; {}",
                                          change->deleted ? "delete" : "put", Quoted(change->key),
                                          change->revision, change->seen.value, before),
                  .evidence = {change->seen},
                  .at = facts().latest.at,
                  .about = change->revision,
                  .impact = change->deleted ? std::string_view() : kChangeInvented};
      if (change->written.value != 0) {
        draft.evidence.insert(draft.evidence.begin(), change->written);
      }
      return draft;
    });
  }

 private:
  struct Bookmark {
    Revision revision{};
    Where where;
    Revision floor{};  // acknowledged then
  };

  // Others may have written what no other line shows.
  struct Versions {
    explicit Versions(Revision start) : chain(start) {}
    VersionChain chain;
    std::optional<std::pair<VersionChain::Gap, Where>> first;
    std::uint64_t gaps = 0;
  };

  void FollowVersions(WatchIndex watch, const Response& response) {
    const TrackedRange& range = facts().details(watch).range;
    if (!range.puts || !range.deletes) return;
    std::unique_ptr<Versions>& versions = At(chains_, watch);
    if (versions == nullptr) versions = std::make_unique<Versions>(facts().state(watch).start);
    for (const EventView& event : response.message.events) {
      auto gap = versions->chain.Next(event, response.where.line);
      if (!gap) continue;
      ++versions->gaps;
      if (!versions->first) versions->first.emplace(*std::move(gap), response.where);
    }
  }

  // Only where no change is known to be the missing one.
  void ReportVersions(WatchIndex watch) {
    const Versions& versions = *chains_[watch.value];
    const bool explained =
        Has(watch) || Has(watch, Guarantee("Ordered")) || !facts().comparer.skipped(watch).empty();
    if (!versions.first || explained) return;
    const auto& [gap, where] = *versions.first;
    std::vector<Line> evidence;
    if (gap.before.value != 0) evidence.push_back(gap.before);
    Add(watch,
        {.expected = gap.missing,
         .observed = fmt::format("it never came, though by line {} it had been written; {} such "
                                 "gap{} in all",
                                 where.line.value, versions.gaps, versions.gaps == 1 ? "" : "s"),
         .evidence = std::move(evidence),
         .where = where,
         .impact = impact::kChangeLost});
  }

  void CheckContent(WatchIndex watch, const EventView& event, const Change& change,
                    const Response& response) const {
    if (event.type == 0 && !change.deleted && event.kv.value == change.value) return;
    std::string difference = DifferenceOf(event, change);
    if (difference.empty()) return;
    Add(watch,
        {.expected = fmt::format("the {} as line {} {} it", Phrase(change), change.written.value,
                                 facts().passive() && !change.acknowledged ? "has" : "wrote"),
         .observed = fmt::format("in line {} {}", response.where.line.value, difference),
         .evidence = {change.written},
         .where = response.where,
         .symptom = symptom::OfRevision{change.revision},
         .about = change.revision});
  }

  void Unexpected(WatchIndex watch, const EventView& event, const Response& response,
                  std::string expected, const Symptom& symptom = {},
                  std::string_view impact = kChangeInvented) {
    Add(watch,
        {.expected = std::move(expected),
         .observed = fmt::format("the {} in line {}", Phrase(event), response.where.line.value),
         .evidence = {facts().details(watch).asked.line},
         .where = response.where,
         .symptom = symptom,
         .about = Revision(event.kv.mod_revision),
         .impact = impact});
  }

  void CheckStart(WatchIndex watch, const EventView& event, const Response& response) {
    const WatchDetails& details = facts().details(watch);
    // Releases that accept a negative start do not agree on its meaning. Resumable judges repeated
    // events of a watch that resumes at a revision, Filtered events outside of range and filters.
    const bool resumed = details.continues && details.requested_start != 0;
    if (details.requested_start < 0 || resumed || !Concerns(details.range, event)) return;
    // Written while the watch was being made: it is the header that came too late.
    const bool late =
        details.requested_start == 0 && Revision(event.kv.mod_revision) > details.known_when_asked;
    Unexpected(watch, event, response,
               fmt::format("nothing below revision {}, where the watch starts{}",
                           facts().state(watch).start,
                           late ? " by the header of its created response" : ""),
               symptom::BelowStart{Revision(event.kv.mod_revision)},
               late ? kChangeSkippedByResuming : kChangeRepeated);
  }

  // Every expected change below has been delivered: the event is a repetition or was never written.
  void CheckForgotten(WatchIndex watch, const EventView& event, const Response& response) {
    if (!Concerns(facts().details(watch).range, event)) return;
    const Revision forgotten = facts().timeline().forgotten();
    if (facts().comparer.OpenedTooLate(watch)) {
      return Undecide(fmt::format(
          "line {}: the {} cannot be compared: the store had been compacted to {} before the watch "
          "was there",
          response.where.line.value, Phrase(event), forgotten));
    }
    Unexpected(watch, event, response,
               fmt::format("nothing below revision {}: all of that was delivered and compacted",
                           forgotten),
               symptom::Repeated{}, kChangeRepeated);
  }

  void NotExpected(WatchIndex watch, const EventView& event, const Response& response) {
    if (!Concerns(facts().details(watch).range, event)) return;
    Unexpected(watch, event, response, "only changes that were written");
  }

  void CheckUnknown(WatchIndex watch, const EventView& event, const Response& response) {
    const Revision revision(event.kv.mod_revision);
    const bool old = revision <= facts().timeline().known_through();
    if (old || facts().model.MayExist(revision)) return;
    if (!Concerns(facts().details(watch).range, event)) return;
    Unexpected(watch, event, response, "only changes that were written");
  }

  // A gap that begins below the floor is judged by CompactionSurfaced: ErrCompacted would have
  // covered it.
  void FindGaps(WatchIndex watch) {
    const Skipped* shown = nullptr;
    std::optional<Loss> loss;
    bool explained = true;
    std::uint64_t count = 0;
    for (const Skipped& gap : facts().comparer.skipped(watch)) {
      const Change first = facts().comparer.FirstOf(watch, gap);
      if (first.revision < gap.compaction_requested) continue;
      if (LostByResuming(facts(), watch, first)) continue;
      count += gap.to - gap.from;
      // One that no known bug explains weighs more than those that some do.
      if (!explained) continue;
      const Loss found = GravestLoss(facts(), watch, gap);
      explained = Explained(facts(), found);
      if (loss && explained) continue;
      shown = &gap;
      loss = found;
    }
    if (shown == nullptr) return;
    Add(watch,
        {.expected = fmt::format("the {}", Phrase(loss->change)),
         .observed = fmt::format("it never came, though revision {} did, in line {}; {} expected "
                                 "change{} missing in all",
                                 shown->overtaken_by_revision, shown->overtaken_by.line.value,
                                 count, count == 1 ? " was" : "s were"),
         .evidence = {loss->change.written},
         .where = shown->overtaken_by,
         .lost = loss,
         .about = loss->change.revision,
         .impact = impact::kChangeLost});
  }

  // If the client requested another start, the resumption is not judged.
  bool ContinuedFromItsPlace(WatchIndex watch) const {
    const auto& next = facts().details(watch).continued_by;
    return next &&
           Revision(facts().details(*next).requested_start) == facts().state(watch).resume_at;
  }

  void FindGapBelowBookmark(WatchIndex watch) {
    const auto missing = facts().comparer.FirstMissing(watch);
    // Changes lost by a resumption are judged by Resumable.
    if (!missing || ContinuedFromItsPlace(watch)) return;
    const Bookmark& bookmark = At(bookmarks_, watch);
    const Change& lost = *missing;
    if (lost.revision > bookmark.revision || lost.revision < bookmark.floor) return;
    // What progress passed over comes later; on an open watch it had its time to come.
    const bool ended = facts().details(watch).ended.has_value();
    Add(watch,
        {.expected = fmt::format("the {}", Phrase(lost)),
         .observed = fmt::format("it never came, though line {} has progress up to revision {}",
                                 bookmark.where.line.value, bookmark.revision),
         .evidence = {lost.written},
         .where = bookmark.where,
         .symptom = ended ? Symptom(symptom::PassedOver{watch}) : Symptom(),
         .lost = LossSoFar(facts(), watch, lost),
         .about = lost.revision,
         .impact = impact::kChangeLost});
  }

  std::vector<Bookmark> bookmarks_;
  std::vector<std::unique_ptr<Versions>> chains_;  // of passive recordings, by watch
};

const CheckerRegistration<Reliable> kReliable{{
    .guarantee = Guarantee("Reliable"),
    .place = 40,
    .gravity = Gravity::kData,
    .clause = "W-4",
    .impact = "A Kubernetes cache holds objects as they were before a change that it did not "
              "receive, or in a state that was never written, and has no reason to list them anew.",
    .explain = "Every acknowledged write that changes a key of the watched range at or above the "
               "watch's start is delivered with its key, type, value and revision, and nothing "
               "else is: nothing below the start, nothing that was never written. Where there are "
               "no other writers, a change that no recorded write and no end of a lease explains "
               "(a key that had been detached from the lease does not count) breaks this "
               "guarantee for every watch. Once a later change, or progress beyond it, has been "
               "delivered, a missing change is lost. Other guarantees judge the rest: Fields the "
               "metadata of a key, Filtered and Isolated events that do not belong to the watch, "
               "CompactionSurfaced compacted changes, Settled a missing end. Source: the "
               "guarantee \"reliable\" of the etcd v3 watch API.",
}};

}  // namespace
}  // namespace watchproof
