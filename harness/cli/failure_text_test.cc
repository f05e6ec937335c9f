// SPDX-License-Identifier: Apache-2.0
// The output of `check` for one recording per defect, made by a run against it, compared with the
// reviewed text. WATCHPROOF_WRITE_TEXTS=1 writes the texts again, to be reviewed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "harness/cli/testing/scripted_run.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRecording = ".wire.zst";
const fs::path kFailures = WP_FAILURES;

std::set<std::string> Recorded() {
  std::set<std::string> names;
  for (const auto& file : fs::directory_iterator(kFailures)) {
    const std::string name = file.path().filename().string();
    if (name.ends_with(kRecording)) names.insert(name.substr(0, name.size() - kRecording.size()));
  }
  return names;
}

class FailureText : public testing::TestWithParam<std::string> {};

TEST_P(FailureText, IsAsReviewed) {
  ScriptedRun check = ScriptedRun::Command(
      {"check", (kFailures / (GetParam() + std::string(kRecording))).string()});
  EXPECT_EQ(check.Wait(), 1) << "the defect is no longer found";
  const fs::path reviewed = kFailures / (GetParam() + ".txt");
  if (std::getenv("WATCHPROOF_WRITE_TEXTS") != nullptr) std::ofstream(reviewed) << check.output();
  EXPECT_EQ(check.output(), ReadText(reviewed));
}

std::string WithoutHyphens(const testing::TestParamInfo<std::string>& defect) {
  std::string name = defect.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Defects, FailureText, testing::ValuesIn(Recorded()), WithoutHyphens);

TEST(FailureTexts, AreThereForEveryDefect) {
  ScriptedRun list = ScriptedRun::Command({"list", "defects"});
  EXPECT_EQ(list.Wait(), 0);
  std::set<std::string> defects;
  std::istringstream lines(list.output());
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    if (line.starts_with("  ") && words >> name) defects.insert(name);
  }
  EXPECT_EQ(Recorded(), defects);
}

}  // namespace
}  // namespace watchproof
