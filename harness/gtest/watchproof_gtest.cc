// SPDX-License-Identifier: Apache-2.0
#include "harness/gtest/watchproof_gtest.h"

#include <absl/synchronization/mutex.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "harness/base/check.h"
#include "harness/base/escape.h"
#include "harness/cli/cli.h"
#include "harness/cli/commands.h"
#include "harness/cli/run_flags.h"
#include "harness/report/rows.h"
#include "harness/report/text.h"
#include "harness/runs/run.h"

namespace watchproof {
namespace {

// What the tests of this program share. Set by the two public functions and, while tests run, by
// RunEnvironment.
struct Shared {
  std::string executable;
  RunOptions options;
  bool inconclusive_fails = false;
  std::unique_ptr<Run> run;
};
Shared& Program() {
  static Shared shared;
  return shared;
}

class ConformanceTest : public testing::Test {
 public:
  ConformanceTest(CaseInfo info, TargetSpec target)
      : case_(std::move(info)), target_(std::move(target)) {}

  void TestBody() override {
    const RunRecord& record = Program().run->record();
    const std::size_t before = record.attempts.size();
    Program().run->RunCases({case_}, {target_});
    std::string skipped;
    for (std::size_t i = before; i < record.attempts.size(); ++i) {
      const std::string reason = Judge(record, record.attempts[i]);
      if (skipped.empty()) skipped = reason;
    }
    if (record.attempts.size() == before) skipped = WhyNotRun(record);
    if (!skipped.empty() && !HasFailure()) GTEST_SKIP() << skipped;
  }

 private:
  void Fail(const std::string& text) const {
    ADD_FAILURE_AT(case_.file.c_str(), case_.line) << text;
  }

  // Why the attempt proves nothing; empty if it passed, or failed and was reported as such.
  std::string Judge(const RunRecord& record, const AttemptSummary& attempt) const {
    const AttemptResult& result = attempt.result;
    RecordProperty("target", result.target);
    RecordProperty("seed", result.seed);
    RecordProperty("verdict", std::string(Name(result.verdict)));
    RecordProperty("folder", PathOf(record, result, ""));
    const std::string repeat = "repeat: " + RowOf(record, attempt).repeat;
    const std::string reason = Escaped(result.reason);
    switch (OutcomeOf(attempt)) {
      case Outcome::kPass:
        return {};
      case Outcome::kRegression:
        Fail("regression: " + reason);
        [[fallthrough]];
      case Outcome::kFail:
        for (const FindingRecord& finding : result.findings)
          Fail(CleanText(ToText(finding)) + repeat);
        if (result.findings.empty()) Fail(reason + "\n" + repeat);
        return {};
      case Outcome::kInconclusive:
        if (!Program().inconclusive_fails) return "inconclusive: " + reason;
        Fail("inconclusive: " + reason + "\n" + repeat);
        return {};
      case Outcome::kFixedEarly:
        Fail("fixed early: " + reason + "\n" + repeat);
        return {};
      case Outcome::kTargetFailed:
        Fail("the target failed: " + reason + "\n" + repeat);
        return {};
      case Outcome::kHarnessError:
        Fail("harness error, which says nothing about the target: " + reason + "\n" + repeat);
        return {};
      case Outcome::kKnown:
        return "known failure: " + reason;
      default:
        return fmt::format("{}: {}", StyleOf(OutcomeOf(attempt)).word, reason);
    }
  }

  std::string WhyNotRun(const RunRecord& record) const {
    if (!record.interrupted.empty()) {
      Fail("not run: " + record.interrupted);
      return {};
    }
    if (record.named_not_fetched) {
      Fail("not fetched; see `watchproof fetch --help`");
      return {};
    }
    return "not fetched";
  }

  const CaseInfo case_;
  const TargetSpec target_;
};

// A registered test; GoogleTest decides which of them will run.
struct Registered {
  const testing::TestInfo* test;
  CaseInfo info;
  TargetSpec target;
};

// Around all tests: one run, with one folder, of those tests that GoogleTest selected.
class RunEnvironment : public testing::Environment {
 public:
  explicit RunEnvironment(std::vector<Registered> registered)
      : registered_(std::move(registered)) {}

