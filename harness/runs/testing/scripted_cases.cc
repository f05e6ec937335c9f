// SPDX-License-Identifier: Apache-2.0
// Cases that misbehave on purpose, instead of the real ones, to test the whole command as an
// executable that starts itself. Linked into scripted_watchproof only.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>

#include "cases/support/case_registry.h"
#include "harness/process/child_process.h"
#include "harness/results/attempt_spec.h"
#include "harness/results/expectations.h"
#include "harness/results/result.h"
#include "harness/scenario/plan.h"

namespace watchproof {
namespace {

using Script = std::function<int(const AttemptSpec&)>;

void Send(const AttemptSpec& spec, const std::string& text) {
  [[maybe_unused]] const auto written = write(spec.result_descriptor, text.data(), text.size());
}

AttemptResult Blank(const AttemptSpec& spec, Verdict verdict) {
  AttemptResult result;
  result.case_name = spec.case_name;
  result.target = spec.target;
  result.target_version = spec.target.starts_with("etcd") ? "3.4.23" : "1.0";
  result.seed = FormatSeed(spec.seed);
  result.attempt = spec.attempt;
  result.verdict = verdict;
  result.started = "2026-01-14T10:15:00Z";
  result.seconds = 0.25;
  if (!IsConclusive(verdict)) result.reason = "as scripted";
  return result;
}

AttemptResult Broken(const AttemptSpec& spec, const std::string& guarantee) {
  AttemptResult result = Blank(spec, Verdict::kFail);
  result.findings.push_back({.guarantee = guarantee,
                             .promise = "within one watch, revisions never decrease",
                             .watch = "watch 3 of stream 1",
                             .expected = "a revision of at least 799",
                             .observed = "revision 3 (key \"<k>\xff\x1b[31m\")",
                             .meanwhile = "stall, 0.8 s earlier",
                             .evidence = {211, 212}});
  return result;
}

int Report(const AttemptSpec& spec, const AttemptResult& result) {
  Send(spec, ToJsonLine(result) + "\n");
  return 0;
}

Script Ends(Verdict verdict) {
  return [verdict](const AttemptSpec& spec) { return Report(spec, Blank(spec, verdict)); };
}

// Unless the environment says to go on: starts a child, writes a file to the temporary folder and
// its own process id, then waits to be stopped.
int Hang(const AttemptSpec& spec) {
  if (std::getenv("WP_SCRIPTED_GO_ON") != nullptr) return Report(spec, Blank(spec, Verdict::kPass));
  const auto child = ChildProcess::Launch({.executable = "/bin/sleep", .arguments = {"600"}});
  std::ofstream(std::filesystem::path(spec.folder) / "tmp" / "left-behind") << "data";
  const std::filesystem::path pids = std::filesystem::path(spec.folder) / "pids";
  std::ofstream(pids.string() + ".new") << getpid() << " " << (*child)->pid() << std::endl;
  std::filesystem::rename(pids.string() + ".new", pids);
  fmt::print(stderr, "waiting for nothing\n");
  while (true) pause();
}

int FailOnceStopped(const AttemptSpec& spec) {
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTERM);
  sigprocmask(SIG_BLOCK, &stop, nullptr);
  int signal = 0;
  sigwait(&stop, &signal);
  return Report(spec, Broken(spec, "Ordered"));
}

// Ends by SIGKILL only.
int BeStubborn(const AttemptSpec& spec) {
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  return Hang(spec);
}

int Crash(const AttemptSpec& spec) {
  fmt::print(stderr, "about to fall over on {}\n", spec.target);
  signal(SIGSEGV, SIG_DFL);
  raise(SIGSEGV);
  return 0;
}

int NoTarget(const AttemptSpec& spec) {
  AttemptResult result = Blank(spec, Verdict::kHarnessError);
  result.reason = fmt::format("exited with 1 on port {}; its last words: no room", getpid());
  result.target_failed = true;
  result.target_version.clear();
  return Report(spec, result);
}

// As a store with a port that only one copy of it can have: the first attempt runs until the next
// three have ended.
int TakesOnePort(const AttemptSpec& spec) {
  if (spec.attempt > 1) return NoTarget(spec);
  const std::filesystem::path run =
      std::filesystem::path(spec.folder).parent_path().parent_path().parent_path().parent_path();
  const auto ended = [&run] {
    std::ifstream results(run / "results.jsonl");
    return std::count(std::istreambuf_iterator<char>(results), {}, '\n');
  };
  while (ended() < 3) usleep(10'000);
  return Report(spec, Blank(spec, Verdict::kPass));
}

int OtherAttempt(const AttemptSpec& spec) {
  AttemptSpec other = spec;
  other.case_name = "Another.Case";
  return Report(spec, Blank(other, Verdict::kPass));
}

int FailsOnSecond(const AttemptSpec& spec) {
  return Report(spec, spec.attempt == 2 ? Broken(spec, "Unique") : Blank(spec, Verdict::kPass));
}

int LeavesHistory(const AttemptSpec& spec) {
  std::ofstream(std::filesystem::path(spec.folder) / "history.wire.zst") << "wire";
  std::ofstream(std::filesystem::path(spec.folder) / "findings.json") << "[]";
  return Report(spec,
                spec.target == "embedded" ? Blank(spec, Verdict::kPass) : Broken(spec, "Unique"));
}

int LosesWithDefect(const AttemptSpec& spec) {
  return Report(spec, spec.target.starts_with("embedded+") ? Broken(spec, "Reliable")
                                                           : Blank(spec, Verdict::kPass));
}

// A plan that exploration drew fails as long as a member of it is isolated. On one target nothing
// takes effect.
int FollowsPlan(const AttemptSpec& spec) {
  if (spec.target.starts_with("etcd:/vain"))
    return Report(spec, Blank(spec, Verdict::kInconclusive));
  const auto file = ReadPlan(spec.given_plan);
  if (!file.has_value()) return 1;
  for (const std::string& step : StepLines(file->plan)) {
    if (step.find("\"isolate") != std::string::npos) return Report(spec, Broken(spec, "Unique"));
  }
  return Report(spec, Blank(spec, Verdict::kPass));
}

// Without such a case, the answer key's row for it would be reported as out of date.
void AddRestOfKey(std::map<std::string, Script>& scripts) {
  for (const Bug& bug : AnswerKey::BuiltIn().bugs()) {
    for (const ShownBy& shown : bug.shown) {
      scripts.try_emplace(shown.case_name, Ends(Verdict::kPass));
    }
  }
}

const std::map<std::string, Script>& Scripts() {
  static const std::map<std::string, Script> kScripts = [] {
    std::map<std::string, Script> scripts = {
        {"Ends.Passes", Ends(Verdict::kPass)},
        {"Ends.Fails", [](const AttemptSpec& s) { return Report(s, Broken(s, "Ordered")); }},
        {"Ends.Inconclusive", Ends(Verdict::kInconclusive)},
        {"Ends.Unsupported", Ends(Verdict::kUnsupported)},
        {"Ends.HarnessError", Ends(Verdict::kHarnessError)},
        {"Ends.WithoutTarget", &NoTarget},
        {"Environment.TakesOnePort", &TakesOnePort},
        {"Environment.OnlyEmbeddedStarts",
         [](const AttemptSpec& s) {
           return s.target == "embedded" ? Report(s, Blank(s, Verdict::kPass)) : NoTarget(s);
         }},
        {"Ends.FailsOnSecondAttempt", &FailsOnSecond},
        {"Breaks.Silent", [](const AttemptSpec&) { return 0; }},
        {"Breaks.Crashes", &Crash},
        {"Breaks.Hangs", &Hang},
        {"Breaks.FailsOnceStopped", &FailOnceStopped},
        {"Breaks.IsStubborn", &BeStubborn},
        {"Breaks.WritesGarbage",
         [](const AttemptSpec& s) { return Send(s, "\xff{not a result\n"), 0; }},
        {"Breaks.PassesButExitsBadly",
         [](const AttemptSpec& s) { return Report(s, Blank(s, Verdict::kPass)) + 9; }},
        {"Breaks.PassesTwice",
         [](const AttemptSpec& s) {
           return Report(s, Blank(s, Verdict::kPass)) + Report(s, Blank(s, Verdict::kPass));
         }},
        {"Breaks.ReportsAnotherCase", &OtherAttempt},
        {"Environment.LeavesHistory", &LeavesHistory},
        {"Reliable.LosesWithDefect", &LosesWithDefect},
        // Named like real ones, to meet the built-in answer key.
        {"Bookmarkable.ProgressDuringCatchUp",
         [](const AttemptSpec& s) {
           if (s.target != "etcd:/known") return Report(s, Blank(s, Verdict::kPass));
           AttemptResult known = Broken(s, "Bookmarkable");
           known.findings.front().resembles = "progress-overtakes";
           return Report(s, known);
         }},
    };
    AddRestOfKey(scripts);
    return scripts;
  }();
  return kScripts;
}

const std::vector<CaseInfo>& Cases() {
  static const std::vector<CaseInfo> kCases = [] {
    std::vector<CaseInfo> cases;
    for (const auto& [name, script] : Scripts()) {
      cases.push_back({.name = name,
                       .requirement = "behaves as its name says",
                       .explain = "A case of the tests of the command.",
                       .level = name.starts_with("Environment.") ? Level::kShould : Level::kMust,
                       .needs = {},
                       .guarantees = {name.substr(0, name.find('.'))},
                       .upstream = {},
                       .file = "scripted_cases.cc",
                       .line = 1});
    }
    return cases;
  }();
  return kCases;
}

}  // namespace

std::vector<CaseInfo> AllCases() { return Cases(); }
const CaseInfo* FindCase(std::string_view name) {
  for (const CaseInfo& info : Cases()) {
    if (info.name == name) return &info;
  }
  return nullptr;
}
void AddCaseOf(const PlanFile&) {}
std::optional<Plan> PlanOf(const std::string&, std::uint64_t, const std::string&) { return {}; }

int RunCaseProcess(std::string_view json) {
  const Result<AttemptSpec> spec = ParseAttemptSpec(json);
  if (!spec.has_value()) return 1;
  if (IsExploredCase(spec->case_name)) return FollowsPlan(*spec);
  return Scripts().at(spec->case_name)(*spec);
}

}  // namespace watchproof
