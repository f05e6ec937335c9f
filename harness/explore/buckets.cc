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

Buckets::Number Buckets::Of(const Finding& broken) {
  const std::string shape = ShapeOf(broken);
  const auto [entry, is_new] = numbers_.emplace(shape, buckets_.size());
  if (is_new) buckets_.push_back({.shape = shape, .examples = {}});
  buckets_[entry->second].known = known_as_ ? known_as_(broken.signature) : "";
  return entry->second;
}

void Buckets::Add(const Bucket::Example& example, const Finding& broken, Bucket& bucket) {
  std::vector<Bucket::Example>& examples = bucket.examples;
  const auto place =
      std::ranges::upper_bound(examples, example.beside, {}, &Bucket::Example::beside);
  if (place == examples.end() && examples.size() == kMostExamples) return;
  examples.insert(place, example)->broken = broken;
  if (examples.size() > kMostExamples) examples.pop_back();
}

void Buckets::File(const Bucket::Example& example, std::uint64_t number,
                   const std::vector<Finding>& findings) {
  std::vector<Number> own;
  for (const Finding& broken : findings) own.push_back(Of(broken));
  const auto is_new = [&](std::size_t i) { return buckets_[own[i]].known.empty(); };
  bool any_proven = false;
  std::set<std::string> bugs;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    Bucket& bucket = buckets_[own[i]];
    Add(example, findings[i], bucket);
    any_proven = any_proven || (is_new(i) && !findings[i].by_silence);
    if (!is_new(i)) bugs.insert(bucket.known);
  }
  for (const Number one : std::set<Number>(own.begin(), own.end())) {
    if (buckets_[one].times++ == 0) buckets_[one].first = number;
  }
  for (const std::string& bug : bugs) ++by_bug_[bug];
  Kind kind;
  std::set<Number> shown;
  std::set<Number> explaining;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (!is_new(i)) continue;
    shown.insert(own[i]);
    if (findings[i].by_silence == any_proven) continue;
    if (kind.shown.empty()) kind.shown.push_back(own[i]);
    explaining.insert(own[i]);
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
  for (Number i = 0; i < buckets_.size(); ++i) {
    if (!buckets_[i].known.empty()) causes.insert(i);
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
