// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/script_attempt.h"

#include <utility>

#include "harness/base/prng.h"
#include "harness/drive/shared/live_script.h"
#include "harness/drive/shared/live_server.h"
#include "harness/session/finding_records.h"
#include "harness/session/interrupt.h"
#include "harness/session/verdict.h"

namespace watchproof {
namespace {

using explore::Has;
using explore::LiveServer;
using explore::LiveVerdict;
using explore::Script;

constexpr std::uint32_t kOnly = 1;  // the number of the script

std::string WhyUnfit(const ScriptAttempt& attempt) {
  if (attempt.target.server) {
    return "a script of exploration compacts and stops its server, which others use";
  }
  if (!attempt.target.consumer.empty()) return "a script of exploration has no consumer";
  if (attempt.target.members > 1) return "a script of exploration is for one server";
  return {};
}

// What of the script the server could not be asked.
std::vector<std::string> Missing(const Script& script, LiveServer& server) {
  std::vector<std::string> missing;
  if (Has<explore::Restrict>(script) && !server.CanRestrict()) missing.emplace_back("users");
  if (Has<explore::Crash>(script) && !server.can_restart()) {
    missing.emplace_back("a restart with its data");
  }
  return missing;
}

// Those of which opportunities are counted: every call is one to break the others.
std::vector<std::string> Counted(std::vector<std::string> guarantees) {
  std::erase_if(guarantees,
                [](const std::string& name) { return name == "Answered" || name == "Available"; });
  return guarantees;
}

void RunAlone(const Script& script, std::uint64_t seed, LiveServer& server) {
  explore::LiveClient client;
  const explore::LiveScript::Draws draws{.everything = Has<explore::Restrict>(script)};
  explore::LiveScript(server, client, script, kOnly, draws, Prng(seed).Fork("script")).Run();
}

}  // namespace

void RunScript(const Script& script, const ScriptAttempt& attempt, AttemptResult& result) {
  if (std::string why = WhyUnfit(attempt); !why.empty()) {
    result.verdict = Verdict::kUnsupported;
    result.reason = std::move(why);
    return;
  }
  const auto started = LiveServer::Start({.target = attempt.target,
                                          .folder = attempt.spec.folder,
                                          .seed = attempt.spec.seed,
                                          .durable = Has<explore::Crash>(script),
                                          .settings = script.server,
                                          .users = Has<explore::Restrict>(script),
                                          .alone = true,
                                          .started = attempt.started,
                                          .interrupted = Interrupted});
  if (!started.has_value()) {
    result.verdict = Verdict::kHarnessError;
    result.target_failed = true;
    result.reason = started.error().message();
    return;
  }
  LiveServer& server = **started;
  result.target_version = server.version();
  const std::vector<std::string> missing = Missing(script, server);
  if (missing.empty()) RunAlone(script, attempt.spec.seed, server);
  LiveVerdict verdict = server.Finish();
  std::vector<Finding> findings;
  for (const LiveVerdict::OfScript& one : verdict.findings) findings.push_back(one.broken);
  const BugCarrier carrier{.product = attempt.target.product,
                           .version = server.version(),
                           .members = 1,
                           .topology = attempt.target.topology};
  result.findings = RecordsOf(findings, {}, carrier);
  result.notes = RecordsOf(verdict.notes, {}, carrier);
  result.exercise = std::move(verdict.exercise);
  result.calls = {.judged = verdict.calls.judged, .undecided = std::move(verdict.calls.undecided)};
  std::vector<std::string> inconclusive = std::move(verdict.undecided);
  if (const auto vacuous = Vacuous(result.exercise, Counted(attempt.guarantees))) {
    inconclusive.push_back(*vacuous);
  }
  const auto decide = [&](AttemptResult& one) { Decide(one, {}, inconclusive, missing); };
  decide(result);
  JudgeBesides(result, attempt.guarantees, decide);
}

}  // namespace watchproof
