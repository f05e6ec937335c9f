// SPDX-License-Identifier: Apache-2.0
// Recordings afterwards, through the executable: `check`, `draw` and `history dump`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/base/check.h"
#include "harness/base/prng.h"
#include "harness/checkers/testing/script.h"
#include "harness/cli/testing/scripted_run.h"
#include "harness/history/recorder.h"
#include "harness/results/result.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kStarted =
    R"({"format":1,"case":"Suite.Name","seed":"0x1","version":"3.5.30")";

class Recordings : public testing::Test {
 protected:
  Recordings() {
    const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) / "watchproof-recordings" / test->name();
    fs::remove_all(folder_);
    fs::create_directories(Attempt(1));
  }

  fs::path Attempt(int number) const {
    return folder_ / "cases" / "etcd" / "Suite.Name" / std::to_string(number);
  }

  // As an attempt of the run would leave it.
  fs::path Record(const Script& script, int attempt = 1, std::string_view more = "}") const {
    fs::create_directories(Attempt(attempt));
    const fs::path file = Attempt(attempt) / "history.wire.zst";
    auto recorder = Recorder::Open({.file = file, .follow = false});
    WP_CHECK(recorder.has_value(), "the test can write");
    for (const NumberedEntry& line : script.lines()) {
      Entry entry = line.entry;
      if (entry.kind == EntryKind::kRunStarted) {
        entry.text = std::string(kStarted) + std::string(more);
      }
      (*recorder)->Append(std::move(entry));
    }
    WP_CHECK((*recorder)->Close().ok(), "the test can write");
    return file;
  }

  void AddResult(const std::vector<FindingRecord>& findings, int attempt = 1,
                 Verdict without_findings = Verdict::kPass) const {
    AttemptResult result{.case_name = "Suite.Name", .target = "etcd@3.5.30", .attempt = attempt};
    result.verdict = findings.empty() ? without_findings : Verdict::kFail;
    result.findings = findings;
    result.folder = Attempt(attempt).lexically_relative(folder_).string();
    std::ofstream(folder_ / "results.jsonl", std::ios::app) << ToJsonLine(result) << '\n';
  }

  static std::string Run(Words words, int expected) {
    ScriptedRun run = ScriptedRun::Command(std::move(words));
    EXPECT_EQ(run.Wait(), expected) << run.output();
    return run.output();
  }
  std::string Check(const fs::path& what, int expected) const {
    return Run({"check", what.string()}, expected);
  }
  static std::string Dump(Words words, int expected) {
    words.insert(words.begin(), {"history", "dump"});
    return Run(std::move(words), expected);
  }

  fs::path folder_;
};

Script Good() {
  return Script()
      .Put("k", "a", 2)
      .Watch("k", 2)
      .Watch("j", 2)
      .Created(0, 2)
      .Created(1, 2)
      .Deliver(0, {{2, "k"}});
}
Script Twice() { return Good().Deliver(0, {{2, "k"}}); }
const std::string kWatch = "watch 0 of stream 1 on \"k\" from revision 2";

TEST_F(Recordings, SameFindingsAreNotNew) {
  Record(Twice());
  AddResult({{.guarantee = "Unique", .watch = kWatch, .observed = "in words of another release"}});
  Record(Good(), 2);
  AddResult({}, 2);
  EXPECT_THAT(
      Check(folder_, 0),
      AllOf(HasSubstr("Suite.Name on etcd@3.5.30, attempt 1: same findings as before (fail, "
                      "1 found), 1 in other words"),
            HasSubstr("attempt 2: same as before (pass, 0 found)")));
}

TEST_F(Recordings, JsonHasALineForEachFindingEachRecordingAndTheEnd) {
  Record(Twice());
  AddResult({{.guarantee = "Ordered", .watch = kWatch, .observed = "as it was once"}});
  std::vector<nlohmann::json> lines;
  std::istringstream printed(Run({"check", folder_.string(), "--json"}, 1));
  for (std::string line; std::getline(printed, line);) lines.push_back(nlohmann::json::parse(line));
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0].at("kind"), "finding");
  EXPECT_EQ(lines[0].at("state"), "new");
  EXPECT_EQ(lines[0].at("guarantee"), "Unique");
  EXPECT_EQ(lines[0].at("gravity"), "order");
  EXPECT_EQ(lines[0].at("revisions"), nlohmann::json({2}));
  EXPECT_EQ(lines[0].at("case"), "Suite.Name");
  EXPECT_EQ(lines[0].at("messages").size(), lines[0].at("evidence").size());
  EXPECT_EQ(lines[1].at("state"), "gone");
  EXPECT_EQ(lines[1].at("guarantee"), "Ordered");
  EXPECT_EQ(lines[2].at("kind"), "recording");
  EXPECT_EQ(lines[2].at("sentence"), "changed (was fail): 1 new, 1 gone");
  EXPECT_EQ(lines[3].at("kind"), "end");
  EXPECT_EQ(lines[3].at("new"), 1);
  EXPECT_EQ(lines[3].at("exit_code"), 1);
}

