// SPDX-License-Identifier: Apache-2.0
// Mutants of the small recordings in fixtures/histories: the judge must be right about every one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ci/mutants/call_session.h"
#include "ci/mutants/session.h"
#include "harness/checkers/testing/call_load.h"
#include "harness/history/annotation.h"

namespace watchproof {
namespace {

constexpr std::uint64_t kMutants = 1500;

TEST(Mutants, EachIsFoundOrEquivalentForAListedReason) {
  auto session = Session::Open({.paths = {WATCHPROOF_HISTORIES}, .seed = 6});
  ASSERT_TRUE(session.has_value()) << session.error().ToString();
  EXPECT_THAT((*session)->preface(), testing::Not(testing::HasSubstr("left out")));
  (*session)->Run(kMutants);
  EXPECT_THAT((*session)->failures(), testing::IsEmpty()) << (*session)->Report();
  std::vector<std::string_view> inconclusive;
  for (const Guarantee guarantee : (*session)->Inconclusive())
    inconclusive.push_back(Name(guarantee));
  EXPECT_THAT(inconclusive, testing::IsEmpty()) << (*session)->Report();
}

TEST(Mutants, TheSameNumberIsTheSameMutant) {
  const SessionOptions options{.paths = {WATCHPROOF_HISTORIES}, .seed = 6};
  auto one = Session::Open(options);
  auto other = Session::Open(options);
  ASSERT_TRUE(one.has_value() && other.has_value());
  (*one)->Run(3);  // earlier mutants have no influence
  for (const std::uint64_t number : {2, 17, 99}) {
    EXPECT_EQ((*one)->RunOne(number), (*other)->RunOne(number));
  }
}

Recording CallsOf(std::uint64_t seed) {
  Recording recording;
  recording.name = fmt::format("calls of seed {}", seed);
  recording.lines =
      MakeCallLoad({.calls = 300, .clients = 1, .keys = 6, .unknown = 0, .seed = seed});
  recording.lines.push_back({Line(), AnnotationEntry(StageReached{Stage::kConverged})});
  Renumber(recording.lines);
  return recording;
}

TEST(CallMutants, EachIsFoundOrEquivalentForTheListedReason) {
  std::string left_out;
  auto recordings = LoadRecordings({WATCHPROOF_HISTORIES}, SIZE_MAX, left_out);
  ASSERT_TRUE(recordings.has_value()) << recordings.error().ToString();
  EXPECT_EQ(left_out, "");
  for (const std::uint64_t seed : {1, 2, 3}) recordings->push_back(CallsOf(seed));
  const std::size_t all = recordings->size();
  CallSession session(std::move(*recordings), 6);
  EXPECT_EQ(session.recordings(), all) << session.preface();
  session.Run(kMutants);
  EXPECT_THAT(session.failures(), testing::IsEmpty()) << session.Report();
  std::vector<std::string_view> inconclusive;
  for (const Guarantee guarantee : session.Inconclusive()) inconclusive.push_back(Name(guarantee));
  EXPECT_THAT(inconclusive, testing::IsEmpty()) << session.Report();
}

TEST(Mutants, OnlyCompleteRecordingsAreUsed) {
  std::vector<NumberedEntry> lines;
  EXPECT_FALSE(Replay(lines).has_value());  // never converged
  lines.push_back({Line(1), AnnotationEntry(StageReached{Stage::kConverged})});
  EXPECT_TRUE(Replay(lines).has_value());
  lines.push_back({Line(2), {.kind = EntryKind::kCallStarted, .method = Method::kPut}});
  EXPECT_FALSE(Replay(lines).has_value());  // never answered
}

}  // namespace
}  // namespace watchproof
