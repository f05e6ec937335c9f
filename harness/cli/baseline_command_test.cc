// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "harness/cli/testing/scripted_run.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kHead[] = "# What our fork fails.\n\n";
constexpr char kPasses[] = R"(# Was slow once.
[[accepted]]
case = "Ends.Passes"
reason = "slow"

)";
constexpr char kElsewhere[] = R"([[accepted]]
case = "Ends.*"
target = "etcd:*"
reason = "not tried here"

)";
constexpr char kOver[] = R"([[accepted]]
case = "Ends.Fails"
until = "2020-01-31"  # the next release
reason = "our fork"
)";

class BaselineCommandTest : public testing::Test {
 protected:
  BaselineCommandTest() {
    ScriptedRun run({"--filter", "Ends.Fails:Ends.Passes:Ends.H*"});
    EXPECT_EQ(run.Wait(), 70) << run.output();
    run_ = run.folder().string();
    file_ = run.run_dir().parent_path() / "accepted.toml";
  }

  void Write(const std::string& text) { std::ofstream(file_) << text; }
  std::string Use(const std::string& command, int expected, Words more = {}) {
    Words words{"baseline", command, "--baseline", file_.string(), run_};
    words.insert(words.end(), more.begin(), more.end());
    ScriptedRun done = ScriptedRun::Command(words);
    EXPECT_EQ(done.Wait(), expected) << done.output();
    return done.output();
  }

  std::string run_;
  fs::path file_;
};

TEST_F(BaselineCommandTest, ShowSaysWhatEachEntryMatches) {
  Write(std::string(kHead) + kPasses + kElsewhere + kOver);
  const std::string shown = Use("show", 6);
  EXPECT_THAT(shown, HasSubstr("accepted.toml:4  Ends.Passes on any target\n  accepted: slow\n"
                               "  matches  0 of 1 attempt\n"));
  EXPECT_THAT(shown, HasSubstr("matches  no attempt with a verdict"));
  EXPECT_THAT(shown, HasSubstr("EXPIRED"));
  EXPECT_THAT(shown, HasSubstr("matches  1 of 1 attempt\n           Ends.Fails on embedded"));
  EXPECT_THAT(shown, HasSubstr("3 entries, 2 expired or without a match"));
}

TEST_F(BaselineCommandTest, PruneRemovesWhatIsOverOrMatchesNothing) {
  Write(std::string(kHead) + kPasses + kElsewhere + kOver);
  const std::string tried = Use("prune", 0, {"--dry-run"});
  EXPECT_EQ(ReadText(file_), std::string(kHead) + kPasses + kElsewhere + kOver);
  const std::string pruned = Use("prune", 0);
  EXPECT_THAT(pruned, AllOf(HasSubstr("Ends.Passes: 1 attempt with a verdict, and none"),
                            HasSubstr("Ends.Fails: its last day, 2020-01-31, is over"),
                            HasSubstr("kept"), HasSubstr("2 of 3 removed\n")));
  EXPECT_EQ(ReadText(file_), std::string(kHead) + kElsewhere);
}

TEST_F(BaselineCommandTest, UpdateAddsWhatIsNewAndTheNextRunAcceptsIt) {
  const std::string before = std::string(kHead) + kElsewhere;
  Write(before);
  const std::string added =
      Use("update", 0, {"--reason", "our fork", "--until", "2999-01-31", "--owner", "us"});
  EXPECT_THAT(added,
              AllOf(HasSubstr("added     Ends.Fails on embedded"), Not(HasSubstr("HarnessError"))));
  EXPECT_EQ(ReadText(file_), before + R"(
[[accepted]]
case = "Ends.Fails"
target = "embedded"
guarantees = ["Ordered"]
reason = "our fork"
owner = "us"
until = "2999-01-31"
)");
  EXPECT_THAT(Use("update", 0, {"--reason", "again"}), HasSubstr("no failure that is not"));
  ScriptedRun next({"--filter", "Ends.Fails", "--baseline", file_.string()});
  EXPECT_EQ(next.Wait(), 0) << next.output();
}

TEST_F(BaselineCommandTest, UpdateGivesAnEntryThatIsOverANewDay) {
  Write(std::string(kHead) + kOver);
  ScriptedRun loud({"--filter", "Ends.Fails", "--baseline", file_.string()});
  EXPECT_EQ(loud.Wait(), 1);
  EXPECT_THAT(loud.output(), HasSubstr("accepts Ends.Fails until 2020-01-31, which is over"));
  EXPECT_THAT(Use("update", 4, {"--reason", "still"}), HasSubstr("expected --until with a new"));
  EXPECT_THAT(Use("update", 0, {"--reason", "still", "--until", "2999-12-31"}),
              HasSubstr("extended  "));
  std::string expected = std::string(kHead) + kOver;
  expected.replace(expected.find("2020-01-31"), 10, "2999-12-31");
  EXPECT_EQ(ReadText(file_), expected);
}

TEST_F(BaselineCommandTest, SaysWhatItExpects) {
  EXPECT_THAT(Use("update", 4), HasSubstr("--reason is required"));
  EXPECT_THAT(Use("update", 4, {"--reason", " "}), HasSubstr("expected why"));
  for (const char* day : {"2020-01-31", "soon"}) {
    EXPECT_THAT(Use("update", 4, {"--reason", "x", "--until", day}), HasSubstr("a day to come"));
  }
  EXPECT_THAT(Use("show", 4), HasSubstr("it cannot be read"));
  Write("[[accepted]]\ncase = \"A.B\"\n");
  EXPECT_THAT(Use("prune", 4), HasSubstr("expected 'reason'"));
}

}  // namespace
}  // namespace watchproof