TEST_F(Recordings, JsonHasTheRevisionOfAWriteThatWasNotDelivered) {
  Record(Good().Put("k", "b", 3).Put("k", "c", 4).Deliver(0, {{4, "k"}}));
  std::istringstream printed(Run({"check", folder_.string(), "--json"}, 1));
  std::string line;
  std::getline(printed, line);
  const auto finding = nlohmann::json::parse(line);
  EXPECT_EQ(finding.at("guarantee"), "Reliable") << line;
  EXPECT_EQ(finding.at("revisions"), nlohmann::json({3, 4})) << line;
}

TEST_F(Recordings, JsonSaysWhatCannotBeRead) {
  std::ofstream(Attempt(1) / "history.wire.zst") << "no recording";
  ScriptedRun run = ScriptedRun::Command({"check", folder_.string(), "--json"});
  EXPECT_EQ(run.Wait(), 4);
  EXPECT_THAT(run.output(), AllOf(HasSubstr(R"("kind":"unreadable")"), HasSubstr("\"reason\"")));
}

TEST_F(Recordings, EachOfSeveralFindingsOfOneSubjectIsCompared) {
  Record(Twice());
  const Finding found = Twice().Judge().findings.front();
  FindingRecord first{.guarantee = "Unique", .watch = kWatch, .observed = "of another kind"};
  FindingRecord second{.guarantee = "Unique",
                       .impact = std::string(Impact(found.guarantee)),
                       .watch = kWatch,
                       .expected = found.expected,
                       .observed = found.observed};
  for (const Line line : found.evidence) second.evidence.push_back(line.value);
  second.level = Name(found.level);
  AddResult({first, second});
  EXPECT_THAT(Check(folder_, 0), HasSubstr("same as before (fail, 1 found)"));
}

TEST_F(Recordings, NewFindingsAreReportedAndFail) {
  Record(Twice());
  AddResult({});
  EXPECT_THAT(Check(folder_, 1), AllOf(HasSubstr("changed (was pass): 1 new, 0 gone"),
                                       HasSubstr("new   Unique: " + kWatch)));
}

TEST_F(Recordings, MissingFindingsAreReportedAndDoNotFail) {
  Record(Good());
  AddResult({{.guarantee = "Reliable", .watch = kWatch, .expected = "more"},
             {.guarantee = "Settled", .watch = "every watch"}});
  EXPECT_THAT(Check(folder_, 0), AllOf(HasSubstr("changed (was fail): 0 new, 2 gone"),
                                       HasSubstr("gone  Reliable: " + kWatch)));
}

TEST_F(Recordings, AFileAloneIsJudgedForItself) {
  const fs::path elsewhere = folder_ / "alone.zst";
  fs::rename(Record(Good()), elsewhere);
  EXPECT_THAT(Check(elsewhere, 0), HasSubstr("on version 3.5.30, attempt 1: clean"));
  fs::rename(Record(Twice()), elsewhere);
  EXPECT_THAT(Check(elsewhere, 1), HasSubstr("1 found; no earlier verdict"));
}

TEST_F(Recordings, FindingsOfAnotherCauseSaySo) {
  Script script = Script().Put("j", "a", 2).Watch("j", 3, {.id = -1}).Created(-1, 2);
  for (std::int64_t id = 10; id < 16; ++id) script.Watch("k", 2, {.id = id}).Created(id, 2);
  script.Watch("k", 5, {.id = 9}).Created(9, 2).Progress(-1, 2).Compact(2);
  for (std::int64_t id = 10; id < 16; ++id) script.Compacted(id, 2);
  const fs::path elsewhere = folder_ / "alone.zst";
  fs::rename(Record(script.Compacted(9, 2)), elsewhere);
  EXPECT_THAT(Check(elsewhere, 1), AllOf(HasSubstr("looks like watch-id-of-minus-one"),
                                         HasSubstr("looks like nothing that is known"),
                                         HasSubstr("and   2 of CompactionSurfaced more")));
}

