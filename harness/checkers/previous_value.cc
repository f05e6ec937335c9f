// SPDX-License-Identifier: Apache-2.0
// PreviousValue: a watch with prev_kv receives the key in its state before the change, exactly or,
// once that has been compacted, not at all.
#include <algorithm>
#include <utility>

#include "harness/checkers/checker.h"
#include "harness/checkers/old_keys.h"
#include "harness/checkers/phrases.h"

namespace watchproof {
namespace {

const std::string kNone = "no previous value";
constexpr std::size_t kMostAbsent = 100;  // that are kept of a watch

std::string DifferenceOf(const KeyValueView& kv, const Change& before,
                         const JudgeOptions& options) {
  if (kv.key != before.key) return fmt::format("is of the key {}", Quoted(kv.key));
  if (kv.mod_revision != before.revision.value) {
    return fmt::format("is of revision {} instead of {}", kv.mod_revision, before.revision);
  }
  if (before.value_known && kv.value != before.value) {
    return fmt::format("has the value {} ({} bytes) instead of {} ({} bytes)", Quoted(kv.value),
                       kv.value.size(), Quoted(before.value), before.value.size());
  }
  if (options.without_metadata) return {};
  const auto wrong = FirstWrongField(kv, before, options.deviations);
  if (!wrong) return {};
  return fmt::format("has the {} {} instead of {}", wrong->name, wrong->reported, wrong->known);
}

std::string ShownKey(const KeyValueView& previous) {
  return fmt::format("a previous value of the key {}, revision {}, version {}, created at {}",
                     Quoted(previous.key), previous.mod_revision, previous.version,
                     previous.create_revision);
}

// Whether the store is declared not to set create revision and version.
bool HasNoLineage(const KeyValueView& kv, const JudgeOptions& options) {
  return options.without_metadata || IsUnset(options.deviations, "version", kv.version) ||
         IsUnset(options.deviations, "create_revision", kv.create_revision);
}

class PreviousValue final : public Checker {
 public:
  void Asked(WatchIndex watch) override {
    At(asked_, watch) = facts().details(watch).previous_asked ? 1 : 0;
  }

  void Compared(WatchIndex watch, const Response& response,
                const std::vector<Comparison>& compared) override {
    if (asked_[watch.value] == 0) return CheckNone(watch, response);
    Beginning& beginning = At(beginnings_, watch);
    beginning.over = beginning.over || !WaitedForCreation(watch, response, beginning.responses++);
    waited_ = !beginning.over;
    const ExpectedList& expected = *facts().comparer.expected(watch);
    for (std::size_t i = 0; i < compared.size(); ++i) {
      if (compared[i].match <= Match::kLate) Exercised();
      const Change* change = Matched(facts().comparer, expected, compared[i]);
      if (change != nullptr) {
        CheckEvent(watch, response.message.events[i], *change, response);
      }
    }
  }

  // If a previous value is compacted, ErrCompacted may come instead.
  void Compacted(WatchIndex watch, const Response&) override {
    if (facts().details(watch).previous_asked) Exercised();
  }

  void Finish(WatchIndex watch) override {
    for (const Absence& absence : At(absent_, watch)) {
      if (facts().model.calls().ReadableSince(absence.looked_up, absence.reported.line)) {
        Report(watch, absence.expected, kNone, absence.written, absence.reported, absence.symptom);
      } else if (!std::exchange(doubted_, true)) {
        Undecide("others may have compacted the target: missing previous values were not judged");
      }
    }
  }

 private:
  // The responses of a watch that waited for its creation, until one did not.
  struct Beginning {
    std::uint64_t responses = 0;  // with events
    bool over = false;
  };
  // A missing value that a compaction by others may explain.
  struct Absence {
    std::string expected;
    Revision looked_up{};
    Line written{};
    Where reported;
    Symptom symptom;
  };

  void Missing(WatchIndex watch, const Change& change, std::string expected, Line written,
               const Response& response) {
    const symptom::NoPrevious symptom{waited_, change.revision, response.compaction_requested};
    if (!facts().options.others_compact) {
      return Report(watch, std::move(expected), kNone, written, response.where, symptom);
    }
    std::vector<Absence>& absent = At(absent_, watch);
    if (absent.size() >= kMostAbsent) return;
    absent.push_back(
        {std::move(expected), change.revision.previous(), written, response.where, symptom});
  }

