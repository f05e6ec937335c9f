// SPDX-License-Identifier: Apache-2.0
// The form of the checkers' tests: a row is a situation, its history and its expected findings.
//
//   INSTANTIATE_TEST_SUITE_P(Ordered, TruthTable, testing::ValuesIn(std::vector<Row>{
//       {"GoesBack", Script().Put(...)..., {"Ordered"}},
//   }), RowName);
//
// All checkers judge each row, once as it is and once with a judge that forgets changes as soon as
// possible; both must make exactly the listed findings.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "harness/checkers/testing/script.h"

namespace watchproof {

struct Row {
  std::string name;
  Script history;
  std::vector<std::string> findings{};  // names of guarantees, one per finding, in any order
  bool undecided = false;
  JudgeOptions options{};
  std::vector<std::string> notes{};  // likewise, of the level may
};

inline std::string RowName(const testing::TestParamInfo<Row>& info) { return info.param.name; }
inline void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

inline std::string Story(const Judgement& judgement) {
  std::string story;
  for (const Finding& finding : judgement.findings) {
    story += fmt::format("{}: {}\n  expected {}\n  observed {}\n", Name(finding.guarantee),
                         finding.watch, finding.expected, finding.observed);
  }
  for (const Finding& note : judgement.notes) {
    story += fmt::format("note: {}: {}\n  expected {}\n  observed {}\n", Name(note.guarantee),
                         note.watch, note.expected, note.observed);
  }
  for (const std::string& reason : judgement.undecided) story += "undecided: " + reason + "\n";
  return story;
}

class TruthTable : public testing::TestWithParam<Row> {};

inline void ExpectOf(const Row& row, const Judgement& judgement) {
  std::vector<std::string> found;
  for (const Finding& finding : judgement.findings) {
    found.emplace_back(Name(finding.guarantee));
    EXPECT_FALSE(finding.expected.empty() || finding.observed.empty() || finding.watch.empty());
    EXPECT_FALSE(finding.evidence.empty());
  }
  EXPECT_THAT(found, testing::UnorderedElementsAreArray(row.findings)) << Story(judgement);
  EXPECT_EQ(!judgement.undecided.empty(), row.undecided) << Story(judgement);
  std::vector<std::string> notes;
  for (const Finding& note : judgement.notes) {
    notes.emplace_back(Name(note.guarantee));
    EXPECT_EQ(note.level, Level::kMay);
  }
  EXPECT_THAT(notes, testing::UnorderedElementsAreArray(row.notes)) << Story(judgement);
}

inline void ExpectRow(const Row& row) {
  ExpectOf(row, row.history.Judge(row.options));
  JudgeOptions forgetful = row.options;
  forgetful.least_held = 0;
  SCOPED_TRACE("forgetting at once");
  ExpectOf(row, row.history.Judge(forgetful));
}

}  // namespace watchproof