TEST_F(Recordings, OfAProxyAreDrawnWithTheirFileAndWhatTheyShow) {
  const fs::path file = folder_ / "production.zst";
  auto recorder = Recorder::Open({.file = file, .follow = false}).value();
  const Script good = Good();
  for (const NumberedEntry& line : good.lines()) {
    Entry entry = line.entry;
    if (entry.kind == EntryKind::kRunStarted) entry.text = R"({"format":1,"passive":true})";
    recorder->Append(std::move(entry));
  }
  ASSERT_TRUE(recorder->Close().ok());
  EXPECT_THAT(Run({"draw", file.string()}, 0),
              AllOf(HasSubstr("recording production.zst, until 20"), HasSubstr(file.string()),
                    HasSubstr("nothing: clean, as far as the recording shows"),
                    HasSubstr("2 watches of clients received 1 event")));
}

TEST_F(Recordings, AreDrawnWithTheirFirstFinding) {
  const fs::path svg = folder_ / "bug.svg";
  const fs::path file = Record(Twice());
  Run({"draw", file.string(), "-o", svg.string()}, 0);
  EXPECT_THAT(ReadText(svg),
              AllOf(HasSubstr("Suite.Name on version 3.5.30"), HasSubstr("2 again")));
  Run({"draw", file.string(), "-o", (folder_ / "bug.json").string()}, 0);
  EXPECT_THAT(ReadText(folder_ / "bug.json"),
              AllOf(HasSubstr("traceEvents"), HasSubstr("2 again")));
  EXPECT_THAT(Run({"draw", file.string(), "-o", "bug.png"}, 4),
              HasSubstr("bug.png: expected a name that ends with .svg"));
  // One that passed has a picture, too.
  Record(Good());
  AddResult({});
  EXPECT_THAT(
      Run({"draw", folder_.string(), "--case", "Suite.Name"}, 0),
      AllOf(HasSubstr("<svg"), Not(HasSubstr("first wrong moment")), HasSubstr(">nothing: pass<")));
  EXPECT_THAT(Run({"draw", folder_.string(), "--case", "Suite.Other"}, 4),
              HasSubstr("no recording of Suite.Other in it"));
}

TEST_F(Recordings, AreJudgedWithTheOptionsOfTheirRun) {
  const Script at_the_floor =
      Script().Put("k", "a", 2).Compact(2).Watch("k", 2).Created(0, 2).Compacted(0, 2);
  Record(at_the_floor, 1, R"(,"permit_compacted_at_the_floor":true})");
  Check(folder_, 0);
  Record(at_the_floor, 1, R"(,"permit_compacted_at_the_floor":false})");
  EXPECT_THAT(Check(folder_, 1), HasSubstr("CompactionSurfaced"));
}

// Events that had not arrived when the recorder ended are neither a finding nor a pass.
TEST_F(Recordings, CutOffRecordingsAreJudgedUpToTheLastVerifiedLine) {
  Script script;
  script.Watch("k", 2).Created(0, 1);
  Prng prng(1);
  for (int revision = 2; revision < 600; ++revision) {
    script.Put("k", prng.Word(12000), revision);
    if (revision % 50 == 49) {
      std::vector<Written> batch;
      for (int i = revision - (revision == 49 ? 47 : 49); i <= revision; ++i) {
        batch.push_back({i, "k"});
      }
      script.Deliver(0, batch);
    }
  }
  const fs::path file = Record(script);
  fs::resize_file(file, fs::file_size(file) * 9 / 10);
  const std::string output = Check(file, 2);
  EXPECT_THAT(output, HasSubstr("inconclusive: cut off after line"));
  EXPECT_THAT(output, AllOf(Not(HasSubstr("clean")), Not(HasSubstr("judged up to line 0"))));
  EXPECT_THAT(Dump({file.string()}, 2), HasSubstr("history.wire.zst: cut off after line"));
}

TEST_F(Recordings, DamagedRecordingsAreNeverSameAsBefore) {
  const auto flip = [this](const fs::path& file) {
    std::string contents = ReadText(file);
    contents[contents.size() / 2] ^= 1;
    std::ofstream(file, std::ios::binary) << contents;
  };
  flip(Record(Good()));
  AddResult({});
  flip(Record(Twice(), 2));
  AddResult({{.guarantee = "Unique", .watch = kWatch}}, 2);
  const std::string output = Check(folder_, 2);
  EXPECT_THAT(output,
              AllOf(HasSubstr("inconclusive: damaged after line 0: the checksum of the chunk "
                              "at byte 0 does not match; was pass"),
                    HasSubstr("was fail"), HasSubstr("judged up to line 0 of")));
  EXPECT_THAT(output, AllOf(Not(HasSubstr("same as before")), Not(HasSubstr("gone"))));
}

