// SPDX-License-Identifier: Apache-2.0
#include "ci/mutants/session.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "harness/base/check.h"
#include "harness/history/dump.h"

namespace watchproof {
namespace {

double Share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::size_t Index(MutantOutcome outcome) { return static_cast<std::size_t>(outcome); }

}  // namespace

Result<std::unique_ptr<Session>> Session::Open(const SessionOptions& options) {
  auto session = std::unique_ptr<Session>(new Session(options));
  WP_RETURN_IF_ERROR(session->Load());
  return session;
}

Status Session::Load() {
  WP_ASSIGN_OR_RETURN(auto recordings, LoadRecordings(options_.paths, options_.largest, preface_));
  for (Recording& recording : recordings) WP_RETURN_IF_ERROR(Admit(std::move(recording)));
  if (entries_.empty()) {
    return Fail(StatusCode::kNotFound, "no recording can be used:\n{}", preface_);
  }
  double sum = 0;
  for (const auto& entry : entries_) {
    sum += 1 / std::sqrt(static_cast<double>(SizeOf(entry->subject.recording)));
    entry->weight = sum;
  }
  preface_ += fmt::format("{} recordings, small ones drawn more often\n", entries_.size());
  return Status();
}

Status Session::Admit(Recording recording) {
  const auto leave_out = [&](const std::string& why) {
    preface_ += fmt::format("left out: {}: {}\n", recording.name, why);
    return Status();
  };
  const std::string name = recording.name;
  auto entry = std::make_unique<Entry>(Subject(recording));
  auto oracle = ReferenceOracle::Open(entry->subject);
  if (!oracle.has_value()) return leave_out(oracle.error().message());
  entry->oracle = *std::move(oracle);
  if (Status clean = entry->oracle->TryClean(); !clean.ok()) {
    if (clean.code() == StatusCode::kInternal) return std::move(clean).WithContext("{}", name);
    return leave_out(clean.message());
  }
  entries_.push_back(std::move(entry));
  return Status();
}

Session::Entry& Session::PickEntry(Prng& prng) {
  constexpr std::uint64_t kSteps = 1 << 30;
  const double at =
      entries_.back()->weight * static_cast<double>(prng.Below(kSteps)) / double{kSteps};
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const auto& entry) { return at < entry->weight; });
  return found == entries_.end() ? *entries_.back() : **found;
}

// First the mutation, so that each gets its share; then a recording that allows it.
std::pair<Mutant, Session::Entry*> Session::Make(std::uint64_t number) {
  constexpr int kRecordings = 40;
  Prng prng = Prng(options_.seed).Fork(fmt::format("mutant/{}", number));
  while (true) {
    const Mutation mutation = prng.Pick(AllMutations()).mutation;
    for (int i = 0; i < kRecordings; ++i) {
      Entry& entry = PickEntry(prng);
      if (auto mutant = Mutate(entry.subject, mutation, prng)) return {*std::move(mutant), &entry};
    }
  }
}

void Session::Count(const Mutant& mutant, const Tested& tested) {
  Row& row = rows_[mutant.mutation];
  ++row.mutants;
  ++row.outcomes[Index(tested.outcome)];
  for (const Guarantee guarantee : tested.found) ++row.found[guarantee];
  if (tested.equivalence != nullptr) ++equivalences_[tested.equivalence->name];
  ++mutants_;
}

void Session::Run(std::uint64_t count) {
  for (std::uint64_t number = 1; number <= count; ++number) {
    const auto [mutant, entry] = Make(number);
    const Tested tested = entry->oracle->Try(mutant);
    Count(mutant, tested);
    if (IsBad(tested.outcome)) failures_.push_back(Consume(number, mutant, *entry, tested));
  }
}

std::string Session::RunOne(std::uint64_t number) {
  const auto [mutant, entry] = Make(number);
  const Tested tested = entry->oracle->Try(mutant);
  Count(mutant, tested);
  std::string text = Consume(number, mutant, *entry, tested);
  if (IsBad(tested.outcome)) failures_.push_back(text);
  return text;
}

