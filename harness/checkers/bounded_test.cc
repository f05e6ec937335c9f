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
        {"OneForOneStream", With({1, "goroutines", 60, 61, 1, false}), {"Bounded"}},
    }),
    RowName);

}  // namespace
}  // namespace watchproof
