// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/testing/truth_table.h"

namespace watchproof {
namespace {

Script History() {
  return Script().Put("k", "a", 2).Put("k", "b", 3).Delete("k", 4).Put("k", "c", 5);
}
Script Asking() { return History().Watch("k", 2, {.previous = true}).Created(0, 5); }

Script Give(
    Script script, void (*change)(std::vector<Event>&) = [](std::vector<Event>&) {}) {
  std::vector<Event> events;
  for (const std::int64_t r : {2, 3, 4, 5}) events.push_back(script.WithPrevious({r, "k"}));
  change(events);
  return script.DeliverRaw(0, events);
}

using Events = std::vector<Event>;

// Asked for before the answer, compacted while the events are on their way.
Script CompactedUpTo(std::int64_t revision) {
  return Give(Asking().Compact(revision), [](Events& events) {
    for (Event& event : events) {
      if (event.kv.mod <= 4) event.previous.reset();
    }
  });
}

// The key may have been there before the recording began, which found the store at revision 10.
Script Old(const std::optional<KeyValueFields>& previous,
           const KeyValueFields& kv = {
               .key = "k", .value = "a", .create = 5, .mod = 11, .version = 3}) {
  return Script(10)
      .Put("k", "a", 11)
      .Watch("k", 11, {.previous = true})
      .Created(0, 11)
      .DeliverRaw(0, {{.deleted = false, .kv = kv, .previous = previous}});
}
const KeyValueFields kOld{.key = "k", .value = "x", .create = 5, .mod = 7, .version = 2};

// One transaction deletes a key, makes it again and deletes it again. The value before the last is
// that of the revision before.
Script MadeAgain(std::int64_t previous) {
  Script script = Script().Put("k", "a", 2).Watch("k", 2, {.previous = true}).Created(0, 2);
  script.Txn({.puts = {{"k", "b"}}, .deletes = {"k", "k"}, .puts_second = true}, 3);
  const KeyValueFields before{.key = "k", .value = "a", .create = 2, .mod = previous, .version = 1};
  const Event gone{.deleted = true, .kv = {.key = "k", .mod = 3}, .previous = before};
  const Event made{.kv = {.key = "k", .value = "b", .create = 3, .mod = 3, .version = 1}};
  script.DeliverRaw(0, {script.WithPrevious({2, "k"})});
  return script.DeliverRaw(0, {gone, made, gone});
}

// One transaction deletes a key and makes it again.
Script Recreated(std::optional<std::int64_t> previous) {
  Script script = Script().Put("k", "a", 2).Watch("k", 3, {.previous = true}).Created(0, 2);
  script.Txn({.puts = {{"k", "b"}}, .deletes = {"k"}, .puts_second = true}, 3);
  const KeyValueFields before{.key = "k", .value = "a", .create = 2, .mod = 2, .version = 1};
  KeyValueFields shown = before;
  shown.mod = previous.value_or(0);
  const Event gone{.deleted = true, .kv = {.key = "k", .mod = 3}, .previous = before};
  Event made{.kv = {.key = "k", .value = "b", .create = 3, .mod = 3, .version = 1}};
  if (previous) made.previous = shown;
  return script.DeliverRaw(0, {gone, made});
}

INSTANTIATE_TEST_SUITE_P(
    PreviousValue, TruthTable,
    testing::ValuesIn(std::vector<Row>{
        {"OfAKeyRecreatedTogetherIsNone", Recreated({}), {"Transactional"}},
        {"OfAKeyRecreatedTogetherIsTheOneBefore", Recreated(2), {"Transactional"}},
        {"OfAKeyRecreatedTogetherIsAnother", Recreated(1), {"Transactional", "PreviousValue"}},
        {"OfAKeyMadeAgainTogether", MadeAgain(2), {"Transactional"}},
        {"OfAKeyMadeAgainTogetherIsAnother", MadeAgain(1), {"Transactional", "PreviousValue"}},
        {"MissingBelowTheFloorWhereThatIsForbidden",
         Script()
             .Put("k", "a", 2)
             .Watch("k", 3, {.previous = true})
             .Created(0, 2)
             .Put("k", "b", 3)
             .Compact(3)
             .Deliver(0, {{3, "k"}}),
         {"PreviousValue"},
         false,
         {.strict_previous = true}},
        {"MissingWhereOthersHaveCompacted",
         Give(Asking(), [](Events& e) { e[1].previous.reset(); }).ReadRefusedAt(2),
         {},
         true,
         {.others_compact = true}},
        {"MissingWhereOthersMightHaveCompacted",
         Give(Asking(), [](Events& e) { e[1].previous.reset(); }).ReadAt(1, 5),
         {"PreviousValue"},
         false,
         {.others_compact = true}},
        {"Exactly", Give(Asking()), {}},
        {"MissingOnAPut",
         Give(Asking(), [](Events& e) { e[1].previous.reset(); }),
         {"PreviousValue"}},
        {"MissingOnADelete",
         Give(Asking(), [](Events& e) { e[2].previous.reset(); }),
         {"PreviousValue"}},
        {"OtherValue",
         Give(Asking(), [](Events& e) { e[1].previous->value = "b"; }),
         {"PreviousValue"}},
        {"OtherVersion",
         Give(Asking(), [](Events& e) { e[2].previous->version = 1; }),
         {"PreviousValue"}},
        {"OtherCreateRevision",
         Give(Asking(), [](Events& e) { e[2].previous->create = 3; }),
         {"PreviousValue"}},
        {"OtherRevision",
         Give(Asking(), [](Events& e) { e[2].previous->mod = 2; }),
         {"PreviousValue"}},
        {"OtherKey",
         Give(Asking(), [](Events& e) { e[1].previous->key = "j"; }),
         {"PreviousValue"}},
        {"OtherLease",
         Give(Asking(), [](Events& e) { e[1].previous->lease = 5; }),
         {"PreviousValue"}},
        {"OfTheEventItself",
         Give(Asking(), [](Events& e) { e[1].previous = e[1].kv; }),
         {"PreviousValue"}},
        {"OnACreation",
         Give(Asking(), [](Events& e) { e[0].previous = e[0].kv; }),
         {"PreviousValue"}},
        {"OnACreationAfterADelete",
         Give(Asking(), [](Events& e) { e[3].previous = e[1].kv; }),
         {"PreviousValue"}},
        {"NotAskedFor", Give(History().Watch("k", 2).Created(0, 5)), {"PreviousValue"}},
        {"MissingUpToTheCompaction", CompactedUpTo(4), {}},
        {"MissingAboveTheCompaction", CompactedUpTo(3), {"PreviousValue"}},
        {"WrongBelowTheCompaction",
         Give(Asking().Compact(5), [](Events& e) { e[1].previous->value = "b"; }),
         {"PreviousValue"}},
        {"CompactionOnlyAskedFor",
         Give(Asking().StartCompact(1, 4),
              [](Events& e) { e[1].previous.reset(), e[2].previous.reset(); }),
         {}},
        {"CompactionAskedForTooLate",
         Give(Asking(), [](Events& e) { e[1].previous.reset(); }).Compact(5),
         {"PreviousValue"}},
        {"OfTheTimeBeforeTheRecordingAndConsistent", Old(kOld), {}},
        {"OfTheTimeBeforeTheRecordingAndMissing", Old(std::nullopt), {"PreviousValue"}},
        {"OfTheTimeBeforeTheRecordingButOfAnotherKey",
         Old(KeyValueFields{.key = "j", .value = "x", .create = 5, .mod = 7, .version = 2}),
         {"PreviousValue"}},
        {"OfTheTimeBeforeTheRecordingButOfALaterVersion",
         Old(KeyValueFields{.key = "k", .value = "x", .create = 5, .mod = 7, .version = 3}),
         {"PreviousValue"}},
        {"OfTheTimeBeforeTheRecordingButOfARevisionWithin",
         Old(KeyValueFields{.key = "k", .value = "x", .create = 5, .mod = 11, .version = 2}),
         {"PreviousValue"}},
        {"OfTheTimeBeforeTheRecordingThoughTheEventMadeTheKey",
         Old(kOld, {.key = "k", .value = "a", .create = 11, .mod = 11, .version = 1}),
         {"PreviousValue"}},
        {"OfTheTimeBeforeTheRecordingThereIsNone",
         Old(std::nullopt, {.key = "k", .value = "a", .create = 11, .mod = 11, .version = 1}),
         {}},
    }),
    RowName);

}  // namespace
}  // namespace watchproof