std::string Session::Consume(std::uint64_t number, const Mutant& mutant, const Entry& entry,
                             const Tested& tested) const {
  std::string text = fmt::format("{}: mutant {} of seed {}: {} of {}\n  {}\n", Name(tested.outcome),
                                 number, options_.seed, InfoOf(mutant.mutation).name,
                                 entry.subject.recording.name, mutant.what);
  text += fmt::format("  - {}\n", DumpLine(entry.subject.recording.lines[mutant.before.index]));
  if (mutant.other) {
    text += fmt::format("    {}\n", DumpLine(entry.subject.recording.lines[mutant.other->index]));
  }
  if (mutant.line <= mutant.lines.size()) {
    text += fmt::format("  + {}\n", DumpLine(mutant.lines[mutant.line - 1]));
  }
  for (const Finding& finding : tested.judgement.findings) {
    text += fmt::format("  judge: {}: {}; expected {}; observed {}\n", Name(finding.guarantee),
                        finding.watch, finding.expected, finding.observed);
  }
  for (const std::string& undecided_reason : tested.judgement.undecided) {
    text += fmt::format("  judge, undecided: {}\n", undecided_reason);
  }
  for (const std::string& wrong : tested.judged.wrongs) {
    text += fmt::format("  reference oracle: {}\n", wrong);
  }
  if (tested.judged.undecidable()) text += "  reference oracle: undecidable\n";
  if (tested.equivalence != nullptr) {
    text +=
        fmt::format("  equivalent: {}: {}\n", tested.equivalence->name, tested.equivalence->reason);
  }
  return text;
}

std::vector<Guarantee> Session::Inconclusive() const {
  std::vector<Guarantee> inconclusive;
  for (const Guarantee guarantee : GuaranteesOfWatches()) {
    const bool proven =
        std::any_of(AllMutations().begin(), AllMutations().end(), [&](const MutationInfo& info) {
          const auto row = rows_.find(info.mutation);
          return info.primary == guarantee && row != rows_.end() &&
                 row->second.found.contains(guarantee);
        });
    if (!proven) inconclusive.push_back(guarantee);
  }
  return inconclusive;
}

std::string Session::OutcomeTable() const {
  std::string text = fmt::format("{:<24}{:>8}", "mutation", "mutants");
  for (int i = 0; i < kOutcomes; ++i) {
    text += fmt::format("{:>13}", Name(static_cast<MutantOutcome>(i)));
  }
  text += '\n';
  std::array<std::uint64_t, kOutcomes> totals{};
  for (const MutationInfo& info : AllMutations()) {
    const auto found = rows_.find(info.mutation);
    if (found == rows_.end()) continue;
    text += fmt::format("{:<24}{:>8}", info.name, found->second.mutants);
    for (std::size_t i = 0; i < kOutcomes; ++i) {
      text += fmt::format("{:>13}", found->second.outcomes[i]);
      totals[i] += found->second.outcomes[i];
    }
    text += '\n';
  }
  text += fmt::format("{:<24}{:>8}", "all", mutants_);
  for (const std::uint64_t total : totals) text += fmt::format("{:>13}", total);
  text += fmt::format("\n{:<32}", "share");
  for (const std::uint64_t total : totals) {
    text += fmt::format("{:>12.2f}%", Share(total, mutants_));
  }
  return text + "\n";
}

std::string Session::GuaranteeTable() const {
  std::string text = fmt::format("{:<24}", "found by");
  for (const Guarantee guarantee : GuaranteesOfWatches()) {
    text += fmt::format("{:>9.8}", Name(guarantee));
  }
  text += '\n';
  for (const MutationInfo& info : AllMutations()) {
    const auto row = rows_.find(info.mutation);
    if (row == rows_.end()) continue;
    text += fmt::format("{:<24}", info.name);
    for (const Guarantee guarantee : GuaranteesOfWatches()) {
      const auto found = row->second.found.find(guarantee);
      const std::uint64_t count = found == row->second.found.end() ? 0 : found->second;
      text += fmt::format("{:>9}", fmt::format("{}{}", count == 0 ? "." : std::to_string(count),
                                               info.primary == guarantee ? "*" : " "));
    }
    text += '\n';
  }
  return text + "(* the guarantee that is declared to catch the mutation)\n";
}

std::string Session::Report() const {
  std::string text = OutcomeTable() + "\n" + GuaranteeTable() + "\n";
  for (const Equivalence& row : AllEquivalences()) {
    const auto found = equivalences_.find(row.name);
    text += fmt::format("{:>8} {:<24} {}\n", found == equivalences_.end() ? 0 : found->second,
                        row.name, row.reason);
  }
  const std::vector<Guarantee> inconclusive = Inconclusive();
  text +=
      fmt::format("\n{} of {} guarantees catch what they are the primary of",
                  GuaranteesOfWatches().size() - inconclusive.size(), GuaranteesOfWatches().size());
  for (const Guarantee guarantee : inconclusive) text += fmt::format("; not {}", Name(guarantee));
  // An answer to a watch cannot break them.
  for (const Guarantee guarantee : AllGuarantees()) {
    const auto& of_watches = GuaranteesOfWatches();
    if (std::find(of_watches.begin(), of_watches.end(), guarantee) != of_watches.end()) continue;
    text += fmt::format("\nnot at stake here: {}", Name(guarantee));
  }
  return text + "\n";
}

}  // namespace watchproof
