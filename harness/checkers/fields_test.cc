// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/testing/truth_table.h"

namespace watchproof {
namespace {

Script Lineage() {
  return Script().Put("k", "a", 2).Put("k", "b", 3).Delete("k", 4).Put("k", "c", 5).Watch("k", 2);
}

Script OneWrong(std::int64_t revision, void (*change)(Event&)) {
  Script script = Lineage().Created(0, 5);
  std::vector<Event> events;
  for (const std::int64_t r : {2, 3, 4, 5}) events.push_back(script.As({r, "k"}));
  change(events[static_cast<std::size_t>(revision - 2)]);
  return script.DeliverRaw(0, events);
}

// A store with a history: the key may have existed before.
Script Old(std::int64_t create, std::int64_t version) {
  return Script(10)
      .Put("k", "a", 11)
      .Watch("k", 11)
      .Created(0, 11)
      .DeliverRaw(
          0, {{.deleted = false,
               .kv = {.key = "k", .value = "a", .create = create, .mod = 11, .version = version}}});
}

Script Leased() {
  return Script().PutWithLease("k", 7, 2).Put("k", "b", 3).Watch("k", 2).Created(0, 3);
}

// Two puts of that key; the first event is correct: the key was created at 5 and put once more
// before the recording.
Script OldTwice(std::int64_t create, std::int64_t version) {
  const KeyValueFields first{.key = "k", .value = "a", .create = 5, .mod = 11, .version = 3};
  const KeyValueFields second{
      .key = "k", .value = "b", .create = create, .mod = 12, .version = version};
  return Script(10)
      .Put("k", "a", 11)
      .Put("k", "b", 12)
      .Watch("k", 11)
      .Created(0, 12)
      .DeliverRaw(0, {{.deleted = false, .kv = first}, {.deleted = false, .kv = second}});
}

INSTANTIATE_TEST_SUITE_P(
    Fields, TruthTable,
    testing::ValuesIn(std::vector<Row>{
        {"AsWritten", OneWrong(2, [](Event&) {}), {}},
        {"Version", OneWrong(3, [](Event& e) { e.kv.version = 1; }), {"Fields"}},
        {"VersionCountsOnThroughADelete",
         OneWrong(5, [](Event& e) { e.kv.version = 3; }),
         {"Fields"}},
        {"CreateRevisionOfTheDeletedKey",
         OneWrong(5, [](Event& e) { e.kv.create = 2; }),
         {"Fields"}},
        {"DeleteWithACreateRevision", OneWrong(4, [](Event& e) { e.kv.create = 2; }), {"Fields"}},
        {"DeleteMayShowTheKeyAsItWas",
         OneWrong(4, [](Event& e) { e.kv.create = 2; }),
         {},
         false,
         {.deviations = {.metadata_of_deletes = true}}},
        {"ThenAPutStillMayNot",
         OneWrong(3, [](Event& e) { e.kv.create = 1; }),
         {"Fields"},
         false,
         {.deviations = {.metadata_of_deletes = true}}},
        {"UnknownLease", OneWrong(2, [](Event& e) { e.kv.lease = 9; }), {"Fields"}},
        {"DeleteWithALease", OneWrong(4, [](Event& e) { e.kv.lease = 9; }), {"Fields"}},
        {"AnotherTypeIsJudgedByReliable",
         OneWrong(4, [](Event& e) { e.deleted = false; }),
         {"Reliable"}},
        {"WrongValueAndVersion",
         OneWrong(3, [](Event& e) { e.kv.version = 9, e.kv.value = "x"; }),
         {"Fields", "Reliable"}},
        {"LeaseAttachedAndDetached", Leased().Deliver(0, {{2, "k"}, {3, "k"}}), {}},
        {"LeaseIsMissing",
         Leased()
             .DeliverRaw(
                 0, {{.deleted = false,
                      .kv = {.key = "k", .value = "leased", .create = 2, .mod = 2, .version = 1}}})
             .Deliver(0, {{3, "k"}}),
         {"Fields"}},
        {"UnknownPastIsNotDecided", Old(4, 3), {}},
        {"UnknownPastMustBeConsistent", Old(4, 1), {"Fields"}},
        {"NoMorePutsThanRevisions", Old(10, 3), {"Fields"}},
        {"OldKeysHaveOnePast", OldTwice(5, 4), {}},
        {"OldKeysCountOn", OldTwice(5, 5), {"Fields"}},
        {"OldKeysKeepTheirCreateRevision", OldTwice(6, 4), {"Fields"}},
        {"OldKeysCannotBeYounger", OldTwice(12, 1), {"Fields"}},
    }),
    RowName);

}  // namespace
}  // namespace watchproof
