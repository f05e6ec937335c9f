// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/testing/call_table.h"

namespace watchproof {
namespace {

CallScript Limits() {
  return CallScript().Annotate(StoreLimits{.space = 100, .operations = 2, .request = 400});
}
CallScript Full() { return Limits().Put("k", std::string(120, 'v'), 2); }
CallScript RefusedForSpace() {
  return Limits()
      .Begin(8, Method::kPut, PutOf("k", "v"))
      .Fail(8, Method::kPut, StatusCode::kResourceExhausted);
}
Message Put() { return Part(Method::kPut, PutOf("k", "w")); }
Message Group(const std::vector<Message>& operations) {
  return TxnOf{.success = operations}.message();
}
Message Answered(std::int64_t revision, std::size_t operations) {
  return Decided(revision, true, std::vector<Message>(operations, Part(Method::kPut, Message())));
}
CallScript Nested(CallScript script, std::int64_t revision) {
  return script.Do(
      Method::kTxn, Group({Part(Method::kTxn, Group({Put()}))}),
      Decided(
          revision, true,
          {Part(Method::kTxn, Message().Number(2, 1).Nested(3, Part(Method::kPut, Message())))}));
}

INSTANTIATE_TEST_SUITE_P(
    Limited, CallTable,
    testing::ValuesIn(std::vector<CallRow>{
        {"Within", Limits().Put("k", "v", 2)},
        {"LimitsAreNotKnown", CallScript().Put("k", std::string(500, 'v'), 2)},
        {"TooLarge", Limits().Put("k", std::string(500, 'v'), 2), {"Limited"}},
        {"TooLargeAndRefused", Limits()
                                   .Begin(9, Method::kPut, PutOf("k", std::string(500, 'v')))
                                   .Fail(9, Method::kPut, StatusCode::kInvalidArgument)},
        {"TooManyOperations",
         Limits().Do(Method::kTxn,
                     Group({Put(), Part(Method::kPut, PutOf("l", "w")),
                            Part(Method::kPut, PutOf("m", "w"))}),
                     Answered(2, 3)),
         {"Limited"}},
        {"ItIsFullOnlyNow", Full().Put("k", "w", 3)},
        {"Full", Full().Pause(2s).Put("k", "w", 3), {"Limited"}},
        {"FullForNestedTransactions", Nested(Full().Pause(2s), 3), {"Limited"}},
        {"FullAndRefused", Full()
                               .Pause(2s)
                               .Begin(9, Method::kPut, PutOf("k", "w"))
                               .Fail(9, Method::kPut, StatusCode::kResourceExhausted)},
        {"DeletionsAreTaken",
         Full().Pause(2s).Do(Method::kDeleteRange, DeleteOf("k"), Deleted(3, 1))},
        {"RefusedForSpaceThenTaken", RefusedForSpace().Pause(2s).Put("k", "w", 2), {"Limited"}},
        {"RefusedForSpaceJustNow", RefusedForSpace().Put("k", "w", 2)},
        {"ReadsAloneHaveNoSize",
         Limits().Do(Method::kTxn, Group({Part(Method::kRange, GetOf(std::string(500, 'k')))}),
                     Decided(1, true, {Part(Method::kRange, Message())}))},
        {"CompactionWithoutAnswer",
         Full().Lose(Method::kCompact, Message().Number(1, 2)).Pause(2s).Put("k", "w", 3)},
        {"AlarmsListed",
         RefusedForSpace().Do(Method::kAlarm, Message(), Reported(1)).Pause(2s).Put("k", "w", 2),
         {"Limited"}},
        {"AlarmDisarmed", RefusedForSpace()
                              .Do(Method::kAlarm, Message().Number(1, 2), Reported(1))
                              .Pause(2s)
                              .Put("k", "w", 2)},
        {"CompactedMeanwhile", Full()
                                   .Do(Method::kCompact, Message().Number(1, 2), Reported(2))
                                   .Pause(2s)
                                   .Put("k", "w", 3)},
    }),
    CallRowName);

}  // namespace
}  // namespace watchproof
