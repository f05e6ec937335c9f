// SPDX-License-Identifier: Apache-2.0
#include "harness/driver/attempt.h"

#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/driver/executor.h"
#include "harness/driver/finding_records.h"
#include "harness/driver/interrupt.h"
#include "harness/driver/plan_check.h"
#include "harness/history/compress_file.h"
#include "harness/history/dump.h"
#include "harness/targets/probe.h"
#include "harness/targets/probe_capabilities.h"

namespace watchproof {
namespace {

using Json = nlohmann::ordered_json;

constexpr Duration kCrashSeen = 1s;
constexpr Duration kLastQuestion = 5s;  // to a target that has not answered

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

// A finding outweighs everything: it is evidence whatever else went wrong. Without a finding, a
// pass needs the faults to have taken effect and the scenario to be complete.
void Decide(AttemptResult& result, const Status& done, std::vector<std::string> inconclusive,
            const std::vector<std::string>& unsupported) {
  for (const ReceiptRecord& receipt : result.receipts) {
    if (receipt.required && !receipt.fired) {
      inconclusive.push_back(
          fmt::format("fault {} took no effect: {}", receipt.fault, receipt.text));
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
  } else if (!inconclusive.empty()) {
    result.verdict = Verdict::kInconclusive;
    result.reason = Join(inconclusive);
  } else {
    result.verdict = Verdict::kPass;
  }
}

// A case that declares another verdict than a pass tests the harness itself. When it passes all the
// same, the check that it tests does not work, and neither does any pass that relies on it.
void HoldToDeclaration(AttemptResult& result, Verdict expected, bool only_ineffective) {
  if (expected == Verdict::kPass || Interrupted()) return;
  if (result.verdict == Verdict::kPass) {
    result.verdict = Verdict::kHarnessError;
    result.reason = fmt::format(
        "the case must end as {}, and it passed: a receipt or the oracle is wrong", Name(expected));
    return;
  }
  if (result.verdict != expected) return;
  result.declared = expected != Verdict::kInconclusive || only_ineffective;
}

void Leave(const std::filesystem::path& file, const Json& json) {
  std::ofstream(file) << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

// What the watch of each finding received around the evidence, so that readers need no watchproof.
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

// etcd answers with kUnknown when its own time limit has passed, so for a stated capability that
// code is no refusal. Other stores answer with kUnknown to every unsupported request.
bool RefusesWhatIsStated(const Environment& environment, const Status& trouble) {
  return environment.stated() && IsRefusal(trouble.code()) &&
         trouble.code() != StatusCode::kUnknown;
}
bool DoesNotOffer(Environment& environment, const Status& trouble) {
  if (!environment.stated()) return IsRefusal(trouble.code());
  return trouble.code() == StatusCode::kUnknown && environment.target().stated().offered.empty();
}

// Why an attempt could not be carried out to its end.
struct Trouble {
  Status status;
  std::string asked;  // the last request to the target
  Duration waited{};
  bool undisturbed = true;  // no active fault may prevent an answer
  bool refused = true;      // a refusal would come from the target
};

// An error of the harness may look the same, and so may a path with an active fault: then the
// target is only silent if it does not answer on the direct path, either.
bool IsSilent(Environment& environment, const Trouble& trouble) {
  const StatusCode code = trouble.status.code();
  if (code == StatusCode::kDeadlineExceeded && trouble.undisturbed) return true;
  if (code != StatusCode::kDeadlineExceeded && code != StatusCode::kUnavailable) return false;
  const Target& target = environment.target();
  return !AskStatus(target.endpoint(), Within(kLastQuestion), target.token()).has_value();
}

// Annotates the recording for the checkers if the target caused the trouble: its process ended, or
// it runs and has not answered although no fault acts on it, or it rejected what it is stated to
// offer.
void ExplainTrouble(Environment& environment, const Trouble& trouble) {
  if (const auto died = environment.Died()) {
    environment.NoteDeath(*died);
  } else if (!Interrupted() && IsSilent(environment, trouble)) {
    environment.NoteSilence(trouble.asked, trouble.waited);
  } else if (trouble.refused && RefusesWhatIsStated(environment, trouble.status)) {
    environment.Annotate(
        TargetRefused{.asked = trouble.asked, .refusal = trouble.status.ToString()});
  }
}

// Finishes the recording and turns its judgement into the result.
void JudgeRecording(Environment& environment, AttemptResult& result,
                    std::vector<std::string>& inconclusive) {
  result.target_version = environment.target().version();
  Judgement judgement = environment.Finish();
  result.lag = environment.lag();
  result.exercise = std::move(judgement.exercise);
  result.calls = {.judged = judgement.calls.judged,
                  .undecided = std::move(judgement.calls.undecided)};
  result.findings = RecordsOf(judgement.findings, environment.fault_times().receipts(),
                              CarrierOf(environment.started_with()));
  result.notes = RecordsOf(judgement.notes, environment.fault_times().receipts(),
                           CarrierOf(environment.started_with()));
  inconclusive = std::move(judgement.undecided);
}

// It was not stated whether the target offers this; its refusal shows that it does not.
void NotOffered(AttemptResult& result, const std::string& request, const Status& refusal) {
  result.verdict = Verdict::kUnsupported;
  result.missing = {request};
  result.reason = fmt::format("the target does not offer {}: {}", request, refusal.ToString());
}

void Carry(Environment& environment, const AttemptSpec& spec, const Plan& plan,
           AttemptResult& result) {
  Executor executor(environment, plan, spec);
  Status done = executor.Run();
  if (done.ok()) done = executor.Converge();
  // A connection may break before the end of the crashed process is seen.
  if (done.code() == StatusCode::kUnavailable) {
    environment.PumpUntil([&environment] { return environment.Died().has_value(); },
                          Within(kCrashSeen));
  }
  ExplainTrouble(environment, {.status = executor.faults().DisturbServer() ? Status() : done,
                               .asked = executor.asked(),
                               .waited = executor.waited(),
                               .undisturbed = !executor.faults().Disturb(),
                               .refused = executor.refused()});
  executor.HealAll();
  std::vector<std::string> inconclusive;
  JudgeRecording(environment, result, inconclusive);
  if (const Status cleaned = environment.CleanUp(); !cleaned.ok()) {
    inconclusive.push_back("keys of the attempt are left: " + cleaned.message());
  }
  result.receipts = executor.faults().receipts();
  inconclusive.insert(inconclusive.end(), executor.inconclusive().begin(),
                      executor.inconclusive().end());
  const bool only_ineffective = inconclusive.empty();
  if (const auto vacuous = Vacuous(result.exercise, plan.guarantees))
    inconclusive.push_back(*vacuous);
  Decide(result, done, std::move(inconclusive), executor.faults().unsupported());
  if (result.verdict == Verdict::kHarnessError && executor.refused() &&
      DoesNotOffer(environment, done))
    NotOffered(result, executor.asked(), done);
  HoldToDeclaration(result, plan.expect, only_ineffective);
}

// The target had answered before, so this is not an error of the harness.
bool FailedAfterAnswer(Environment& environment, const Status& trouble, Duration waited,
                       AttemptResult& result) {
  if (!environment.started()) return false;
  ExplainTrouble(environment, {.status = trouble, .asked = "a first call", .waited = waited});
  std::vector<std::string> inconclusive;
  JudgeRecording(environment, result, inconclusive);
  if (result.findings.empty()) return false;
  result.verdict = Verdict::kFail;
  return true;
}

}  // namespace

AttemptResult RunAttempt(const AttemptSpec& spec, const Plan& plan) {
  const TimePoint began = Clock::now();
  AttemptResult result{.case_name = spec.case_name,
                       .target = spec.target,
                       .seed = FormatSeed(spec.seed),
                       .attempt = spec.attempt,
                       .started = UtcNow()};
  Status ready = CheckWaits(plan, TimeForSteps(spec));
  if (ready.ok()) ready = WritePlan(spec, plan);
  Environment environment(spec, plan);
  if (ready.ok()) ready = environment.Start();
  if (ready.ok() && !environment.missing().empty()) {
    result.verdict = Verdict::kUnsupported;
    result.target_version = environment.target().version();
    result.reason = "the target does not offer " + environment.missing();
    result.missing = environment.found_missing();
  } else if (ready.ok()) {
    Carry(environment, spec, plan, result);
  } else if (FailedAfterAnswer(environment, ready, Clock::now() - began, result)) {
    // The findings say why.
  } else if (environment.started() && DoesNotOffer(environment, ready)) {
    result.target_version = environment.target().version();
    NotOffered(result, "a read of a key, or a watch", ready);
  } else {
    result.verdict = Verdict::kHarnessError;
    result.target_failed = environment.target_failed();
    result.reason = ready.message();
  }
  environment.Stop();
  LeaveEvidence(spec.folder, result);
  result.seconds = std::chrono::duration<double>(Clock::now() - began).count();
  return result;
}

}  // namespace watchproof
