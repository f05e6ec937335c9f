// SPDX-License-Identifier: Apache-2.0
// Writes a few keys at random: mostly puts, some transactions, some deletions of existing keys.
//
//   RandomWriter writer(scenario, scenario.Key("area"));
//   writer.Write(20, 40);    // 20 to 40 steps, drawn from the seed
//
// Not thread-safe. Ownership: refers to the scenario.
#pragma once

#include <string>
#include <vector>

#include "cases/support/scenario.h"

namespace watchproof {

class RandomWriter {
 public:
  RandomWriter(Scenario& scenario, const std::string& stem);

  // Between `least` and `most` writes.
  void Write(std::int64_t least, std::int64_t most);
  // One of the keys. They differ between seeds.
  const std::string& key() const { return keys_.front(); }

 private:
  void Next();

  Scenario& scenario_;
  Prng prng_;
  std::vector<std::string> keys_;
  std::vector<std::string> alive_;
};

}  // namespace watchproof
