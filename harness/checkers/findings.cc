// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/findings.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "harness/checkers/signatures.h"
#include "harness/history/standing_promise.h"

namespace watchproof {

bool Findings::Admit(const Key& key) {
  Filed& filed = Of(key.level);
  const auto [entry, is_new] = index_.emplace(key, filed.findings.size());
  if (!is_new) ++filed.repeats[entry->second];
  return is_new;
}

std::optional<WatchIndex> Findings::WatchOf(const Key& key) const {
  if (key.subject >= table_.size()) return std::nullopt;
  return WatchIndex(static_cast<std::uint32_t>(key.subject));
}

// On a message with events that were meant for the watch that had the id before, or gets it next.
bool Findings::RestsOnNamesake(const Key& key, const Draft& draft) const {
  const auto watch = WatchOf(key);
  if (!watch) return false;
  const WatchDetails& details = table_.details(*watch);
  // What comes again may have come for the former watch, and then from history. That creates were
  // answered in another order is a guess; that the former watch waited for the event is not.
  const bool open = draft.signature.empty() || draft.signature == signature::kReplayed ||
                    draft.signature == signature::kFalseNotice ||
                    draft.signature == signature::kAnswersOutOfOrder;
  return std::any_of(draft.evidence.begin(), draft.evidence.end(), [&](Line line) {
    return details.next_events.contains(line) || (open && details.former_events.contains(line));
  });
}

// What is for a watch with the id -1, and what is for its whole stream, look alike.
bool Findings::SharesIdOfStream(const Key& key) const {
  const auto watch = WatchOf(key);
  const std::uint64_t stream = watch ? IdOf(table_.state(*watch).stream) : key.subject;
  return std::ranges::any_of(table_.All(), [&](WatchIndex one) {
    const WatchState& other = table_.state(one);
    return other.end != WatchEnd::kRefused && IdOf(other.stream) == stream &&
           table_.details(one).requested_id == kWholeStream;
  });
}

void Findings::File(const Key& key, std::string watch, Draft draft) {
  Filed& filed = Of(key.level);
  const Where& where = draft.where;
  const bool named =
      std::find(draft.evidence.begin(), draft.evidence.end(), where.line) != draft.evidence.end();
  if (where.line.value != 0 && !named) draft.evidence.push_back(where.line);
  if (RestsOnNamesake(key, draft)) {
    draft.signature = signature::kEventsOfFormer;
  } else if (SharesIdOfStream(key)) {
    draft.signature = signature::kIdOfMinusOne;
  } else if (const auto of = WatchOf(key); of && table_.details(*of).requested_start < 0) {
    // Releases that take such a start have no place for the watch in their order (etcd #20693).
    draft.signature = signature::kNegativeStart;
  }
  if (!key.promise.empty()) {
    watch = fmt::format("standing promise: {}; {}", TextOfPromise(key.promise), watch);
  }
  filed.findings.push_back({.guarantee = key.guarantee,
                            .watch = std::move(watch),
                            .expected = std::move(draft.expected),
                            .observed = std::move(draft.observed),
                            .signature = std::string(draft.signature),
                            .evidence = std::move(draft.evidence),
                            .at = where.line.value != 0 ? where.at : draft.at,
                            .impact = std::string(draft.impact),
                            .level = key.level,
                            .standing = std::string(key.promise)});
  filed.repeats.push_back(0);
}

void Findings::Undecide(std::string reason) {
  if (undecided_reasons_.size() < kMostUndecidedReasons)
    undecided_reasons_.push_back(std::move(reason));
}

bool Findings::Has(Guarantee guarantee, WatchIndex watch) const {
  return index_.contains(Key{guarantee, watch.value, Level::kMust, {}});
}

std::vector<Finding> Findings::Finished(const Filed& filed) {
  std::vector<Finding> finished = filed.findings;
  for (std::size_t i = 0; i < finished.size(); ++i) {
    if (filed.repeats[i] == 0) continue;
    finished[i].observed += fmt::format("; and {} more like it", filed.repeats[i]);
  }
  std::stable_sort(finished.begin(), finished.end(),
                   [](const Finding& a, const Finding& b) { return a.at < b.at; });
  return finished;
}

void GravestFirst(std::vector<Finding>& findings) {
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return std::tuple(a.level, GravityOf(a.guarantee), a.at) <
           std::tuple(b.level, GravityOf(b.guarantee), b.at);
  });
}

}  // namespace watchproof
