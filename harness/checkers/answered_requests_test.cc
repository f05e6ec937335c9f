// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/testing/call_table.h"

namespace watchproof {
namespace {

CallScript Refuses(Method method, const Message& request, StatusCode code,
                   const std::string& why = "etcdserver: no") {
  return CallScript().Put("k", "1", 2).Begin(9, method, request).Fail(9, method, code, why);
}
Message Keeping(const std::string& value) {
  return Message().Text(1, "k").OptionalText(2, value).Number(5, 1);
}
Message Reads(std::size_t count) {
  return TxnOf{.success = std::vector<Message>(count, Part(Method::kRange, GetOf("k")))}.message();
}
CallScript AnswersReads(std::size_t count) {
  const Message read = Part(Method::kRange, Shown(2, {Kv("k", "1", 2)}));
  return CallScript()
      .Put("k", "1", 2)
      .Do(Method::kTxn, Reads(count), Decided(2, true, std::vector<Message>(count, read)));
}

const std::vector<CallRow>& RequestRows() {
  constexpr StatusCode kInvalid = StatusCode::kInvalidArgument;
  static const std::vector<CallRow> kRows = {
      {"ARequestWithoutAKeyIsRefused", Refuses(Method::kRange, Message(), kInvalid)},
      {"ARequestWithoutAKeyIsAnswered",
       CallScript().Put("k", "1", 2).Do(Method::kRange, Message(), Shown(2, {})),
       {"Answered"}},
      {"AValueBesideAKeptOneIsTaken",
       CallScript().Put("k", "1", 2).Do(Method::kPut, Keeping("2"), Reported(3)),
       {"Answered"}},
      {"ARequestWithoutAKeyIsNotFound",
       Refuses(Method::kRange, Message(), StatusCode::kNotFound),
       {"Answered"}},
      {"SoManyOperationsAreAnswered", AnswersReads(128)},
      {"TooManyOperationsAreAnswered", AnswersReads(129), {"Answered"}},
      {"TooManyOperationsAreRefused", Refuses(Method::kTxn, Reads(129), kInvalid)},
      {"AReadIsRefused", Refuses(Method::kRange, GetOf("k"), kInvalid), {"Answered"}},
      {"ABoundedReadIsNotFound",
       Refuses(Method::kRange, GetOf("k", {.min_mod = 2}), StatusCode::kNotFound),
       {"Answered"}},
      {"AReadOfTheFutureIsRefused",
       Refuses(Method::kRange, GetOf("k", {.revision = 9}), StatusCode::kOutOfRange)},
      {"AReadOfAUnknownUserIsRefused",
       Refuses(Method::kRange, GetOf("k"), kInvalid, "etcdserver: user name is empty")},
      {"ALargerRequestThanTheDefaultLimitIsRefused",
       Refuses(Method::kPut, PutOf("k", std::string(1537 << 10, 'v')), kInvalid,
               "etcdserver: request is too large")},
      {"ATransactionWithoutAReasonIsRefused",
       Refuses(Method::kTxn, Reads(1), kInvalid),
       {"Answered"}},
  };
  return kRows;
}
INSTANTIATE_TEST_SUITE_P(AnsweredRequests, CallTable, testing::ValuesIn(RequestRows()),
                         CallRowName);

}  // namespace
}  // namespace watchproof
