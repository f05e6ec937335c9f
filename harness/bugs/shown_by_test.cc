// SPDX-License-Identifier: Apache-2.0
#include "harness/bugs/shown_by.h"

#include <gtest/gtest.h>

namespace watchproof {
namespace {

Bug BugOf(const std::vector<std::string>& ranges, std::vector<ShownBy> shown) {
  Bug bug{.name = "#7", .shown = std::move(shown)};
  for (const std::string& range : ranges) bug.affected.push_back(ParseRange(range).value());
  return bug;
}

TEST(CommandThatShows, NamesReleaseAndCase) {
  const Bug bug = BugOf({"3.5 < 3.5.22"}, {{.case_name = "A.B"}});
  EXPECT_EQ(CommandThatShows(bug, "3.5.16"), "watchproof run --target etcd@3.5.16 --filter A.B");
  EXPECT_EQ(CommandThatShows(bug, "3.5.22"), "") << "the release has it no more";
  EXPECT_EQ(CommandThatShows(bug, "main"), "");
  EXPECT_EQ(CommandThatShows(BugOf({"3.5"}, {}), "3.5.16"), "") << "no case shows it";
}

TEST(CommandThatShows, NamesTheProductThatHasTheBug) {
  Bug bug = BugOf({"0.14 < 0.14.9"}, {{.case_name = "A.B"}});
  bug.product = "kine";
  bug.topology = "nats";
  EXPECT_EQ(CommandThatShows(bug, "0.14.6"),
            "watchproof run --target kine@0.14.6,nats --filter A.B");
}

TEST(CommandThatShows, NamesTheTopologyThatHasTheBug) {
  Bug bug = BugOf({"3.5"}, {{.case_name = "A.B"}});
  bug.topology = "grpc-proxy";
  EXPECT_EQ(CommandThatShows(bug, "3.5.16"),
            "watchproof run --target etcd@3.5.16,grpc-proxy --filter A.B");
  bug.shown[0].topology = "upgrade=3.6.16";
  EXPECT_EQ(CommandThatShows(bug, "3.5.16"),
            "watchproof run --target etcd@3.5.16,upgrade=3.6.16 --filter A.B");
}

TEST(CommandThatShows, RepeatsWhatTakesLuck) {
  const auto attempts = [](const std::string& rate) {
    const std::string command =
        CommandThatShows(BugOf({"3.5"}, {{.case_name = "A.B", .rate = rate}}), "3.5.16");
    const std::size_t at = command.find(" --repeat ");
    return at == std::string::npos ? "1" : command.substr(at + 10);
  };
  EXPECT_EQ(attempts(""), "1");
  EXPECT_EQ(attempts("8 of 8"), "1");
  EXPECT_EQ(attempts("each time, with the upgrade"), "1");
  EXPECT_EQ(attempts("11 of 12"), "4");
  EXPECT_EQ(attempts("1 of 6"), "18");
  EXPECT_EQ(attempts("some"), "20");
}

TEST(BestCase, IsOneWithoutConsumerAndLuck) {
  const Bug bug = BugOf({"3.5"}, {{.case_name = "Consumers.A"},
                                  {.case_name = "A.Some", .rate = "some"},
                                  {.case_name = "A.Never", .rate = "0 of 18"},
                                  {.case_name = "A.Mostly", .rate = "9 of 10"},
                                  {.case_name = "A.Sure", .rate = "3 of 3"}});
  EXPECT_EQ(BestCase(bug)->case_name, "A.Sure");
  EXPECT_EQ(BestCase(BugOf({"3.5"}, {})), nullptr);
}

TEST(ReleaseThatShows, IsTheFirstPreferredOneThatHasTheBug) {
  const Bug bug = BugOf({"3.4 < 3.4.31", "3.5 < 3.5.13"}, {});
  EXPECT_EQ(ReleaseThatShows(bug, {"3.5.30", "3.4.23", "3.5.12"}), "3.4.23");
}

TEST(ReleaseThatShows, IsOtherwiseOneOfTheRanges) {
  EXPECT_EQ(ReleaseThatShows(BugOf({"3.4 < 3.4.31", "3.5 < 3.5.13"}, {}), {"3.5.30"}), "3.5.12");
  EXPECT_EQ(ReleaseThatShows(BugOf({"3.5 < 3.5.13", "3.6 < 3.6.0-rc.0"}, {}), {}), "3.5.12");
  EXPECT_EQ(ReleaseThatShows(BugOf({"3.7 >= 3.7.0-alpha.0"}, {}), {"3.6.4"}), "3.7.0-alpha.0");
  EXPECT_EQ(ReleaseThatShows(BugOf({"3.5 >= 3.5.0 < 3.5.3"}, {}), {}), "3.5.2");
}

// Whoever reads about a bug that a case shows can see it.
TEST(AnswerKeyBuiltIn, HasACommandForEachBugThatACaseShows) {
  for (const Bug& bug : AnswerKey::BuiltIn().bugs()) {
    const std::string release = ReleaseThatShows(bug, {"3.5.16"});
    EXPECT_NE(release, "") << bug.name;
    EXPECT_EQ(CommandThatShows(bug, release).empty(), bug.shown.empty()) << bug.name;
  }
}

}  // namespace
}  // namespace watchproof
