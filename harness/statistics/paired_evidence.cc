// SPDX-License-Identifier: Apache-2.0
#include "harness/statistics/paired_evidence.h"

#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

namespace watchproof {
namespace {

// What a bet on "all pairs that differ are against the head" has won: it doubles, where the share
// is one half, or all is lost.
double WonByCertainty(const Pairs& pairs, double share) {
  return pairs.in_favour > 0 ? 0 : std::pow(share, -pairs.against);
}

// Likewise on "more of them than that share", with every such share bet on alike: the mean
// likelihood over these, by the likelihood of the share.
double WonByShares(const Pairs& pairs, double share) {
  const double a = pairs.against + 1.0;
  const double b = pairs.in_favour + 1.0;
  const double above = boost::math::ibetac(a, b, share);
  if (above <= 0) return 0;
  const double log_beta =
      boost::math::lgamma(a) + boost::math::lgamma(b) - boost::math::lgamma(a + b);
  return std::exp(log_beta + std::log(above) - pairs.against * std::log(share) -
                  b * std::log(1 - share));
}

// Bets against "the mean of the differences is at least the drop", each a part of what may be bet
// without the risk of debts. The whole is best where no pair is against the head.
struct Bet {
  double part;
  double weight;
};
constexpr Bet kBets[] = {{1, 0.6}, {0.5, 0.1}, {0.25, 0.1}, {0.125, 0.1}, {0.0625, 0.1}};

}  // namespace

double Evidence(const Pairs& pairs, double share) {
  return (WonByCertainty(pairs, share) + WonByShares(pairs, share)) / 2;
}

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
