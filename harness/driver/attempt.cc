// SPDX-License-Identifier: Apache-2.0
#include "harness/driver/attempt.h"

#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/driver/executor.h"
#include "harness/driver/finding_records.h"
#include "harness/driver/interrupt.h"
#include "harness/history/compress_file.h"
#include "harness/history/dump.h"

namespace watchproof {
namespace {

using Json = nlohmann::ordered_json;

std::string UtcNow() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

// In one write, since the attempts of a run append to one file.
Status WritePlan(const AttemptSpec& spec, const Plan& plan) {
  if (spec.plan.empty()) return {};
  std::string text;
  for (const std::string& line : ToJsonLines(plan, {.case_name = spec.case_name,
                                                   .target = spec.target,
                                                   .seed = FormatSeed(spec.seed),
                                                   .attempt = spec.attempt})) {
    text += line + '\n';
  }
  const int file = open(spec.plan.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) return FromErrno(errno).WithContext("{}: opening the plan", spec.plan);
  const auto written = write(file, text.data(), text.size());
  const int error = errno;
  close(file);
  if (written == static_cast<ssize_t>(text.size())) return {};
  return FromErrno(error).WithContext("{}: writing the plan", spec.plan);
}

std::string Join(const std::vector<std::string>& reasons) {
  std::string all;
  for (const std::string& reason : reasons) all += (all.empty() ? "" : "; ") + reason;
  return all;
}

// A finding outweighs everything: it is evidence whatever else went wrong. Without one, a pass
// needs proof.
void Decide(AttemptResult& result, const Status& done, std::vector<std::string> doubts,
            const std::vector<std::string>& unsupported) {
  for (const ReceiptRecord& receipt : result.receipts) {
    if (receipt.required && !receipt.fired) {
      doubts.push_back(fmt::format("fault {} was not felt: {}", receipt.fault, receipt.text));
    }
  }
  if (Interrupted()) {
    result.verdict = Verdict::kInconclusive;
    result.reason = "interrupted";
  } else if (!result.findings.empty()) {
    result.verdict = Verdict::kFail;
  } else if (!done.ok()) {
    result.verdict = Verdict::kHarnessError;
    result.reason = done.ToString();
  } else if (!unsupported.empty()) {
    result.verdict = Verdict::kUnsupported;
    result.reason = "the target does not offer " + Join(unsupported);
  } else if (!doubts.empty()) {
    result.verdict = Verdict::kInconclusive;
    result.reason = Join(doubts);
  } else {
    result.verdict = Verdict::kPass;
  }
}

// A case that declares another end than a pass is a test of ours. When it passes all the same, the
// proof that it was about is worth nothing, and so is every pass that rests on it.
void HoldToDeclaration(AttemptResult& result, Verdict expected, bool only_unfelt) {
  if (expected == Verdict::kPass || Interrupted()) return;
  if (result.verdict == Verdict::kPass) {
    result.verdict = Verdict::kHarnessError;
    result.reason = fmt::format(
        "the case declares that it ends as {}, and it passed: a receipt or the oracle is wrong",
        Name(expected));
    return;
  }
  if (result.verdict != expected) return;
  result.declared = expected != Verdict::kInconclusive || only_unfelt;
}

void Leave(const std::filesystem::path& file, const Json& json) {
  std::ofstream(file) << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

// What the watch of each finding was told around the evidence, so that nobody needs us to read it.
void AddExcerpts(const std::filesystem::path& history, const AttemptResult& result,
                 Json& findings) {
  if (result.findings.empty()) return;
  std::vector<std::vector<Line>> evidence;
  for (const FindingRecord& finding : result.findings) {
    auto& lines = evidence.emplace_back();
    for (const std::uint64_t line : finding.evidence) lines.push_back(Line(line));
  }
  const auto excerpts = ExcerptFor(history, evidence);
  if (!excerpts.has_value()) {
    fmt::print(stderr, "findings stay without excerpts: {}\n", excerpts.error().message());
    return;
  }
  for (std::size_t i = 0; i < excerpts->size(); ++i) {
    findings.at(i)["excerpt"] = Json::parse(excerpts->at(i));
  }
}

// target.log, or one for each member of a cluster.
std::vector<std::filesystem::path> LogsIn(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> logs;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("target") && name.ends_with(".log")) logs.push_back(entry.path());
  }
  return logs;
}

void LeaveEvidence(const std::filesystem::path& folder, AttemptResult& result) {
  if (const Status quoted = QuoteEvidence(folder / "history.wire.zst", result.findings);
      !quoted.ok()) {
    fmt::print(stderr, "findings stay without their messages: {}\n", quoted.message());
  }
  if (const Status quoted = QuoteEvidence(folder / "history.wire.zst", result.notes);
      !quoted.ok()) {
    fmt::print(stderr, "notes stay without their messages: {}\n", quoted.message());
  }
  Json whole = Json::parse(ToJsonLine(result));
  AddExcerpts(folder / "history.wire.zst", result, whole.at("findings"));
  Leave(folder / "findings.json", whole.at("findings"));
  Leave(folder / "faults.json", whole.at("receipts"));
  for (const std::filesystem::path& log : LogsIn(folder)) {
    if (const Status packed = CompressFile(log); !packed.ok()) {
      fmt::print(stderr, "{} stays uncompressed: {}\n", log.filename().string(), packed.message());
    }
  }
}

FindingRecord DiedByItself(const Cluster::Death& death) {
  return {.guarantee = std::string(Name(Guarantee::kSettled)),
          .promise = std::string(Promise(Guarantee::kSettled)),
          .belief = std::string(Belief(Guarantee::kSettled)),
          .watch = "every watch",
          .expected = "a target that lives until it is stopped; no fault of this case ends it",
          .observed = fmt::format("its process {}; its last words: {}", death.state.ToString(),
                                  death.last_words)};
}

void Carry(World& world, const AttemptSpec& spec, const Plan& plan, AttemptResult& result) {
  Executor executor(world, plan, spec);
  Status done = executor.Run();
  if (done.ok()) done = executor.Converge();
  executor.HealAll();
  const auto died = world.Died();
  result.target_version = world.target().version();
  Judgement judgement = world.Finish();
  CallJudgement calls = world.FinishCalls();
  if (const Status cleaned = world.CleanUp(); !cleaned.ok()) {
    judgement.undecided.push_back("keys of ours stay behind: " + cleaned.message());
  }
  judgement.findings.insert(judgement.findings.end(), executor.findings().begin(),
                            executor.findings().end());
  judgement.findings.insert(judgement.findings.end(), calls.findings.begin(), calls.findings.end());
  result.lag = world.lag();
  result.calls = {.judged = calls.judged, .undecided = std::move(calls.undecided)};
  result.receipts = executor.receipts();
  result.findings = RecordsOf(judgement.findings, result.receipts, world.bug_carrier());
  result.notes = RecordsOf(judgement.notes, result.receipts, world.bug_carrier());
  if (died) result.findings.push_back(DiedByItself(*died));
  std::vector<std::string> doubts = std::move(judgement.undecided);
  doubts.insert(doubts.end(), executor.unproven().begin(), executor.unproven().end());
  const bool only_unfelt = doubts.empty();
  Decide(result, done, std::move(doubts), executor.unsupported());
  HoldToDeclaration(result, plan.expect, only_unfelt);
}

}  // namespace

