// SPDX-License-Identifier: Apache-2.0
// Mutants of the small recordings in fixtures/histories: our judge must be right about every one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/checkers/mutants/session.h"

namespace watchproof {
namespace {

constexpr std::uint64_t kMutants = 1500;

TEST(Mutants, EachIsFoundOrEquivalentForAListedReason) {
  auto session = Session::Open({.paths = {WATCHPROOF_HISTORIES}, .seed = 6});
  ASSERT_TRUE(session.has_value()) << session.error().ToString();
  EXPECT_THAT((*session)->preface(), testing::Not(testing::HasSubstr("left out")));
  (*session)->Run(kMutants);
  EXPECT_THAT((*session)->failures(), testing::IsEmpty()) << (*session)->Report();
  std::vector<std::string_view> unproven;
  for (const Guarantee guarantee : (*session)->Unproven()) unproven.push_back(Name(guarantee));
  EXPECT_THAT(unproven, testing::IsEmpty()) << (*session)->Report();
}

TEST(Mutants, TheSameNumberIsTheSameMutant) {
  const SessionOptions options{.paths = {WATCHPROOF_HISTORIES}, .seed = 6};
  auto one = Session::Open(options);
  auto other = Session::Open(options);
  ASSERT_TRUE(one.has_value() && other.has_value());
  (*one)->Run(3);  // what was made before does not matter
  for (const std::uint64_t number : {2, 17, 99}) {
    EXPECT_EQ((*one)->RunOne(number), (*other)->RunOne(number));
  }
}

TEST(Mutants, EveryGuaranteeIsThePrimaryOfAMutation) {
  for (const Guarantee guarantee : GuaranteesOfWatches()) {
    EXPECT_THAT(AllMutations(), testing::Contains(testing::Field(&MutationInfo::primary,
                                                                 testing::Optional(guarantee))))
        << Name(guarantee);
  }
}

TEST(Mutants, OnlyRecordingsThatTellAllAreUsed) {
  std::vector<NumberedEntry> lines;
  EXPECT_FALSE(Replay(lines).has_value());  // never converged
  lines.push_back({Line(1), {.kind = EntryKind::kMark, .text = "converged"}});
  EXPECT_TRUE(Replay(lines).has_value());
  lines.push_back({Line(2), {.kind = EntryKind::kCallStarted, .method = Method::kPut}});
  EXPECT_FALSE(Replay(lines).has_value());  // never answered
}

}  // namespace
}  // namespace watchproof