  // Made before the created response was sent, and so before the server may have noted what the
  // watch asks for; none of its events brings a previous value. Where others write, the response
  // names an earlier revision: then it was made before if it comes right behind it, or behind the
  // `earlier` ones that waited with it.
  bool WaitedForCreation(WatchIndex watch, const Response& response, std::uint64_t earlier) const {
    const WatchDetails& details = facts().details(watch);
    const Revision made(response.message.header.revision);
    const bool behind = response.received == details.received_when_created + 1 + earlier &&
                        made <= details.ceiling_when_created;
    return (made <= details.header_when_created || behind) &&
           std::ranges::none_of(response.message.events,
                                [](const EventView& event) { return event.has_previous; });
  }

  // One revision below the event's, whatever its transaction did to the key before.
  std::uint32_t LookedUp(const Change& change) const {
    std::uint32_t at = change.previous;
    while (at != Change::kNone && facts().timeline().change(at).revision == change.revision) {
      at = Before(at);
    }
    return at;
  }
  // Also a deletion that the same transaction made the key again after.
  std::uint32_t Before(std::uint32_t at) const {
    const Change& change = facts().timeline().change(at);
    return change.previous != Change::kNone ? change.previous : DeletionBelow(at, change);
  }
  // The last deletion of the key in the transaction of the change, below the index.
  std::uint32_t DeletionBelow(std::uint32_t end, const Change& change) const {
    const Timeline& timeline = facts().timeline();
    if (!timeline.ChangesKeyTwice(change.revision)) return Change::kNone;
    for (std::uint32_t i = end; i > timeline.first_change();) {
      const Change& other = timeline.change(--i);
      if (other.revision < change.revision) break;
      const bool own = other.revision == change.revision && other.key_id == change.key_id;
      if (own && other.deleted) return i;
    }
    return Change::kNone;
  }
  // What a key had that its transaction deleted before it made it.
  std::uint32_t BeforeDeletion(const Change& change) const {
    const std::uint32_t deletion = DeletionBelow(facts().timeline().changes(), change);
    return deletion == Change::kNone ? deletion : LookedUp(facts().timeline().change(deletion));
  }

  void CheckNone(WatchIndex watch, const Response& response) {
    if (facts().options.deviations.previous_unasked) return;
    for (const EventView& event : response.message.events) {
      if (!event.has_previous) continue;
      const WatchDetails& details = facts().details(watch);
      Add(watch, {.expected = "no previous value, as the watch was created without prev_kv",
                  .observed = fmt::format("the {} brings one in line {}", Phrase(event),
                                          response.where.line.value),
                  .evidence = {details.asked.line},
                  .where = response.where,
                  .symptom = symptom::PreviousUnasked{}});
    }
  }

  void CheckEvent(WatchIndex watch, const EventView& event, const Change& change,
                  const Response& response) {
    if (facts().passive()) return CheckObserved(watch, event, change, response);
    std::uint32_t looked_up = LookedUp(change);
    // The value before a deletion in the same transaction is as good as none.
    if (looked_up == Change::kNone && event.has_previous) looked_up = BeforeDeletion(change);
    if (looked_up == Change::kNone) {
      if (change.previous == looked_up && !change.lineage_known)
        return CheckOld(watch, event, change, response);
      if (!event.has_previous) return;
      return Report(watch, fmt::format("no previous value: the {} made the key", Phrase(change)),
                    fmt::format("one of revision {}", event.previous.mod_revision), change.written,
                    response);
    }
    const Change& before = facts().timeline().change(looked_up);
    // The events of an old key must agree with its previous values.
    if (!change.lineage_known && !change.deleted && !HasNoLineage(event.kv, facts().options)) {
      old_keys_.Fits(change, event.kv, facts().timeline().base());
    }
    if (!event.has_previous) {
      // The target looks it up when it sends, one revision below the event's (etcd #10681).
      const bool may_be_gone = change.revision <= response.compaction_requested;
      if (may_be_gone && !facts().options.strict_previous) return;
      return Missing(watch, change,
                     fmt::format("the {} with the value before it, from revision {}; the highest "
                                 "compaction requested was {}",
                                 Phrase(change), before.revision, response.compaction_requested),
                     before.written, response);
    }
    const bool without_lineage = HasNoLineage(event.previous, facts().options);
    std::string difference = DifferenceOf(event.previous, before, facts().options);
    if (difference.empty() && !without_lineage && !before.lineage_known &&
        !old_keys_.Fits(before, event.previous, facts().timeline().base())) {
      difference = fmt::format(
          "has the create revision {} and the version {}, which contradict each other or "
          "earlier events of the key",
          event.previous.create_revision, event.previous.version);
    }
    ReportDifference(watch, change, before, difference, response);
  }

