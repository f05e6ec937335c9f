// SPDX-License-Identifier: Apache-2.0
// `explain` through its executable: the words of the documents' own tables, and bugs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "harness/cli/testing/scripted_run.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

const fs::path kSources = WP_SOURCES;

std::string Trimmed(std::string text) {
  text.erase(0, text.find_first_not_of(" `*"));
  return text.substr(0, text.find_last_not_of(" `*") + 1);
}

std::vector<std::string> Split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, at);) parts.push_back(Trimmed(part));
  return parts;
}

// The first column of each table of words: "4, 5" are two.
std::set<std::string> WordsOfTables(const fs::path& document) {
  const std::set<std::string> heads{"verdict", "level", "exit code", "outcome", "word"};
  std::set<std::string> words;
  std::ifstream in(document);
  std::string head;
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("|")) {
      head.clear();
      continue;
    }
    const std::string first = Split(line, '|').at(1);
    if (head.empty()) {
      head = first;
    } else if (heads.contains(head.substr(0, head.find(" (")))) {
      if (first.starts_with("--")) continue;
      for (const std::string& word : Split(first, ',')) words.insert(word);
    }
  }
  return words;
}

std::string Explained(const std::string& word) {
  ScriptedRun run =
      ScriptedRun::Command({"explain", word}, {{"WATCHPROOF_CACHE", "/no/such/cache"}});
  EXPECT_EQ(run.Wait(), 0) << run.output();
  return run.output();
}

TEST(Explain, KnowsTheWordsOfTheTablesInTheDocuments) {
  std::vector<fs::path> documents{kSources / "README.md", kSources / "harness/README.md"};
  for (const auto& entry : fs::directory_iterator(kSources / "harness/docs/manual")) {
    documents.push_back(entry.path());
  }
  std::set<std::string> words;
  for (const fs::path& document : documents) words.merge(WordsOfTables(document));
  EXPECT_THAT(words, IsSupersetOf({"pass", "fixed early", "harness error", "5", "143"}));
  for (const std::string& word : words) EXPECT_THAT(Explained(word), HasSubstr(". ")) << word;
}

TEST(Explain, KnowsWordsAsReportsPrintThem) {
  for (const char* word : {"known",
                           "FAIL",
                           "harness_error",
                           "FIXED EARLY",
                           "no target",
                           "undecided",
                           "as declared",
                           "standing promise",
                           "closing questions",
                           "answer key",
                           "planted",
                           "kept",
                           "direct",
                           "buckets",
                           "situations",
                           "triples",
                           "victims",
                           "gravity",
                           "level",
                           "must",
                           "before",
                           "bugs of both apart",
                           "looks like",
                           "progress-held-back",
                           "signature"}) {
    EXPECT_THAT(Explained(word), HasSubstr(".")) << word;
  }
}

TEST(Explain, TakesSeveralWordsAsOneName) {
  ScriptedRun run = ScriptedRun::Command({"explain", "fixed", "early"});
  EXPECT_EQ(run.Wait(), 0) << run.output();
  EXPECT_THAT(run.output(), HasSubstr("fixed early (verdict)"));
}

TEST(Explain, OfABugEndsWithTheCommandThatShowsIt) {
  for (const char* name : {"20221", "#20221"}) {
    EXPECT_THAT(Explained(name),
                EndsWith("watchproof fetch etcd 3.5.16 && watchproof run --target etcd@3.5.16 "
                         "--filter Bookmarkable.FutureStart\n"));
  }
  EXPECT_THAT(Explained("GHSA-xg4h-6gfc-h4m8"), HasSubstr("--filter Authorized.OpenEndedRange"));
}

TEST(Explain, OfABugWithoutACommandEndsWithTheReason) {
  ScriptedRun bugs = ScriptedRun::Command({"bugs", "--json"});
  EXPECT_EQ(bugs.Wait(), 0);
  std::istringstream lines(bugs.output());
  int without = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto facts = nlohmann::json::parse(line).at("facts");
    const auto has = [&facts](const char* fact) {
      return !facts.at(fact).get<std::string>().empty();
    };
    if (has("see it")) continue;
    ++without;
    EXPECT_TRUE(has("met by") || has("permitted") || has("not shown")) << line;
  }
  EXPECT_GT(without, 0);
}

}  // namespace
}  // namespace watchproof
