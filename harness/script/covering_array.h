// SPDX-License-Identifier: Apache-2.0
// Covering arrays: few rows of parameter values that together hold every combination of the values
// of any two, or three, parameters. Rows are made one at a time, each with as many new combinations
// as a greedy choice finds (as AETG does), so that what rows led to decides on the next ones.
//
//   Combinations pairs(model, 2);
//   while (const auto row = pairs.NextRow(prng)) pairs.Add(*row);
//   pairs.count() == pairs.possible();
//
// The same seed gives the same rows. Not thread-safe. Ownership: refers to the model.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/prng.h"

namespace watchproof::explore {

struct Parameter {
  std::string name;
  std::vector<std::string> values;
};

inline constexpr std::size_t kMostParameters = 12;
// A value of each parameter; those beyond the model's parameters are 0.
using Row = std::array<std::uint8_t, kMostParameters>;
inline constexpr std::uint8_t kUndecided = 255;

struct Model {
  std::vector<Parameter> parameters;
  // Whether a row can be. Asked of rows with undecided values, too: false only if no choice of
  // these can make it right.
  bool (*allows)(const Row& row);
};

class Combinations {
 public:
  // Combinations of the values of so many parameters.
  Combinations(const Model& model, std::size_t strength);

  void Add(const Row& row);
  std::size_t count() const { return count_; }
  std::size_t possible() const { return possible_count_; }
  std::size_t impossible() const { return possible_.size() - possible_count_; }
  // Those that can be and were not added: "watch=live start=now".
  std::vector<std::string> Missing() const;

  // A row with one of these, and with many more of them; empty if there is none.
  std::optional<Row> NextRow(Prng& prng) const;

 private:
  // Some parameters; their combinations are numbered from `first` on.
  struct Group {
    std::vector<std::size_t> parameters;
    std::size_t first = 0;
  };
  std::size_t ValuesOf(std::size_t parameter) const {
    return model_->parameters[parameter].values.size();
  }
  void AddGroups(std::vector<std::size_t> parameters, std::size_t strength);
  const Group& GroupOf(std::size_t combination) const;
  // Empty while a value is undecided.
  std::optional<std::size_t> NumberOf(const Group& group, const Row& row) const;
  Row RowOf(std::size_t combination) const;
  bool IsMissing(std::size_t number) const { return possible_[number] && !added_[number]; }
  bool CanBeCompleted(Row row, std::size_t from = 0) const;
  // Missing combinations in the row that the parameter is part of.
  std::size_t Gain(const Row& row, std::size_t parameter) const;
  std::size_t Complete(Row& row, Prng& prng) const;

  const Model* model_;
  std::size_t size_ = 0;
  std::vector<Group> groups_;
  std::vector<std::vector<std::size_t>> groups_with_;  // by parameter
  std::vector<bool> possible_;                         // by number of a combination
  std::vector<bool> added_;
  std::size_t possible_count_ = 0;
  std::size_t count_ = 0;
};

}  // namespace watchproof::explore