  void SetUp() override {
    tl::expected<Run, CommandEnd> run = Run::Prepare(Program().options, Program().executable);
    ASSERT_TRUE(run.has_value()) << run.error().why;
    std::set<std::string> selected, on;
    for (const Registered& one : registered_) {
      if (!one.test->should_run()) continue;
      selected.insert(one.info.name);
      on.insert(one.target.text);
    }
    std::vector<CaseInfo> cases = run->cases();
    std::erase_if(cases, [&](const auto& info) { return !selected.contains(info.name); });
    std::vector<TargetSpec> targets = run->targets();
    std::erase_if(targets, [&](const auto& target) { return !on.contains(target.text); });
    if (cases.empty()) return;
    run->KeepOnly(std::move(cases), std::move(targets));
    Program().run = std::make_unique<Run>(std::move(run).value());
    const std::optional<CommandEnd> refused = Program().run->Begin();
    if (refused) Program().run.reset();
    ASSERT_FALSE(refused.has_value()) << refused->why;
  }

  void TearDown() override {
    if (Program().run == nullptr) return;
    ReportEnd(Program().run->End());
    fmt::print("Report: {}/report.html\n", Program().run->record().folder);
    RemoveOldRuns(Program().run->folder().run_dir(), Program().options.keep_runs);
    Program().run.reset();
  }

 private:
  const std::vector<Registered> registered_;
};

// An identifier, since '-' and ':' mean something in --gtest_filter: "etcd_3_5_16".
std::string SuitePrefix(const TargetSpec& target, std::set<std::string>& taken) {
  std::string name = target.Label("");
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  while (!taken.insert(name).second) name += '_';
  return name;
}

void RegisterAll(const Run& run) {
  std::set<std::string> taken;
  std::vector<Registered> registered;
  for (const TargetSpec& target : run.targets()) {
    const std::string prefix = SuitePrefix(target, taken);
    for (const CaseInfo& info : run.cases()) {
      const std::size_t dot = info.name.find('.');
      const std::string suite = prefix + "/" + info.name.substr(0, dot);
      // No value parameter, though the target would be one: CMake takes it for a part of the name,
      // and a filter with that name matches nothing.
      const testing::TestInfo* test = testing::RegisterTest(
          suite.c_str(), info.name.substr(dot + 1).c_str(), nullptr, nullptr, info.file.c_str(),
          info.line,
          [info, target]() -> testing::Test* { return new ConformanceTest(info, target); });
      registered.push_back({test, info, target});
    }
  }
  testing::AddGlobalTestEnvironment(new RunEnvironment(std::move(registered)));
}

// GoogleTest applies its variables itself, to names that include the target.
void LeaveSelectionToGoogleTest(RunOptions& options) {
  const auto from_google_test = [&](const char* flag) {
    const auto origin = options.origins.find(flag);
    return origin != options.origins.end() && origin->second.origin == "environment of GoogleTest";
  };
  if (from_google_test("--filter")) options.selection.filter = Selection().filter;
  if (from_google_test("--shard")) options.shard = {};
}

}  // namespace

void InitWatchproof(int argc, char** argv) {
  // The locks inside gRPC, see harness/cli/main.cc.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  RunIfCommand(argc, argv);
  Program().executable = argv[0];
}

Status RegisterCases(const std::vector<std::string>& flags) {
  WP_CHECK(!Program().executable.empty(), "InitWatchproof comes first");
  CLI::App app("Every conformance case on every target as a GoogleTest test.");
  RunFlags run_flags(app);
  std::string inconclusive = "skip";
  app.add_option("--inconclusive", inconclusive, "What GoogleTest shows then: skip (default), fail")
      ->check(CLI::IsMember({"skip", "fail"}));
  try {
    app.parse(std::vector<std::string>(flags.rbegin(), flags.rend()));
  } catch (const CLI::CallForHelp&) {
    fmt::print("\n{}", app.help());
    return {};
  } catch (const CLI::ParseError& error) {
    return watchproof::Fail(StatusCode::kInvalidArgument, "{}", error.what());
  }
  WP_ASSIGN_OR_RETURN(RunOptions options, run_flags.Resolve(flags));
  LeaveSelectionToGoogleTest(options);
  options.print_results = false;
  options.progress = When::kNever;
  const tl::expected<Run, CommandEnd> run = Run::Prepare(options, Program().executable);
  if (!run.has_value()) {
    return watchproof::Fail(StatusCode::kInvalidArgument, "{}", run.error().why);
  }
  Program().options = std::move(options);
  Program().inconclusive_fails = inconclusive == "fail";
  RegisterAll(*run);
  return {};
}

}  // namespace watchproof