AttemptResult RunAttempt(const AttemptSpec& spec, const Plan& plan) {
  const TimePoint began = Clock::now();
  AttemptResult result{.case_name = spec.case_name,
                       .target = spec.target,
                       .seed = FormatSeed(spec.seed),
                       .attempt = spec.attempt,
                       .started = UtcNow()};
  Status ready = WritePlan(spec, plan);
  World world(spec, plan);
  if (ready.ok()) ready = world.Start();
  if (ready.ok() && !world.missing().empty()) {
    result.verdict = Verdict::kUnsupported;
    result.target_version = world.target().version();
    result.reason = "the target does not offer " + world.missing();
  } else if (ready.ok()) {
    Carry(world, spec, plan, result);
  } else if (const auto died = world.started() ? world.Died() : std::nullopt) {
    // It had answered before, so this is no trouble of ours.
    result.target_version = world.target().version();
    result.findings.push_back(DiedByItself(*died));
    result.verdict = Verdict::kFail;
  } else {
    result.verdict = Verdict::kHarnessError;
    result.target_failed = world.target_failed();
    result.reason = ready.message();
  }
  world.Stop();
  LeaveEvidence(spec.folder, result);
  result.seconds = std::chrono::duration<double>(Clock::now() - began).count();
  return result;
}

}  // namespace watchproof
