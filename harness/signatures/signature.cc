// SPDX-License-Identifier: Apache-2.0
#include "harness/signatures/signature.h"

#include <algorithm>
#include <array>

#include "harness/base/check.h"

namespace watchproof {
namespace {

// A function's own static, because registrations of other files run in unknown order.
std::vector<RankedSignature>& Registry() {
  static std::vector<RankedSignature> registry(static_cast<std::size_t>(Rank::kEnd));
  return registry;
}

Rank RankOf(Rewind::Cause cause) {
  switch (cause) {
    case Rewind::Cause::kCompaction:
      return Rank::kRevisionsReused;
    case Rewind::Cause::kLostWrite:
      return Rank::kWriteLost;
    case Rewind::Cause::kRefusedWrite:
      return Rank::kRefusedWriteDone;
    case Rewind::Cause::kAppliedAgain:
      return Rank::kAppliedAgain;
    case Rewind::Cause::kLeftOut:
      return Rank::kLeftOut;
    case Rewind::Cause::kRightsLeft:
      return Rank::kRightsLeftBehind;
    case Rewind::Cause::kRecreated:
      return Rank::kRecreatedAtTheFloor;
  }
  return Rank::kRevisionsReused;
}

const bool kReplacesSigner = [] {
  MakeSigner() = [](const Facts& facts) -> std::unique_ptr<Signer> {
    return std::make_unique<BugTraces>(facts);
  };
  return true;
}();

}  // namespace

std::string_view BugTraces::SignatureOf(const Draft& draft, std::optional<WatchIndex> watch) const {
  const Filing filing{draft, watch, facts_, *this};
  for (const RankedSignature& one : Signatures()) {
    if (one.fits(filing)) return one.name;
  }
  return {};
}

// It is of the history that the store left if it rests on that line or a later one, and is about a
// higher revision.
std::string_view BugTraces::InHindsight(const Finding& finding, Revision about) const {
  const bool left =
      rewind_ && about > rewind_->to && GivesWay(finding.signature) &&
      std::ranges::any_of(finding.evidence, [&](Line line) { return line >= rewind_->since; });
  if (!left) return finding.signature;
  return NameOf(RankOf(rewind_->cause));
}

bool Filing::LostAfter(Rewind::Cause cause) const {
  const std::optional<Rewind>& rewind = traces.rewind();
  return rewind && rewind->cause == cause && draft.lost && draft.lost->change.revision > rewind->to;
}

const Loss* Filing::LostAtTheFloor() const {
  const bool floor = draft.lost &&
                     facts.model.calls().CompactionAsked(draft.lost->change.revision) &&
                     draft.lost->compaction_requested >= draft.lost->change.revision;
  return floor ? &*draft.lost : nullptr;
}

SignatureRegistration::SignatureRegistration(Rank rank, std::string_view name,
                                             bool (*fits)(const Filing&)) {
  RankedSignature& place = Registry()[static_cast<std::size_t>(rank)];
  WP_CHECK(place.fits == nullptr, "every rank is that of one signature");
  place = {name, fits};
}

std::string_view NameOf(Rank rank) { return Signatures()[static_cast<std::size_t>(rank)].name; }

bool GivesWay(std::string_view signature) {
  return signature.empty() ||
         std::ranges::any_of(
             std::array{Rank::kStaleRead, Rank::kWriteLost, Rank::kSilentAfterCompaction,
                        Rank::kHalfTransaction, Rank::kAnswersOutOfOrder},
             [&](Rank rank) { return signature == NameOf(rank); });
}

const std::vector<RankedSignature>& Signatures() {
  static const bool kLinked = std::ranges::all_of(
      Registry(), [](const RankedSignature& one) { return one.fits != nullptr; });
  WP_CHECK(kLinked, "all signatures are linked");
  return Registry();
}

}  // namespace watchproof
