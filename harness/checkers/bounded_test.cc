// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/testing/truth_table.h"

namespace watchproof {
namespace {

Script With(const Account& account) {
  return Script()
      .Watch("k", 2)
      .Created(0, 1)
      .Put("k", "a", 2)
      .Deliver(0, {{2, "k"}})
      .Annotate(account);
}

// Memory in use, before and so many times afterwards.
Script Kept(std::initializer_list<double> after, double limit = 2) {
  Script script = With({1, "watchers", 1, 1, 20, true});
  for (const double one : after) script.Annotate(MeasuredPair{"kept", "a watch", one, 20, limit});
  return script;
}

INSTANTIATE_TEST_SUITE_P(
    Bounded, TruthTable,
    testing::ValuesIn(std::vector<Row>{
        {"AsBefore", With({1, "watchers", 1, 1, 20, true}), {}},
        {"OneTooFew", With({1, "watchers", 1, 0, 20, true}), {"Bounded"}},
        {"OneTooMany", With({1, "watchers", 1, 2, 20, true}), {"Bounded"}},
        {"SomeOthers", With({1, "goroutines", 60, 69, 20, false}), {}},
        {"Fewer", With({1, "goroutines", 60, 40, 20, false}), {}},
        {"OneForEverySecondStream", With({1, "goroutines", 60, 70, 20, false}), {"Bounded"}},
        {"OneDoesNotHideTheOther",
         With({1, "goroutines", 60, 81, 20, false})
             .Annotate(Account{1, "open files", 20, 41, 20, false}),
         {"Bounded", "Bounded"}},
        {"MemoryThatIsKept", Kept({90, 95, 96, 94, 97}), {"Bounded"}},
        {"MemoryThatIsFreed", Kept({21, 20, 24, 39, 19}), {}},
        {"MemoryThatIsFreedOnce", Kept({90, 20, 96, 94, 97}), {}, true},
        {"MemoryThatIsMeasuredOnly", Kept({90, 95, 96, 94, 97}, 0), {}},
        {"OneForOneStream", With({1, "goroutines", 60, 61, 1, false}), {"Bounded"}},
    }),
    RowName);

}  // namespace
}  // namespace watchproof
