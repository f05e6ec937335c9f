// SPDX-License-Identifier: Apache-2.0
// The contract and what tests and judges it name each other: no clause without a test, no case
// without a clause, and no finding without one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>

#include "cases/support/case_registry.h"
#include "harness/bugs/answer_key.h"
#include "harness/checkers/guarantee.h"
#include "harness/promises/promise.h"

namespace watchproof {
namespace {

using Ids = std::set<std::string, std::less<>>;

const std::vector<Clause>& Clauses() { return Contract::BuiltIn().clauses(); }

bool IsCase(std::string_view name) {
  const std::string suite(name.substr(0, name.find('.') + 1));
  return std::ranges::any_of(AllCases(), [&](const CaseInfo& one) {
    return one.name == name || (name.ends_with(".*") && one.name.starts_with(suite));
  });
}

TEST(ContractNames, AreThoseOfWhatThereIs) {
  Ids guarantees, promises;
  for (const Guarantee guarantee : AllGuarantees()) guarantees.emplace(Name(guarantee));
  for (const StandingPromise& promise : StandingPromises()) promises.emplace(promise.name);
  for (const Clause& clause : Clauses()) {
    EXPECT_TRUE(guarantees.contains(clause.guarantee)) << clause.guarantee << " of " << clause.id;
    for (const std::string& name : clause.cases) {
      EXPECT_TRUE(IsCase(name)) << name << " of " << clause.id;
    }
    for (const std::string& name : clause.promises) {
      EXPECT_TRUE(promises.contains(name)) << name << " of " << clause.id;
    }
  }
}

// Those of consumers are about them, and no promise of a store; self-tests are about watchproof.
TEST(ContractNames, EveryCaseTestsAClause) {
  for (const CaseInfo& info : AllCases()) {
    if (info.of_consumers || info.file.starts_with("cases/selftest/")) continue;
    EXPECT_FALSE(Contract::BuiltIn().TestedBy(info.name).empty())
        << info.name << ": add it to a clause of fixtures/contract/etcd.toml";
  }
}

TEST(ContractNames, EverySentenceIsThereOnceAndIdsAreCountedOn) {
  Ids sentences;
  std::map<char, int> last;
  for (const Clause& clause : Clauses()) {
    EXPECT_TRUE(sentences.insert(clause.says).second) << clause.says;
    EXPECT_EQ(clause.id, fmt::format("{}-{}", clause.id[0], ++last[clause.id[0]]));
    EXPECT_TRUE(clause.source.starts_with("https://")) << clause.id;
  }
}

// A finding with another one would end the program.
TEST(ContractNames, CheckersNameClausesThatThereAre) {
  const std::regex named("\"([A-Z]-[0-9]+)\"");
  Ids found;
  for (const auto& file :
       std::filesystem::directory_iterator(std::string(WP_SOURCES) + "/harness/checkers")) {
    if (!file.is_regular_file() || file.path().stem().string().ends_with("_test")) continue;
    std::ifstream stream(file.path());
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    for (std::sregex_iterator one(text.begin(), text.end(), named); one != std::sregex_iterator();
         ++one) {
      found.insert((*one)[1].str());
      EXPECT_NE(Contract::BuiltIn().Find((*one)[1].str()), nullptr) << file.path();
    }
  }
  for (const Guarantee guarantee : AllGuarantees()) {
    const Clause& headline = HeadlineOf(guarantee);
    EXPECT_EQ(headline.guarantee, Name(guarantee));
    EXPECT_TRUE(found.contains(headline.id));
  }
}

// What a score takes from a release that has the bug.
TEST(ContractNames, KnownBugsThatCasesShowNameTheClausesThatTheyBreak) {
  for (const AnswerKey& key : AnswerKey::All()) {
    for (const Bug& bug : key.bugs()) {
      EXPECT_EQ(bug.clauses.empty(), bug.shown.empty()) << bug.name;
      Ids broken;
      for (const ShownBy& shown : bug.shown) {
        broken.insert(shown.guarantees.begin(), shown.guarantees.end());
      }
      for (const std::string& id : bug.clauses) {
        const Clause* const clause = Contract::BuiltIn().Find(id);
        ASSERT_NE(clause, nullptr) << id << " of " << bug.name;
        EXPECT_TRUE(broken.contains(clause->guarantee))
            << bug.name << " breaks " << id << ", and no case shows that of " << clause->guarantee;
      }
    }
  }
}

}  // namespace
}  // namespace watchproof
