// SPDX-License-Identifier: Apache-2.0
#include "harness/history/annotation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace watchproof {
namespace {

TEST(Annotation, EachTypeSurvivesItsText) {
  const std::vector<Annotation> all = {
      StageReached{Stage::kHealed},
      StageReached{Stage::kStopped},
      ClosingStream{StreamId(7)},
      Resumption{StreamId(1), 2, StreamId(3), 4},
      ReadRight{StreamId(1), {std::string("\0a/", 3)}, {""}},
      ReadRight{StreamId(1), {"a"}, {""}, {{{"b"}, {"c"}}, {{"d"}, {""}}}},
      ProgressDue{StreamId(2), true, 5000},
      ProgressOver{StreamId(2)},
      DeliveryDue{"near", {1, 1}, {0, 1}, 70, 3000, true},
      DeliveryOver{"near", 12},
      StreamEndDue{StreamId(4), 100},
      StreamEndOver{StreamId(4)},
      TargetEnded{2, "was killed by signal 11", "panic: \"no\"", 40},
      TargetSilent{1, "a put", 9000},
      AnswerDiffers{"script 3", "a put to be answered", "not found"},
      NotRestarted{"script 3", "exited with 2", true},
      HistoryHash{2, "3.5.21", 70, 60, 4'000'000'000, 70},
      MembersListed{2, "an update", {"1f", "2a (learner)"}, {"1f"}},
      RightsChanged{"late"},
      UserRights{"late", {"of late", "root"}, {{true, false, {"a/"}, {std::string("\0", 1)}}}},
      CallsAs{"script 7", "late"},
      RefusalDue{"wrong", "it names no key", {"invalid argument", "unknown"}, 3},
      StoreLimits{4 << 20, 128, 1536 << 10},
      Restored{7, 1007},
      HealingBegan{"pause"},
      MomentMissed{"created", "main"},
      TargetRefused{"a lease", "unimplemented", "said so", 2},
      MemberBehind{3, 9, "it is at revision 7", 20'000, true},
      Account{2, "goroutines", 60, 81, 20, false},
      MeasuredPair{"puts", "a watch far behind", 400.5, 3000, 2},
      ClientAsks{"script 1", "the leases"},
      CallsBeside{StreamId(3), "reads of every key"},
      ReadingLimited{StreamId(2), -1},
      QuestionLeft{"the leases", "not offered"},
      DiskActivity{2, "sync", 1000, 41000, 3, 0, 40000, "log", "sync of member/wal/0.wal"},
      NotRecorded{"connection 3", "too fast", 2},
      ConsumerStarted{"informer", {"cache", "reader"}, "/a/b/"},
      ConsumerReport{"cache", "event", 7, "put", "/a/b/c", "", {}},
      ConsumerReport{"cache", "snapshot", 7, "", "", "", {{"k", 7}}},
      ConsumerReadAsked{8},
      ConsumerDue{9, 20000},
      ConsumerEnded{"exited with 2", "panic"}};
  std::size_t kinds = 0;
  for (const Annotation& annotation : all) {
    const std::string text = ToText(annotation);
    const auto read = ParseAnnotation(text);
    ASSERT_TRUE(read.has_value()) << read.error().message();
    EXPECT_EQ(read->index(), annotation.index()) << text;
    EXPECT_EQ(ToText(*read), text);
    kinds = std::max(kinds, annotation.index() + 1);
  }
  EXPECT_EQ(kinds, std::variant_size_v<Annotation>);
}

TEST(Annotation, TheTextNamesItsTypeAndFields) {
  EXPECT_EQ(ToText(ReadRight{StreamId(1), {"a/"}, {}}),
            R"({"type":"right","stream":1,"key":"612f","end":""})");
  EXPECT_EQ(ToText(StageReached{Stage::kConverged}), R"({"type":"converged"})");
}

class Unreadable : public testing::TestWithParam<const char*> {};

TEST_P(Unreadable, IsRefused) {
  const auto read = ParseAnnotation(GetParam());
  ASSERT_FALSE(read.has_value());
  EXPECT_THAT(read.error().message(), testing::HasSubstr(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Annotation, Unreadable,
                         testing::Values("", "healed", "[]", R"({"stream":1})", R"({"type":7})",
                                         R"({"type":""})", R"({"type":"resumed"})",
                                         R"({"type":"closing_stream","stream":-1})",
                                         R"({"type":"closing_stream","stream":4294967296})",
                                         R"({"type":"closing_stream","stream":"1"})",
                                         R"({"type":"progress_due","stream":1,"asked":1})",
                                         R"({"type":"right","stream":1,"key":"6"})",
                                         R"({"type":"delivery_due","streams":[1,"2"]})"));

}  // namespace
}  // namespace watchproof
