// SPDX-License-Identifier: Apache-2.0
// The form of the tests of the key-value guarantees: a row is a situation, its calls and the
// expected findings of all checkers together.
//
//   INSTANTIATE_TEST_SUITE_P(Durable, CallTable, testing::ValuesIn(std::vector<CallRow>{
//       {"TwoWritesShareARevision", CallScript().Put("a", "1", 2).Put("b", "1", 2), {"Durable"}},
//   }), CallRowName);
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "harness/checkers/testing/call_script.h"

namespace watchproof {

struct CallRow {
  std::string name;
  CallScript history;
  std::vector<std::string> findings{};  // names of guarantees, one per finding, in any order
  bool undecided = false;
};

inline std::string CallRowName(const testing::TestParamInfo<CallRow>& info) {
  return info.param.name;
}
inline void PrintTo(const CallRow& row, std::ostream* out) { *out << row.name; }

inline std::string Story(const Judgement& judgement) {
  std::string story;
  for (const Finding& finding : judgement.findings) {
    story += fmt::format("{}: {}\n  expected {}\n  observed {}\n", Name(finding.guarantee),
                         finding.watch, finding.expected, finding.observed);
  }
  for (const std::string& reason : judgement.calls.undecided)
    story += "undecided: " + reason + "\n";
  return story;
}

class CallTable : public testing::TestWithParam<CallRow> {};

inline void ExpectCallRow(const CallRow& row) {
  const Judgement judgement = row.history.Judge();
  std::vector<std::string> found;
  for (const Finding& finding : judgement.findings) {
    found.emplace_back(Name(finding.guarantee));
    EXPECT_FALSE(finding.expected.empty() || finding.observed.empty() || finding.watch.empty());
    EXPECT_GE(finding.evidence.size(), 2u);
  }
  EXPECT_THAT(found, testing::UnorderedElementsAreArray(row.findings)) << Story(judgement);
  EXPECT_EQ(!judgement.calls.undecided.empty(), row.undecided) << Story(judgement);
}

}  // namespace watchproof
