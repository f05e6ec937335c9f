// SPDX-License-Identifier: Apache-2.0
// How much an attempt tested, counted from the recording. What could have broken a guarantee is
// counted by its checker.
//
//   if (const auto why = Vacuous(judgement.exercise, {"Reliable"})) ... inconclusive, not passed
//
// Threads: values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace watchproof {

struct Exercise {
  std::uint64_t watches_asked = 0;
  std::uint64_t watches_created = 0;
  std::uint64_t events_expected = 0;   // summed over the watches; sentinels included
  std::uint64_t events_delivered = 0;  // of these
  // Creates, cancels and periods in which progress was due; and those of them that were answered.
  std::uint64_t promises_asked = 0;
  std::uint64_t promises_answered = 0;
  std::uint64_t questions_left = 0;  // standing promises that were not asked for at the end
  std::vector<std::string> asked;    // those that were
  // How often the target could have broken the guarantee, by its name; guarantees without an
  // opportunity are left out. The sentinels and the standing promises at the end do not count: they
  // come in every attempt, whatever it tested.
  std::map<std::string, std::uint64_t> opportunities;
};

// Why an attempt without a finding proves nothing about one of the named guarantees; empty if it
// does prove something. If no guarantee is named: about any watch.
std::optional<std::string> Vacuous(const Exercise& exercise,
                                   const std::vector<std::string>& guarantees);

}  // namespace watchproof