TEST_F(Recordings, EmptyRecordingsAreInconclusive) {
  const fs::path file = Record(Good());
  std::ofstream(file, std::ios::trunc).close();
  EXPECT_THAT(Check(file, 2), HasSubstr("inconclusive: cut off after line 0: the file is empty"));
  AddResult({});
  EXPECT_THAT(Check(file, 2), HasSubstr("the file is empty; was pass"));
  EXPECT_THAT(Dump({file.string()}, 2), HasSubstr("the file is empty"));
}

TEST_F(Recordings, WithoutAWatchNothingIsProven) {
  const auto recorder = Recorder::Open({.file = Attempt(1) / "history.wire.zst", .follow = false});
  ASSERT_TRUE(recorder.has_value() && (*recorder)->Close().ok());
  EXPECT_THAT(Check(folder_, 2), HasSubstr("inconclusive: there is no watch in it; no earlier"));
  Record(Script().Put("k", "a", 2), 2);
  AddResult({}, 2);
  EXPECT_THAT(Check(Attempt(2), 2), HasSubstr("inconclusive: there is no watch in it; was pass"));
}

TEST_F(Recordings, UndecidedIsInconclusiveUnlessItWasBefore) {
  const Script undecided = Good()
                               .StartPut(7, "k", "b")
                               .FailCall(7, Method::kPut, StatusCode::kUnavailable)
                               .Put("k", "c", 4)
                               .Deliver(0, {{4, "k"}});
  Record(undecided);
  EXPECT_THAT(Check(folder_, 2), AllOf(HasSubstr("inconclusive: nothing found, but not everything"),
                                       HasSubstr("undecided: ")));
  AddResult({});
  EXPECT_THAT(Check(folder_, 2), HasSubstr("could be decided; was pass"));
  fs::remove(folder_ / "results.jsonl");
  AddResult({}, 1, Verdict::kInconclusive);
  EXPECT_THAT(Check(folder_, 0), HasSubstr("same as before (inconclusive, 0 found)"));
}

// One recording that cannot be opened does not hide what others show.
TEST_F(Recordings, AllAreJudgedAndTheWorstDecides) {
  const fs::path cut = Record(Good());
  fs::resize_file(cut, 100);
  const fs::path text = folder_ / "text";
  std::ofstream(text) << "hello, this is only text";
  const fs::path bad = folder_ / "bad.zst";
  fs::rename(Record(Twice(), 2), bad);
  const auto check = [](const std::vector<fs::path>& files, int expected) {
    Words words = {"check"};
    for (const fs::path& file : files) words.push_back(file.string());
    return Run(std::move(words), expected);
  };
  EXPECT_THAT(
      check({cut, text, bad}, 1),
      AllOf(HasSubstr("cut off"), HasSubstr("text is not a watchproof"), HasSubstr("1 found")));
  check({text, cut}, 4);
  check({cut}, 2);
}

TEST_F(Recordings, BadArgumentsAreNamed) {
  EXPECT_THAT(Check(folder_ / "nowhere", 4), HasSubstr("nowhere: there is no such file"));
  EXPECT_THAT(Check(folder_, 4), HasSubstr("no recording (history.wire.zst) in it"));
  std::ofstream(folder_ / "text") << "hello, this is only text";
  EXPECT_THAT(Check(folder_ / "text", 4), HasSubstr("is not a watchproof history"));
  const fs::path file = Record(Good());
  EXPECT_THAT(Dump({file.string(), "--watch", "one"}, 4), HasSubstr("'one' is not STREAM:NUMBER"));
  EXPECT_THAT(Dump({file.string(), "--watch", "1:9"}, 4), HasSubstr("no watch 1:9"));
  Record(Good(), 2);
  EXPECT_THAT(Dump({folder_.string()}, 4), HasSubstr("2 recordings in it; name one"));
}

TEST_F(Recordings, DumpShowsEveryLineOrThoseOfAWatch) {
  Record(Good());
  const std::string all = Dump({folder_.string()}, 0);
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'),
            static_cast<std::ptrdiff_t>(Good().lines().size()));
  const std::string first = Dump({folder_.string(), "--watch", "1:0"}, 0);
  EXPECT_EQ(std::count(first.begin(), first.end(), '\n'), 4);  // opened, asked, created, given
  EXPECT_THAT(first, Not(HasSubstr("\"j\"")));
}

}  // namespace
}  // namespace watchproof
