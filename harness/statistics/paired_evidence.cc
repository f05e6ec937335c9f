// SPDX-License-Identifier: Apache-2.0
#include "harness/statistics/paired_evidence.h"

#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

namespace watchproof {
namespace {

// What a bet on "all pairs that differ are against the head" has won: it doubles, or all is lost.
double WonByCertainty(const Pairs& pairs) {
  return pairs.in_favour > 0 ? 0 : std::exp2(pairs.against);
}

// Likewise on "a share of them above one half", with every such share bet on alike: two to the
// number of pairs times the mean likelihood over these shares.
double WonByShares(const Pairs& pairs) {
  const double a = pairs.against + 1.0;
  const double b = pairs.in_favour + 1.0;
  const double above_half = boost::math::ibetac(a, b, 0.5);
  if (above_half <= 0) return 0;
  const double log_beta =
      boost::math::lgamma(a) + boost::math::lgamma(b) - boost::math::lgamma(a + b);
  return std::exp((a + b - 1) * std::log(2.0) + log_beta + std::log(above_half));
}

// Bets against "the mean of the differences is at least the drop", each a part of what may be bet
// without the risk of debts. The whole is best where no pair is against the head.
struct Bet {
  double part;
  double weight;
};
constexpr Bet kBets[] = {{1, 0.6}, {0.5, 0.1}, {0.25, 0.1}, {0.125, 0.1}, {0.0625, 0.1}};

}  // namespace

double Evidence(const Pairs& pairs) { return (WonByCertainty(pairs) + WonByShares(pairs)) / 2; }

bool Excludes(const Pairs& pairs, double drop) {
  if (drop >= 1) return true;
  double won = 0;
  for (const Bet& bet : kBets) {
    const double stake = bet.part / (1 - drop);
    won += bet.weight * std::pow(1 - bet.part, pairs.against) *
           std::pow(1 + stake * drop, pairs.alike) *
           std::pow(1 + stake * (1 + drop), pairs.in_favour);
  }
  return won * (1 - kDropConfidence) >= 1;
}

double HighestDrop(const Pairs& pairs) {
  double excluded = 1;
  double possible = 0;
  if (Excludes(pairs, possible)) return possible;
  while (excluded - possible > 1e-4) {
    const double middle = (excluded + possible) / 2;
    (Excludes(pairs, middle) ? excluded : possible) = middle;
  }
  return excluded;
}

}  // namespace watchproof
