// SPDX-License-Identifier: Apache-2.0
#include "harness/report/mutation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/report/formats.h"

namespace watchproof {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr TerminalStyle kPlain{.colour = false, .charset = Charset::kUtf8, .width = 100};

// An attempt on a target in which these guarantees were found broken.
AttemptSummary Attempt(const std::string& target, const std::string& name,
                       const std::vector<std::string>& broken) {
  AttemptSummary note;
  note.result.target = target;
  note.result.case_name = name;
  note.result.verdict = broken.empty() ? Verdict::kPass : Verdict::kFail;
  for (const std::string& guarantee : broken) {
    note.result.findings.push_back({.guarantee = guarantee});
  }
  return note;
}

// One defect, "d", that Ordered and Unique must catch; what was found with it, and without it.
RunRecord With(const std::vector<std::string>& found, const std::vector<std::string>& clean = {}) {
  RunRecord record;
  record.targets = {{.text = "embedded"}, {.text = "embedded+d"}};
  record.defects = {
      {.name = "d", .target = "embedded+d", .upstream = "#7", .guarantees = {"Ordered", "Unique"}}};
  record.attempts = {Attempt("embedded", "A.One", clean), Attempt("embedded+d", "A.One", found),
                     Attempt("embedded+d", "B.Two", {})};
  return record;
}
Catch OutcomeWith(const std::vector<std::string>& found) {
  return Mutations(With(found)).rows.at(0).outcome;
}

TEST(Mutations, AreCaughtOnlyByAllDeclaredGuarantees) {
  EXPECT_EQ(OutcomeWith({"Ordered", "Unique"}), Catch::kCaught);
  EXPECT_EQ(OutcomeWith({"Ordered", "Unique", "Settled"}), Catch::kCaught);
  EXPECT_EQ(OutcomeWith({"Ordered", "Settled"}), Catch::kInPart);
  EXPECT_EQ(OutcomeWith({"Settled"}), Catch::kByOthersOnly);
  EXPECT_EQ(OutcomeWith({}), Catch::kMissed);
}

TEST(Mutations, AreCaughtByFindingsOnly) {
  RunRecord record = With({});
  record.attempts[1].result.verdict = Verdict::kHarnessError;
  record.attempts[2].result.verdict = Verdict::kInconclusive;
  EXPECT_FALSE(Mutations(record).AllCaught());
}

TEST(Mutations, IgnoreFindingsOnOtherTargets) {
  RunRecord record = With({});
  record.attempts.push_back(Attempt("embedded+e", "A.One", {"Ordered", "Unique"}));
  EXPECT_EQ(Mutations(record).rows.at(0).outcome, Catch::kMissed);
  EXPECT_TRUE(Mutations(record).CleanIsClean());
}

TEST(Mutations, NeedARunOfTheCleanStoreWithoutFindings) {
  EXPECT_TRUE(Mutations(With({"Ordered"})).CleanIsClean());
  EXPECT_FALSE(Mutations(With({}, {"Reliable"})).CleanIsClean());
  RunRecord unrun = With({"Ordered", "Unique"});
  unrun.attempts.erase(unrun.attempts.begin());
  EXPECT_FALSE(Mutations(unrun).CleanIsClean());
  EXPECT_THAT(MutationSentence(unrun), HasSubstr("the clean store was not run"));
}

TEST(MutationText, ListsGuaranteesAndCasesPerDefect) {
  EXPECT_EQ(MutationText(With({"Ordered", "Settled"}), kPlain),
            "  d            #7        caught in part\n"
            "      Ordered               A.One\n"
            "      Unique                by no case\n"
            "      also                  Settled in 1 case\n"
            "  clean store            no finding in 1 attempt\n");
}

TEST(MutationText, ListsFindingsOnTheCleanStore) {
  EXPECT_THAT(MutationText(With({}, {"Reliable"}), kPlain), HasSubstr("FOUND Reliable in 1 case"));
}

TEST(MutationReports, AreInTheFilesOfTheRun) {
  const RunRecord record = With({"Ordered", "Unique"});
  EXPECT_THAT(Render("summary.md", record),
              HasSubstr("| d | #7 | caught | **Ordered**: A.One<br>"));
  EXPECT_EQ(MutationJson(record).at("defects").at(0).at("verdict"), "caught");
  EXPECT_THAT(Sentence(record), HasSubstr("All of 1 planted defect caught"));
  RunRecord plain = record;
  plain.defects.clear();
  EXPECT_THAT(Render("summary.md", plain), Not(HasSubstr("**Ordered**")));
}

}  // namespace
}  // namespace watchproof