  // Others may have written in between, or compacted a previous value that is missing. Any other
  // must fit the event, and must not be older than what is known.
  void CheckObserved(WatchIndex watch, const EventView& event, const Change& change,
                     const Response& response) {
    if (!event.has_previous) return;
    const KeyValueView& kv = event.kv;
    const KeyValueView& previous = event.previous;
    const bool counts = event.type == 0 && !HasNoLineage(kv, facts().options);
    const bool fits = previous.key == kv.key && previous.mod_revision < kv.mod_revision &&
                      (!counts || (previous.version == kv.version - 1 &&
                                   previous.create_revision == kv.create_revision));
    if (!fits || (counts && kv.version == 1)) {
      return Report(watch,
                    counts
                        ? fmt::format("the {} with the version before it, {}, of the key "
                                      "created at {}",
                                      Phrase(change), kv.version - 1, kv.create_revision)
                        : fmt::format("the {} with an earlier revision of its key", Phrase(change)),
                    ShownKey(previous), change.written, response);
    }
    const std::uint32_t looked_up = LookedUp(change);
    if (looked_up == Change::kNone) return;
    const Change& before = facts().timeline().change(looked_up);
    if (previous.mod_revision > before.revision.value) return;
    std::string difference = DifferenceOf(previous, before, facts().options);
    if (before.deleted) difference = "is from before that delete";
    ReportDifference(watch, change, before, difference, response);
  }

  // The key may have existed before the recording began. Its state then is unknown, but it must
  // agree with the event.
  void CheckOld(WatchIndex watch, const EventView& event, const Change& change,
                const Response& response) {
    const KeyValueView& previous = event.previous;
    if (HasNoLineage(event.has_previous ? previous : event.kv, facts().options)) return;
    const std::string expected =
        event.kv.version > 1
            ? fmt::format(
                  "the {} with the key as it was before the recording: version {}, "
                  "created at revision {}",
                  Phrase(change), event.kv.version - 1, event.kv.create_revision)
            : fmt::format("no previous value: by its version the {} made the key", Phrase(change));
    if (!event.has_previous) {
      if (event.kv.version <= 1 || change.revision <= response.compaction_requested) return;
      return Missing(watch, change, expected, change.written, response);
    }
    const bool fits = event.kv.version > 1 && previous.key == event.kv.key &&
                      previous.version == event.kv.version - 1 &&
                      previous.create_revision == event.kv.create_revision &&
                      previous.mod_revision <= facts().timeline().base().value &&
                      previous.mod_revision - previous.create_revision >= previous.version - 1 &&
                      (previous.version > 1 || previous.mod_revision == previous.create_revision);
    if (fits) return;
    Report(watch, expected, ShownKey(previous), change.written, response);
  }

  void ReportDifference(WatchIndex watch, const Change& change, const Change& before,
                        const std::string& difference, const Response& response) const {
    if (difference.empty()) return;
    Report(watch,
           fmt::format("the {} with the key as the {} had left it", Phrase(change), Phrase(before)),
           "the previous value " + difference, before.written, response);
  }
  void Report(WatchIndex watch, std::string expected, std::string observed, Line written,
              const Response& response) const {
    Report(watch, std::move(expected), std::move(observed), written, response.where, {});
  }
  void Report(WatchIndex watch, std::string expected, std::string observed, Line written,
              const Where& where, const Symptom& symptom) const {
    Add(watch, {.expected = std::move(expected),
                .observed = fmt::format("{} in line {}", observed, where.line.value),
                .evidence = {written},
                .where = where,
                .symptom = symptom});
  }

  std::vector<char> asked_;            // by watch
  std::vector<Beginning> beginnings_;  // by watch
  bool waited_ = false;                // the response at hand, as all of its watch before it
  std::vector<std::vector<Absence>> absent_;
  bool doubted_ = false;
  OldKeys old_keys_;
};

const CheckerRegistration<PreviousValue> kPreviousValue{{
    .guarantee = Guarantee("PreviousValue"),
    .place = 80,
    .gravity = Gravity::kFields,
    .clause = "W-7",
    .impact = "A Kubernetes cache builds the previous state of an object from this: selectors are "
              "matched, and deletions reported, for a state that never existed.",
    .explain = "With prev_kv every put over an existing key and every delete brings the key in "
               "its state before the change: value, create revision, revision, version and lease. "
               "An event that creates a key brings none, and neither does any event of a watch "
               "without prev_kv. etcd looks the previous value up when it sends the event, one "
               "revision below the event's; if that has been compacted by then the field stays "
               "empty, which its documentation allows (etcd #10681). So an event may come without "
               "it if its revision is at or below the highest compaction requested by then; a "
               "wrong previous value is never allowed. A target that is configured for the "
               "stricter rule ends the watch with ErrCompacted instead. Source: the field prev_kv "
               "of WatchCreateRequest in the etcd v3 API.",
}};

}  // namespace
}  // namespace watchproof
