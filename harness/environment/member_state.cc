// SPDX-License-Identifier: Apache-2.0
#include "harness/environment/member_state.h"

#include <algorithm>

#include "harness/targets/probe.h"

namespace watchproof {
namespace {

constexpr Duration kAnswers = 1s;

}  // namespace

std::string AskForHash(const Target& target, const MemberAsked& asked,
                       std::optional<HistoryHash>& hash) {
  const auto status = target.Ask(Within(kAnswers));
  if (!status.has_value()) return status.error().ToString();
  if (Revision(status->revision) < asked.revision) {
    return fmt::format("it is at revision {}", status->revision);
  }
  const auto answer = AskHash(target.endpoint(), asked.revision, Within(kAnswers), asked.token);
  if (!answer.has_value()) return answer.error().ToString();
  if (Revision(answer->compacted) < asked.compacted) {
    return fmt::format("it has compacted through {} instead of {}", answer->compacted,
                       asked.compacted.value);
  }
  hash = HistoryHash{.member = asked.member,
                     .release = status->version,
                     .revision = asked.revision.value,
                     .compacted = answer->compacted,
                     .hash = answer->hash,
                     .hashed = answer->hashed};
  return {};
}

bool StandStill::Reached(const std::string& lacks, bool held) {
  if (seen_.insert(lacks).second || held) since_ = Clock::now();
  return Clock::now() - since_ >= OnThisMachine(kLimit);
}

bool HasAppliedTheLog(Environment& environment, int member) {
  std::uint64_t most = 0;
  // This one is asked last: what the log grows by meanwhile is not held against it.
  for (int other = 1; other <= environment.members(); ++other) {
    if (other == member) continue;
    const auto status = environment.target(other).Ask(Within(kAnswers));
    if (status.has_value()) most = std::max(most, status->applied);
  }
  const auto own = environment.target(member).Ask(Within(kAnswers));
  return most > 0 && own.has_value() && own->applied >= most;
}

}  // namespace watchproof
