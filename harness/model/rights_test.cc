// SPDX-License-Identifier: Apache-2.0
#include "harness/model/rights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/history/requests.h"

namespace watchproof {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> Keys(std::int64_t lease) {
  if (lease == 7) return {"on lease"};
  return lease == 0 ? std::vector<std::string>{"on lease", "on another"}
                    : std::vector<std::string>();
}

std::string InShort(const NeededRight& right) {
  return std::string(static_cast<std::size_t>(right.depth), '>') +
         (right.write ? "write " : "read ") + right.range.first();
}
std::vector<std::string> RightsOf(Method method, const Message& request) {
  std::vector<std::string> rights;
  for (const NeededRight& one : NeedsOf(method, request.bytes(), Keys).rights) {
    rights.push_back(InShort(one));
  }
  return rights;
}

TEST(Rights, APutReadsWhatItReplacesAndWritesItsLease) {
  EXPECT_THAT(RightsOf(Method::kPut, ToMessage(PutRequest{.key = "k"})), ElementsAre("write k"));
  EXPECT_THAT(
      RightsOf(Method::kPut, ToMessage(PutRequest{.key = "k", .lease = 7, .previous = true})),
      ElementsAre("write k", "write on lease", "read k"));
}

TEST(Rights, ADeletionReadsWhatItReturns) {
  EXPECT_THAT(RightsOf(Method::kDeleteRange, ToMessage(DeleteRequest{.key = "k"})),
              ElementsAre("write k"));
  EXPECT_THAT(
      RightsOf(Method::kDeleteRange, ToMessage(DeleteRequest{.key = "k", .previous = true})),
      ElementsAre("write k", "read k"));
}

TEST(Rights, ATransactionNeedsThoseOfBothBranchesAndOfWhatIsNested) {
  const TxnRequest nested{.compares = {{.key = "inner"}}, .failure = {PutRequest{.key = "deep"}}};
  const TxnRequest txn{.compares = {{.key = "compared"}},
                       .success = {ReadRequest{.key = "r"}, nested},
                       .failure = {DeleteRequest{.key = "d"}}};
  EXPECT_THAT(RightsOf(Method::kTxn, ToMessage(txn)),
              ElementsAre(">read compared", ">read r", ">>read inner", ">>write deep", ">write d"));
}

TEST(Rights, CallsAboutALeaseAreAboutItsKeys) {
  EXPECT_THAT(RightsOf(Method::kLeaseRevoke, LeaseOf(7)), ElementsAre("write on lease"));
  EXPECT_THAT(RightsOf(Method::kLeaseKeepAlive, LeaseOf(7)), ElementsAre("write on lease"));
  EXPECT_THAT(RightsOf(Method::kLeaseTimeToLive, TimeToLiveOf(7)), ElementsAre("read on lease"));
  EXPECT_THAT(RightsOf(Method::kLeaseTimeToLive, LeaseOf(7)), IsEmpty());
  EXPECT_THAT(RightsOf(Method::kLeaseLeases, Message()),
              ElementsAre("read on lease", "read on another"));
}

TEST(Rights, OperatorsAreRoot) {
  const auto kind = [](Method method, const Message& request = Message()) {
    return NeedsOf(method, request.bytes(), Keys).of;
  };
  EXPECT_EQ(kind(Method::kCompact), CallOf::kRoot);
  EXPECT_EQ(kind(Method::kSnapshot), CallOf::kRoot);
  EXPECT_EQ(kind(Method::kAlarm), CallOf::kUserOrRoot);
  EXPECT_EQ(kind(Method::kAlarm, Message().Number(1, 1)), CallOf::kRoot);
  EXPECT_EQ(kind(Method::kLeaseGrant), CallOf::kUser);
  EXPECT_EQ(kind(Method::kPut), CallOf::kAnyone);
  EXPECT_EQ(kind(Method::kAuthEnable), CallOf::kRoot);
  EXPECT_EQ(kind(Method::kAuthStatus), CallOf::kAnyoneOrRoot);
  EXPECT_EQ(kind(Method::kAuthenticate), CallOf::kAnyone);
  EXPECT_EQ(NeedsOf(Method::kUserGet, Message().Text(1, "x").bytes(), Keys).about, "x");
}

TEST(Rights, EveryCallOfOperatorsHasItsKind) {
  for (auto number = static_cast<std::size_t>(Method::kLeaseGrant);
       number < static_cast<std::size_t>(Method::kLock); ++number) {
    const auto method = static_cast<Method>(number);
    EXPECT_NE(NeedsOf(method, {}, Keys).of, CallOf::kAnyone) << InfoOf(method).name;
  }
}

}  // namespace
}  // namespace watchproof
