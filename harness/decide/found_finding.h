// SPDX-License-Identifier: Apache-2.0
// What exploration found, one of each kind: a new finding with the script that shows it, or a known
// bug of the target; for people, and as JSON.
//
//   std::ranges::sort(found, IsGraver);
//   fmt::print("{}", ToText(found.front(), 100));
//   fmt::print("{}", KnownTable(known, 100));
//
// Threads: functions without state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/bugs/answer_key.h"
#include "harness/results/result.h"
#include "harness/statistics/proportion.h"

namespace watchproof {

struct FoundFinding {
  FindingRecord finding;
  int number = 0;                        // of a new one, from 1; 0: a known bug of the target
  std::string known{};                   // that bug: "etcd #20693: a watch at ..."
  std::uint64_t times = 0;               // scripts, or plans, that showed it
  std::string_view shown_by = "script";  // or "plan"
  std::vector<std::string> steps{};      // of the smallest script, for people
  std::string settings{};                // of its server; empty: none but the target's
  std::vector<std::string> also{};       // guarantees that it breaks beside it
  std::vector<std::string> killed{};     // at which calls the server was killed
  // Runs of the script alone that showed it, of none if that was not counted; empty: it shows only
  // beside others.
  std::optional<Proportion> alone{};
  std::string script{}, report{};  // files; empty: none was kept
  std::string recording{};         // likewise
  std::string repeat{};            // the command that shows it again
  std::string smaller{};           // that which makes the script smaller; empty: it is
};

// A bug by its name alone: "etcd #20693".
std::string NameOfBug(std::string_view known);

// By how binding the rule is, by how grave it is to break it, and by how many showed it.
bool IsGraver(const FoundFinding& one, const FoundFinding& other);
// What the bug costs that it is known as; the least for one that the key does not name.
Cost CostOf(const FoundFinding& found);

// A new one in full: what was wrong, what shows it, and what to do next. Long scripts are cut.
std::string ToText(const FoundFinding& found, std::size_t columns);
// In two lines.
std::string InShort(const FoundFinding& found, std::size_t columns);
// Known bugs, a line each, below what they cost, in this order; none: an empty text.
std::string KnownTable(const std::vector<FoundFinding>& known, std::size_t columns);
// On one line, without its end, as report/schemas/explore.schema.json describes it.
std::string ToJson(const FoundFinding& found);

}  // namespace watchproof
