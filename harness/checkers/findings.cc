// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/findings.h"

#include <algorithm>
#include <utility>

namespace watchproof {

bool Findings::Admit(const Key& key) {
  Filed& filed = Of(key.level);
  const auto [entry, is_new] = index_.emplace(key, filed.findings.size());
  if (!is_new) ++filed.repeats[entry->second];
  return is_new;
}

void Findings::File(const Key& key, std::string watch, Draft draft) {
  Filed& filed = Of(key.level);
  filed.findings.push_back({.guarantee = key.guarantee,
                            .watch = std::move(watch),
                            .expected = std::move(draft.expected),
                            .observed = std::move(draft.observed),
                            .signature = std::string(draft.signature),
                            .evidence = std::move(draft.evidence),
                            .at = draft.at,
                            .impact = std::string(draft.impact),
                            .level = key.level});
  filed.repeats.push_back(0);
}

void Findings::Undecide(std::string reason) {
  if (undecided_reasons_.size() < kMostUndecidedReasons)
    undecided_reasons_.push_back(std::move(reason));
}

bool Findings::Has(Guarantee guarantee, WatchIndex watch) const {
  return index_.contains(Key{guarantee, watch.value, Level::kMust});
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

}  // namespace watchproof
