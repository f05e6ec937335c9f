// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/findings.h"

#include <algorithm>
#include <utility>

namespace watchproof {

bool Findings::Admit(Guarantee guarantee, std::uint64_t subject) {
  const auto [entry, is_new] = index_.emplace(Key{guarantee, subject}, findings_.size());
  if (!is_new) ++repeats_[entry->second];
  return is_new;
}

void Findings::File(Guarantee guarantee, std::string watch, Draft draft) {
  findings_.push_back({.guarantee = guarantee,
                       .watch = std::move(watch),
                       .expected = std::move(draft.expected),
                       .observed = std::move(draft.observed),
                       .like = std::string(draft.like),
                       .evidence = std::move(draft.evidence),
                       .at = draft.at});
  repeats_.push_back(0);
}

void Findings::Doubt(std::string reason) {
  if (doubts_.size() < kMostDoubts) doubts_.push_back(std::move(reason));
}

bool Findings::Has(Guarantee guarantee, WatchIndex watch) const {
  return index_.contains(Key{guarantee, watch.value});
}

std::vector<Finding> Findings::Finished() const {
  std::vector<Finding> finished = findings_;
  for (std::size_t i = 0; i < finished.size(); ++i) {
    if (repeats_[i] > 0) finished[i].observed += fmt::format("; and {} more like it", repeats_[i]);
  }
  std::stable_sort(finished.begin(), finished.end(),
                   [](const Finding& a, const Finding& b) { return a.at < b.at; });
  return finished;
}

}  // namespace watchproof
