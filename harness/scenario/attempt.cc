// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/attempt.h"

#include <algorithm>
#include <utility>

#include "harness/base/check.h"
#include "harness/history/packed_text_file.h"
#include "harness/results/measured.h"
#include "harness/scenario/executor.h"
#include "harness/scenario/plan_check.h"
#include "harness/scenario/script_attempt.h"
#include "harness/session/finding_records.h"
#include "harness/session/verdict.h"

namespace watchproof {
namespace {

constexpr Duration kCrashSeen = 1s;
// The least that etcd takes. Only for cases about it: see StartOptions.
constexpr Duration kProgressInterval = 100ms;

std::string UtcNow() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

// In one part, since the attempts of a run append to one file.
Status WritePlan(const AttemptSpec& spec, const Plan& plan) {
  if (spec.plan.empty()) return {};
  std::string text;
  for (const std::string& line : ToJsonLines(plan, {.case_name = spec.case_name,
                                                   .target = spec.target,
                                                   .seed = FormatSeed(spec.seed),
                                                   .attempt = spec.attempt})) {
    text += line + '\n';
  }
  return AppendPacked(spec.plan, text).WithContext("the plan");
}

// The runner has parsed it before.
Profile ProfileOf(const AttemptSpec& spec, const TargetSpec& target) {
  Result<Profile> profile = ProfileFor(spec.profile, target);
  WP_CHECK(profile.has_value(), "the profile of an attempt parses");
  return std::move(profile).value();
}

bool Needs(const Plan& plan, Capability capability) {
  return std::find(plan.needs.begin(), plan.needs.end(), capability) != plan.needs.end();
}

std::vector<FaultInfo> FaultsOf(const Plan& plan) {
  std::set<std::string> kinds;
  for (const std::string& name : DefinedBy(plan, Subject::kFault)) kinds.insert(KindOf(name));
  std::vector<FaultInfo> faults = KnownFaults();
  std::erase_if(faults, [&kinds](const FaultInfo& fault) { return !kinds.contains(fault.name); });
  return faults;
}

EnvironmentOptions EnvironmentFor(const AttemptSpec& spec, const TargetSpec& target,
                                  const Plan& plan) {
  const std::vector<FaultInfo> faults = FaultsOf(plan);
  const bool on_disk = std::ranges::any_of(faults, &FaultInfo::on_disk);
  return {.target = target,
          .cluster = plan.cluster,
          .folder = spec.folder,
          .durable = Needs(plan, Capability::kDurable) || on_disk,
          .disk = on_disk,
          .progress_interval =
              Needs(plan, Capability::kProgressNotices) ? kProgressInterval : Duration(),
          .strict_previous_values = Needs(plan, Capability::kStrictPreviousValues),
          .users = Needs(plan, Capability::kUsers),
          .seed = spec.seed,
          .bypass_proxy = spec.bypass_proxy,
          .follow_streams = std::any_of(faults.begin(), faults.end(), [](const FaultInfo& fault) {
            return fault.follows_streams;
          })};
}

RunStarted StartOf(const AttemptSpec& spec, const TargetSpec& target, const Plan& plan,
                   const Profile& profile) {
  // Others may write to a server that the harness did not start.
  const bool shared = target.server.has_value();
  return {.case_name = spec.case_name,
          .seed = FormatSeed(spec.seed),
          .permit_compacted_at_the_floor =
              plan.permit_compacted_at_the_floor || profile.compacted_at_the_floor,
          .strict_previous = Needs(plan, Capability::kStrictPreviousValues),
          .gaps = shared || LeavesRevisionsOut(plan, profile),
          .others_compact = shared,
          .deviations = profile.deviations};
}

SessionSetup SessionFor(const AttemptSpec& spec, const TargetSpec& target, const Plan& plan) {
  Profile profile = ProfileOf(spec, target);
  RunStarted started = StartOf(spec, target, plan, profile);
  PlanNeeds demand{.needs = plan.needs,
                   .faults = FaultsOf(plan),
                   .beyond_requests = BeyondRequests(plan, profile.requests)};
  return {.folder = spec.folder,
          .target = target,
          .started = std::move(started),
          .profile = std::move(profile),
          .demand = std::move(demand),
          .missing_of_releases = spec.missing,
          .prefix = spec.prefix,
          .stop_at_finding = spec.stop_at_finding,
          .time = TimeForSteps(spec),
          .consumer = {.name = target.consumer,
                       .layers = spec.consumer_layers,
                       .command = spec.consumer_command}};
}

// Empty if there is none, or it can take part.
std::string WhyNoConsumer(const AttemptSpec& spec, const TargetSpec& target, const Plan& plan) {
  if (target.consumer.empty()) return {};
  if (target.server) return "consumers follow the keys of servers that watchproof starts";
  if (!spec.consumer_missing.empty()) return spec.consumer_missing;
  for (const std::string& wanted : NamedBy(plan, Subject::kLayer, Field::Role::kIs)) {
    const auto is_wanted = [&wanted](const auto& name) { return IsAmong(name, wanted); };
    const bool has = wanted.empty() || std::ranges::any_of(spec.consumer_layers, is_wanted) ||
                     std::ranges::any_of(spec.consumer_can, is_wanted);
    if (!has) return fmt::format("consumer {} has no layer or ability {}", target.consumer, wanted);
  }
  return {};
}

// Unless the target lacks what is needed, the session is ready for the first step then.
Status SetUp(Environment& environment, AttemptSession& session) {
  WP_RETURN_IF_ERROR(session.OpenRecording());
  WP_RETURN_IF_ERROR(environment.Start());
  WP_RETURN_IF_ERROR(session.Probe());
  if (!session.offer().missing.empty()) return {};
  WP_RETURN_IF_ERROR(environment.OpenPaths());
  return session.Connect();
}

void RunScenario(AttemptSession& session, const AttemptSpec& spec, const Plan& plan,
                 AttemptResult& result) {
  Executor executor(session, plan, spec);
  Status done = executor.Run();
  if (done.ok()) done = executor.Converge();
  // A connection may break before the end of the crashed process is seen.
  if (done.code() == StatusCode::kUnavailable) {
    session.PumpUntil([&session] { return session.environment().Died().has_value(); },
                      Within(kCrashSeen));
  }
  const Trouble trouble = executor.TroubleOf(done);
  Trouble unexplained = trouble;
  if (executor.faults().DisturbServer()) unexplained.status = {};
  ExplainTrouble(session, unexplained);
  executor.HealAll();
  std::vector<std::string> inconclusive;
  JudgeRecording(session, result, inconclusive);
  if (const Status cleaned = session.CleanUp(); !cleaned.ok()) {
    inconclusive.push_back("keys of the attempt are left: " + cleaned.message());
  }
  result.receipts = executor.faults().receipts();
  result.measured = executor.measured();
  if (!result.measured.empty()) {
    result.measured.push_back({std::string(kElsewhere), "", {executor.elsewhere()}, {0}});
  }
  inconclusive.insert(inconclusive.end(), executor.inconclusive().begin(),
                      executor.inconclusive().end());
  const bool only_ineffective = inconclusive.empty();
  if (session.consumer() != nullptr) JudgeConsumer(session, trouble, inconclusive, result);
  if (const auto vacuous = Vacuous(result.exercise, plan.guarantees)) {
    inconclusive.push_back(*vacuous);
  }
  const auto decide = [&](AttemptResult& one) {
    Decide(one, done, inconclusive, executor.faults().undone());
    EndByTrouble(one, session, trouble);
  };
  decide(result);
  if (session.consumer() == nullptr) JudgeBesides(result, plan.guarantees, decide);
  HoldToDeclaration(result, plan.expect, only_ineffective);
}

// It did not come to the first step. If the target had started, the harness need not be the cause.
void EndBeforeSteps(AttemptSession& session, const Status& ready, AttemptResult& result) {
  result.verdict = Verdict::kHarnessError;
  result.target_failed = session.environment().failed();
  result.reason = ready.message();
  if (!session.environment().started()) return;
  const Trouble trouble{.status = ready,
                        .asked = "a read of a key, or a watch",
                        .waited = session.age(),
                        .of_target = session.asks_target()};
  ExplainTrouble(session, trouble);
  std::vector<std::string> inconclusive;
  JudgeRecording(session, result, inconclusive);
  result.target_version = session.environment().target().version();
  result.api_version = session.environment().target().api_version();
  if (!result.findings.empty()) {
    result.verdict = Verdict::kFail;
    result.reason.clear();
  }
  EndByTrouble(result, session, trouble);
}

void RunSteps(const AttemptSpec& spec, const Result<TargetSpec>& parsed, const TargetSpec& target,
              const Plan& plan, AttemptResult& result) {
  Environment environment(EnvironmentFor(spec, target, plan));
  AttemptSession session(environment, SessionFor(spec, target, plan));
  Status ready = CheckWaits(plan, TimeForSteps(spec));
  if (ready.ok()) ready = WritePlan(spec, plan);
  if (ready.ok() && !parsed.has_value()) ready = parsed.error();
  const std::string unfit = WhyNoConsumer(spec, target, plan);
  if (ready.ok() && unfit.empty()) ready = SetUp(environment, session);
  if (ready.ok() && !unfit.empty()) {
    result.verdict = Verdict::kUnsupported;
    result.reason = unfit;
  } else if (ready.ok() && !session.offer().missing.empty()) {
    result.verdict = Verdict::kUnsupported;
    result.target_version = environment.target().version();
    result.api_version = environment.target().api_version();
    result.reason = session.offer().missing;
    result.missing = session.offer().found_missing;
    result.hindered = session.offer().hindered;
  } else if (ready.ok()) {
    RunScenario(session, spec, plan, result);
  } else {
    EndBeforeSteps(session, ready, result);
  }
  session.Stop();
  environment.Stop();
  session.CloseRecording();
}

void RunScriptOf(const AttemptSpec& spec, const TargetSpec& target, const Plan& plan,
                 const explore::Script& script, AttemptResult& result) {
  if (const Status written = WritePlan(spec, plan); !written.ok()) {
    result.reason = written.message();
    return;
  }
  RunScript(script,
            {.spec = spec,
             .target = target,
             .started = StartOf(spec, target, plan, ProfileOf(spec, target)),
             .guarantees = plan.guarantees},
            result);
}

}  // namespace

AttemptResult RunAttempt(const AttemptSpec& spec, const Result<TargetSpec>& parsed,
                         const Plan& plan) {
  const TimePoint began = Clock::now();
  AttemptResult result{.case_name = spec.case_name,
                       .target = spec.target,
                       .seed = FormatSeed(spec.seed),
                       .attempt = spec.attempt,
                       .started = UtcNow()};
  TargetSpec target = parsed.value_or(TargetSpec{.text = spec.target});
  target.allow_disruptive = spec.allow_disruptive;
  target.access = spec.access;
  const auto script = ScriptOf(plan);
  if (script && parsed.has_value()) {
    RunScriptOf(spec, target, plan, *script, result);
  } else {
    RunSteps(spec, parsed, target, plan, result);
  }
  LeaveEvidence(spec.folder, result);
  result.seconds = std::chrono::duration<double>(Clock::now() - began).count();
  return result;
}

}  // namespace watchproof
