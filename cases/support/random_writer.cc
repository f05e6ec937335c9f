// SPDX-License-Identifier: Apache-2.0
#include "cases/support/random_writer.h"

namespace watchproof {
namespace {

constexpr int kKeys = 12;
constexpr ValueSize kValue{.least = 512, .most = 4096};

}  // namespace

RandomWriter::RandomWriter(Scenario& scenario, const std::string& stem)
    : scenario_(scenario), prng_(scenario.Random("writes")) {
  for (int i = 0; i < kKeys; ++i) keys_.push_back(scenario.Key(stem));
}

void RandomWriter::Write(std::int64_t least, std::int64_t most) {
  for (std::int64_t i = prng_.Between(least, most); i > 0; --i) Next();
}

void RandomWriter::Next() {
  const std::string& key = prng_.Pick(keys_);
  const auto dice = prng_.Below(10);
  if (dice == 0 && std::erase(alive_, key) > 0) {
    scenario_.Delete(key);
    return;
  }
  std::vector<std::string> chosen{key};
  if (dice < 3) {
    chosen = keys_;
    prng_.Shuffle(chosen);
    chosen.resize(static_cast<std::size_t>(prng_.Between(2, 5)));
  }
  for (const std::string& one : chosen) {
    std::erase(alive_, one);
    alive_.push_back(one);
  }
  chosen.size() == 1 ? scenario_.Put(key, kValue) : scenario_.PutTogether(chosen, kValue);
}

}  // namespace watchproof
