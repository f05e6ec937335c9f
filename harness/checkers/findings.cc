// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/findings.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace watchproof {

// Counts a repeat of a finding that no known bug explains.
bool Findings::CountRepeat(const Key& key) {
  const auto entry = index_.find(key);
  if (entry == index_.end()) return false;
  Filed& filed = Of(key.level);
  for (const std::size_t at : entry->second) {
    if (!filed.findings[at].signature.empty()) continue;
    ++filed.repeats[at];
    return true;
  }
  return false;
}

std::optional<WatchIndex> Findings::WatchOf(const Key& key) const {
  if (key.subject >= table_.size()) return std::nullopt;
  return WatchIndex(static_cast<std::uint32_t>(key.subject));
}

void Findings::File(const Key& key, std::string watch, Draft draft) {
  Filed& filed = Of(key.level);
  const Where& where = draft.where;
  const bool named =
      std::find(draft.evidence.begin(), draft.evidence.end(), where.line) != draft.evidence.end();
  if (where.line.value != 0 && !named) draft.evidence.push_back(where.line);
  const std::optional<WatchIndex> of_watch = WatchOf(key);
  const std::string_view signature = signer_.SignatureOf(draft, of_watch);
  if (draft.about.value == 0 && of_watch) draft.about = table_.state(*of_watch).last_event;
  if (!key.promise.empty()) {
    watch =
        fmt::format("standing promise: {}; {}", promise_texts_.find(key.promise)->second, watch);
  }
  std::vector<std::size_t>& alike = index_[key];
  for (const std::size_t at : alike) {
    if (filed.findings[at].signature != signature) continue;
    ++filed.repeats[at];
    return;
  }
  alike.push_back(filed.findings.size());
  filed.findings.push_back(
      {.guarantee = key.guarantee,
       .watch = std::move(watch),
       .expected = std::move(draft.expected),
       .observed = std::move(draft.observed),
       .signature = std::string(signature),
       .evidence = std::move(draft.evidence),
       .at = where.line.value != 0 ? where.at : draft.at,
       .impact = std::string(draft.impact),
       .clause = std::string(draft.clause.empty() ? HeadlineOf(key.guarantee).id : draft.clause),
       .by_silence = draft.by_silence,
       .level = key.level,
       .standing = std::string(key.promise)});
  filed.repeats.push_back(0);
  filed.about.push_back(draft.about);
}

void Findings::Undecide(std::string reason) {
  if (undecided_reasons_.size() < kMostUndecidedReasons)
    undecided_reasons_.push_back(std::move(reason));
}

void Findings::SignInHindsight() {
  for (Filed* const filed : {&failures_, &notes_}) {
    for (std::size_t i = 0; i < filed->findings.size(); ++i) {
      Finding& finding = filed->findings[i];
      finding.signature = signer_.InHindsight(finding, filed->about[i]);
    }
  }
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
