// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/situation_coverage.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/explore/situation_script.h"

namespace watchproof::explore {
namespace {

constexpr int kRoundsOfRows = 3;

}  // namespace

SituationCoverage::SituationCoverage()
    : pairs_(SituationModel(), 2),
      triples_(SituationModel(), 3),
      asked_pairs_(pairs_),
      asked_triples_(triples_),
      rounds_(kRoundsOfRows) {}

std::optional<Script> SituationCoverage::Next(Prng& prng) {
  for (; rounds_ > 0; --rounds_) {
    auto row = asked_pairs_.NextRow(prng);
    if (!row) row = asked_triples_.NextRow(prng);
    if (row) {
      asked_pairs_.Add(*row);
      asked_triples_.Add(*row);
      return ScriptFor(ToSituation(*row), prng);
    }
    asked_pairs_ = pairs_;
    asked_triples_ = triples_;
  }
  return std::nullopt;
}

void SituationCoverage::Reached(std::vector<Row> rows) {
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  for (const Row& row : rows) {
    pairs_.Add(row);
    triples_.Add(row);
  }
}

std::string SituationCoverage::Summary() const {
  return fmt::format("pairs {} of {}, triples {} of {}, {} cannot be", pairs_.count(),
                     pairs_.possible(), triples_.count(), triples_.possible(),
                     pairs_.impossible() + triples_.impossible());
}

std::string SituationCoverage::Missing() const {
  std::string text;
  for (const Combinations* combinations : {&pairs_, &triples_}) {
    for (const std::string& one : combinations->Missing()) text += one + '\n';
  }
  return text;
}

}  // namespace watchproof::explore
