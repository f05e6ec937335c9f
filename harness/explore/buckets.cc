// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/buckets.h"

#include <algorithm>
#include <functional>
#include <set>

namespace watchproof::explore {
namespace {

constexpr std::size_t kMostExamples = 12;

}  // namespace

bool Bucket::proven() const {
  return std::ranges::any_of(examples, [](const Example& one) { return !one.broken.by_silence; });
}

bool Shows(const std::vector<Finding>& findings, const std::string& shape) {
  return std::ranges::find(findings, shape, ShapeOf) != findings.end();
}

Buckets::Number Buckets::Of(const std::string& shape) {
  const auto [entry, is_new] = numbers_.emplace(shape, buckets_.size());
  if (is_new) {
    buckets_.push_back({.shape = shape, .examples = {}});
    known_.push_back(false);
  }
  return entry->second;
}

void Buckets::Add(const Bucket::Example& example, std::uint64_t number, const Finding& broken,
                  Bucket& bucket) {
  if (bucket.times++ == 0) bucket.first = number;
  std::vector<Bucket::Example>& examples = bucket.examples;
  const auto place =
      std::ranges::upper_bound(examples, example.beside, {}, &Bucket::Example::beside);
  if (place == examples.end() && examples.size() == kMostExamples) return;
  examples.insert(place, example)->broken = broken;
  if (examples.size() > kMostExamples) examples.pop_back();
}

void Buckets::File(const Bucket::Example& example, std::uint64_t number,
                   const std::vector<Finding>& findings) {
  const bool any_proven = std::ranges::any_of(findings, [&](const Finding& broken) {
    return !broken.by_silence && !(is_known_ && is_known_(broken.signature));
  });
  Kind kind;
  std::set<Number> shown;
  std::set<Number> explaining;
  for (const Finding& broken : findings) {
    const Number bucket = Of(ShapeOf(broken));
    Add(example, number, broken, buckets_[bucket]);
    known_[bucket] = is_known_ && is_known_(broken.signature);
    if (known_[bucket]) continue;
    if (kind.shown.empty() && broken.by_silence != any_proven) kind.shown.push_back(bucket);
    shown.insert(bucket);
    if (broken.by_silence != any_proven) explaining.insert(bucket);
  }
  if (!findings.empty()) explained_ = false;
  if (kind.shown.empty()) return;
  shown.erase(kind.shown.front());
  kind.shown.insert(kind.shown.end(), shown.begin(), shown.end());
  kind.may_explain.assign(explaining.begin(), explaining.end());
  ++scripts_[std::move(kind)];
}

void Buckets::Explain() const {
  explained_ = true;
  after_.clear();
  std::set<Number> causes;
  for (Number i = 0; i < known_.size(); ++i) {
    if (known_[i]) causes.insert(i);
  }
  std::map<Kind, std::uint64_t> left = scripts_;
  while (!left.empty()) {
    std::vector<std::uint64_t> first(buckets_.size());
    for (const auto& [kind, times] : left) first[kind.shown.front()] += times;
    const auto most = static_cast<Number>(std::ranges::max_element(first) - first.begin());
    causes.insert(most);
    std::map<Number, std::uint64_t>& after = after_[buckets_[most].shape];
    std::erase_if(left, [&](const auto& one) {
      const auto& [kind, times] = one;
      if (!std::ranges::binary_search(kind.may_explain, most)) return false;
      for (const Number other : kind.shown) after[other] += times;
      return true;
    });
  }
  causes_.clear();
  for (const Number cause : causes) {
    causes_.push_back(buckets_[cause]);
    for (auto& [shape, after] : after_) after.erase(cause);
  }
}

const std::vector<Bucket>& Buckets::all() const {
  if (!explained_) Explain();
  return causes_;
}

std::vector<const Bucket*> Buckets::After(const Bucket& cause) const {
  if (!explained_) Explain();
  const auto found = after_.find(cause.shape);
  if (found == after_.end()) return {};
  std::vector<std::pair<std::uint64_t, Number>> often;
  for (const auto& [bucket, times] : found->second) often.emplace_back(times, bucket);
  std::ranges::stable_sort(often, std::greater(), &std::pair<std::uint64_t, Number>::first);
  std::vector<const Bucket*> after;
  for (const auto& [times, bucket] : often) after.push_back(&buckets_[bucket]);
  return after;
}

bool Buckets::Cite(const std::string& recording) const {
  return std::ranges::any_of(buckets_, [&](const Bucket& bucket) {
    return std::ranges::find(bucket.examples, recording, &Bucket::Example::recording) !=
           bucket.examples.end();
  });
}

bool Buckets::Shown(const std::string& shape) const { return numbers_.contains(shape); }

}  // namespace watchproof::explore
