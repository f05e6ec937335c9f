// SPDX-License-Identifier: Apache-2.0
#include "harness/script/covering_array.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "harness/base/check.h"

namespace watchproof::explore {
namespace {

// So many are drawn, and the one with the most new combinations is taken.
constexpr int kCandidates = 8;

Row Undecided(std::size_t parameters) {
  Row row{};
  std::fill_n(row.begin(), parameters, kUndecided);
  return row;
}

}  // namespace

Combinations::Combinations(const Model& model, std::size_t strength)
    : model_(&model), groups_with_(model.parameters.size()) {
  WP_CHECK(model.parameters.size() <= kMostParameters, "rows have room for every parameter");
  AddGroups({}, strength);
  added_.resize(size_);
  possible_.resize(size_);
  for (std::size_t number = 0; number < size_; ++number) {
    possible_[number] = CanBeCompleted(RowOf(number));
    possible_count_ += possible_[number] ? 1U : 0U;
  }
}

void Combinations::AddGroups(std::vector<std::size_t> parameters, std::size_t strength) {
  if (parameters.size() < strength) {
    std::size_t next = parameters.empty() ? 0 : parameters.back() + 1;
    for (parameters.push_back(next); next < model_->parameters.size(); ++next) {
      parameters.back() = next;
      AddGroups(parameters, strength);
    }
    return;
  }
  std::size_t combinations = 1;
  for (const std::size_t parameter : parameters) {
    groups_with_[parameter].push_back(groups_.size());
    combinations *= ValuesOf(parameter);
  }
  groups_.push_back({std::move(parameters), size_});
  size_ += combinations;
}

const Combinations::Group& Combinations::GroupOf(std::size_t combination) const {
  const auto after = std::ranges::upper_bound(groups_, combination, {}, &Group::first);
  return *std::prev(after);
}

std::optional<std::size_t> Combinations::NumberOf(const Group& group, const Row& row) const {
  std::size_t number = 0;
  for (const std::size_t parameter : group.parameters) {
    if (row[parameter] == kUndecided) return std::nullopt;
    number = number * ValuesOf(parameter) + row[parameter];
  }
  return group.first + number;
}

// With the values of the combination, and nothing else decided.
Row Combinations::RowOf(std::size_t combination) const {
  const Group& group = GroupOf(combination);
  Row row = Undecided(model_->parameters.size());
  std::size_t number = combination - group.first;
  for (auto parameter = group.parameters.rbegin(); parameter != group.parameters.rend();
       ++parameter) {
    row[*parameter] = static_cast<std::uint8_t>(number % ValuesOf(*parameter));
    number /= ValuesOf(*parameter);
  }
  return row;
}

bool Combinations::CanBeCompleted(Row row, std::size_t from) const {
  if (!model_->allows(row)) return false;
  while (from < model_->parameters.size() && row[from] != kUndecided) ++from;
  if (from == model_->parameters.size()) return true;
  for (std::size_t value = 0; value < ValuesOf(from); ++value) {
    row[from] = static_cast<std::uint8_t>(value);
    if (CanBeCompleted(row, from + 1)) return true;
  }
  return false;
}

void Combinations::Add(const Row& row) {
  for (const Group& group : groups_) {
    const auto number = NumberOf(group, row);
    if (!number || !IsMissing(*number)) continue;
    added_[*number] = true;
    ++count_;
  }
}

std::vector<std::string> Combinations::Missing() const {
  std::vector<std::string> missing;
  for (std::size_t number = 0; number < size_; ++number) {
    if (!IsMissing(number)) continue;
    const Row row = RowOf(number);
    std::string& text = missing.emplace_back();
    for (const std::size_t parameter : GroupOf(number).parameters) {
      const Parameter& its = model_->parameters[parameter];
      if (!text.empty()) text += ' ';
      text += its.name + '=' + its.values[row[parameter]];
    }
  }
  return missing;
}

std::size_t Combinations::Gain(const Row& row, std::size_t parameter) const {
  std::size_t gain = 0;
  for (const std::size_t group : groups_with_[parameter]) {
    const auto number = NumberOf(groups_[group], row);
    if (number && IsMissing(*number)) ++gain;
  }
  return gain;
}

// Decides what is undecided, parameter by parameter in a drawn order; of equally good values a
// drawn one. Returns how many missing combinations came in with it.
std::size_t Combinations::Complete(Row& row, Prng& prng) const {
  std::vector<std::size_t> order(model_->parameters.size());
  std::iota(order.begin(), order.end(), 0);
  prng.Shuffle(order);
  std::size_t gained = 0;
  for (const std::size_t parameter : order) {
    if (row[parameter] != kUndecided) continue;
    std::vector<std::uint8_t> best;
    std::size_t most = 0;
    for (std::size_t value = 0; value < ValuesOf(parameter); ++value) {
      row[parameter] = static_cast<std::uint8_t>(value);
      if (!CanBeCompleted(row)) continue;
      const std::size_t gain = Gain(row, parameter);
      if (best.empty() || gain > most) best.clear();
      if (best.empty()) most = gain;
      if (gain == most) best.push_back(row[parameter]);
    }
    row[parameter] = prng.Pick(best);
    gained += most;
  }
  return gained;
}

std::optional<Row> Combinations::NextRow(Prng& prng) const {
  if (count_ == possible_count_) return std::nullopt;
  std::size_t number = prng.Below(size_);
  while (!IsMissing(number)) number = (number + 1) % size_;
  std::optional<Row> best;
  std::size_t most = 0;
  for (int i = 0; i < kCandidates; ++i) {
    Row row = RowOf(number);
    const std::size_t gained = Complete(row, prng);
    if (best && gained <= most) continue;
    best = row;
    most = gained;
  }
  return best;
}

}  // namespace watchproof::explore
