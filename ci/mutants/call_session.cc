// SPDX-License-Identifier: Apache-2.0
#include "ci/mutants/call_session.h"

#include <fmt/format.h>

#include <utility>

#include "harness/checkers/judge.h"

namespace watchproof {
namespace {

// How many recordings to try for a kind.
constexpr int kRecordings = 40;

}  // namespace

CallSession::CallSession(std::vector<Recording> recordings, std::uint64_t seed) : seed_(seed) {
  for (Recording& recording : recordings) {
    auto truth = Replay(recording.lines);
    if (!truth.has_value()) {
      LeaveOut(recording.name, truth.error().message());
      continue;
    }
    auto entry = std::make_unique<Entry>();
    entry->recording = std::move(recording);
    entry->truth = *std::move(truth);
    entry->subject = std::make_unique<CallSubject>(entry->recording, entry->truth);
    const JudgedCalls clean = Judged(*entry, entry->recording.lines);
    if (clean.found.empty() && clean.undecided_reasons.empty()) {
      entries_.push_back(std::move(entry));
    } else {
      LeaveOut(entry->recording.name, clean.found.empty()
                                          ? clean.undecided_reasons[0]
                                          : std::string(Name(*clean.found.begin())));
    }
  }
}

void CallSession::LeaveOut(const std::string& name, const std::string& why) {
  preface_ += fmt::format("left out: {}: {}\n", name, why);
}

CallSession::JudgedCalls CallSession::Judged(const Entry& entry,
                                             const std::vector<NumberedEntry>& lines) {
  Judge judge({.permit_compacted_at_the_floor = entry.recording.permit_compacted_at_the_floor,
               .strict_previous = entry.recording.strict_previous});
  for (const NumberedEntry& line : lines) judge.Consume(line);
  const Judgement judgement = judge.Finish();
  JudgedCalls judged{.found = {}, .undecided_reasons = judgement.undecided};
  judged.undecided_reasons.insert(judged.undecided_reasons.end(), judgement.calls.undecided.begin(),
                                  judgement.calls.undecided.end());
  for (const Finding& finding : judgement.findings) judged.found.insert(finding.guarantee);
  return judged;
}

void CallSession::Try(const Entry& entry, const CallMutationInfo& info, const CallMutant& mutant,
                      std::uint64_t number) {
  const auto [found, undecided_reasons] = Judged(entry, mutant.lines);
  Row& row = rows_[info.mutation];
  ++row.mutants;
  if (found.contains(info.primary)) ++row.by_primary;
  if (found.empty() && !undecided_reasons.empty() && mutant.undecidable) {
    ++row.undecided;
    return;
  }
  const bool bad = mutant.legal ? !found.empty() || !undecided_reasons.empty() : found.empty();
  if (!bad) {
    ++(mutant.legal ? row.equivalent : row.detected);
    return;
  }
  ++(mutant.legal ? row.false_alarms : row.missed);
  std::string text = fmt::format("{}: mutant {} of seed {}: {} of {}\n  {}\n",
                                 mutant.legal ? "FALSE ALARM" : "MISSED", number, seed_, info.name,
                                 entry.recording.name, mutant.what);
  for (const Guarantee guarantee : found) text += fmt::format("  found: {}\n", Name(guarantee));
  for (const std::string& undecided_reason : undecided_reasons)
    text += fmt::format("  undecided: {}\n", undecided_reason);
  failures_.push_back(std::move(text));
}

void CallSession::Run(std::uint64_t count) {
  if (entries_.empty()) return;
  for (std::uint64_t number = 1; number <= count; ++number) {
    Prng prng = Prng(seed_).Fork(fmt::format("call mutant/{}", number));
    const CallMutationInfo& info = AllCallMutations()[number % AllCallMutations().size()];
    for (int i = 0; i < kRecordings; ++i) {
      const Entry& entry = *prng.Pick(entries_);
      const auto mutant = MutateCall(*entry.subject, info.mutation, prng);
      if (!mutant) continue;
      Try(entry, info, *mutant, number);
      break;
    }
  }
}

std::vector<Guarantee> CallSession::Inconclusive() const {
  std::vector<Guarantee> inconclusive;
  for (const CallMutationInfo& info : AllCallMutations()) {
    const auto row = rows_.find(info.mutation);
    if (row == rows_.end() || row->second.by_primary == 0) inconclusive.push_back(info.primary);
  }
  return inconclusive;
}

std::string CallSession::Report() const {
  constexpr std::string_view kLine = "{:<24}{:>8}{:>10}{:>12}{:>11}{:>8}{:>13}  {} {}\n";
  std::string text = fmt::format(kLine, "calls and rights", "mutants", "detected", "equivalent",
                                 "undecided", "missed", "false alarms", "caught", "by");
  for (const CallMutationInfo& info : AllCallMutations()) {
    const auto found = rows_.find(info.mutation);
    const Row row = found == rows_.end() ? Row() : found->second;
    text += fmt::format(kLine, info.name, row.mutants, row.detected, row.equivalent, row.undecided,
                        row.missed, row.false_alarms, row.by_primary, Name(info.primary));
    if (row.undecided > 0) text += fmt::format("  undecided: {}\n", info.undecidable);
    if (row.equivalent > 0) text += fmt::format("  equivalent: {}\n", info.equivalence);
  }
  return text;
}

}  // namespace watchproof
