// SPDX-License-Identifier: Apache-2.0
#include "harness/session/finding_records.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace watchproof {
namespace {

// Else each bug in a consumer would be known on a store with a known bug in some field.
TEST(WrongBelow, FieldsOfAMessageExplainNoWrongState) {
  EXPECT_EQ(WrongBelow({}), nullptr);
  EXPECT_EQ(WrongBelow({{.guarantee = "Fields"}}), nullptr);
  const std::vector<FindingRecord> lost = {{.guarantee = "Fields"}, {.guarantee = "Reliable"}};
  EXPECT_EQ(WrongBelow(lost), &lost[1]);
}

TEST(RecordsOf, AFindingResemblesWhatTheKeyOfItsProductHasWordsFor) {
  const AnswerKey& kine = *AnswerKey::Find("kine");
  const auto by_words = std::ranges::find_if(
      kine.signatures(), [](const auto& one) { return !one.second.says.empty(); });
  ASSERT_NE(by_words, kine.signatures().end());
  Finding finding{.guarantee = Guarantee(by_words->second.guarantee),
                  .observed = fmt::format("{}", fmt::join(by_words->second.says, " ")),
                  .signature = "negative-start",
                  .clause = HeadlineOf(Guarantee(by_words->second.guarantee)).id};
  const auto resembles = [&finding](const std::string& product) {
    return RecordsOf({finding}, {}, {.product = product}).at(0).resembles;
  };
  EXPECT_EQ(resembles("kine"), by_words->first);
  EXPECT_EQ(resembles("etcd"), "negative-start");
  finding.observed = "something else";
  EXPECT_EQ(resembles("kine"), "negative-start");
}

}  // namespace
}  // namespace watchproof
