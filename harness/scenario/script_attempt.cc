// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/script_attempt.h"

#include <algorithm>
#include <iterator>
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
  return {};
}

// Why a script did not make its situation.
struct NotMade {
  std::vector<std::string> missing;  // what the server does not offer
  std::vector<std::string> reasons;
};

// What of the script the server could not be asked.
NotMade WhatCannotBeAsked(const Script& script, LiveServer& server) {
  NotMade not_made;
  auto& missing = not_made.missing;
  if (const int members = explore::MembersOf(script); members > server.members()) {
    missing.push_back(fmt::format("a cluster of at least {} members", members));
  }
  if (Has<explore::Restrict>(script) && !server.CanRestrict()) missing.emplace_back("users");
  if (Has<explore::Crash>(script) && !server.can_restart()) {
    missing.emplace_back("a restart with its data");
  }
  if (Has<explore::CrashPoint>(script) && !server.has_crash_points()) {
    missing.emplace_back(Name(Capability::kDisk));
  }
  return not_made;
}

// Those of which opportunities are counted: every call is one to break the others.
std::vector<std::string> Counted(std::vector<std::string> guarantees) {
  std::erase_if(guarantees,
                [](const std::string& name) { return name == "Answered" || name == "Available"; });
  return guarantees;
}

void RunAlone(const Script& script, std::uint64_t seed, LiveServer& server, NotMade& not_made) {
  explore::LiveClient client;
  const explore::LiveScript::Draws draws{.everything = Has<explore::Restrict>(script)};
  explore::LiveScript run(server, client, script, kOnly, draws, Prng(seed).Fork("script"));
  run.Run();
  if (Has<explore::CrashPoint>(script) && server.crashes().empty()) {
    not_made.reasons.emplace_back("the server did not come to its crash point");
  }
  for (const auto& [asked, refused] : run.not_done()) {
    if (refused.code() == StatusCode::kUnimplemented) {
      not_made.missing.emplace_back(asked);
    } else {
      not_made.reasons.push_back(
          fmt::format("the script did not make its situation: {}: {}", asked, refused.ToString()));
    }
  }
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
                                          .crash_points = Has<explore::CrashPoint>(script),
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
  NotMade not_made = WhatCannotBeAsked(script, server);
  if (not_made.missing.empty()) RunAlone(script, attempt.spec.seed, server, not_made);
  LiveVerdict verdict = server.Finish();
  std::vector<Finding> findings;
  for (const LiveVerdict::OfScript& one : verdict.findings) findings.push_back(one.broken);
  const BugCarrier carrier{.product = attempt.target.product,
                           .version = server.version(),
                           .members = server.members(),
                           .topology = attempt.target.topology};
  result.findings = RecordsOf(findings, {}, carrier);
  result.notes = RecordsOf(verdict.notes, {}, carrier);
  result.exercise = std::move(verdict.exercise);
  result.calls = {.judged = verdict.calls.judged, .undecided = std::move(verdict.calls.undecided)};
  std::vector<std::string> inconclusive = std::move(verdict.undecided);
  std::ranges::move(not_made.reasons, std::back_inserter(inconclusive));
  if (const auto vacuous = Vacuous(result.exercise, Counted(attempt.guarantees))) {
    inconclusive.push_back(*vacuous);
  }
  const Undone undone{.not_offered = not_made.missing};
  const auto decide = [&](AttemptResult& one) { Decide(one, {}, inconclusive, undone); };
  decide(result);
  JudgeBesides(result, attempt.guarantees, decide);
}

}  // namespace watchproof
