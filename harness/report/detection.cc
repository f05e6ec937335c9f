// SPDX-License-Identifier: Apache-2.0
#include "harness/report/detection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/base/escape.h"
#include "harness/history/json_fields.h"
#include "harness/report/text.h"

namespace watchproof {
namespace {

std::string ShareText(Proportion counted) {
  return fmt::format("{} of {}", counted.hits, counted.trials);
}

}  // namespace

double DetectionRow::median_seconds() const {
  if (shown.hits == 0) return -1;
  const double chance = static_cast<double>(shown.hits) / shown.trials;
  return seconds * (chance >= 0.5 ? 1 : std::ceil(std::log(0.5) / std::log(1 - chance)));
}

bool DetectionTable::Wrong() const {
  return std::ranges::any_of(
      rows, [](const DetectionRow& row) { return row.shown.hits == 0 || row.alarms.hits > 0; });
}

std::string ToText(const DetectionTable& table) {
  Table cells{.head = {"bug", "case", "release", "shown", "chance per attempt", "median time",
                       "fixed release", "false alarms"},
              .rows = {}};
  Proportion alarms;
  for (const DetectionRow& row : table.rows) {
    alarms.hits += row.alarms.hits;
    alarms.trials += row.alarms.trials;
    cells.rows.push_back({row.bug, row.case_name, row.release, ShareText(row.shown),
                          Percent(ClopperPearson(row.shown)),
                          row.median_seconds() < 0 ? "-" : FormatSeconds(row.median_seconds()),
                          row.fixed.empty() ? "-" : row.fixed,
                          row.fixed.empty() ? "-" : ShareText(row.alarms)});
  }
  std::string text = PlainTable(cells);
  for (const DetectionRow& row : table.rows) {
    if (row.undecided > 0) {
      text += fmt::format("undecided  {} attempts of {} on {}\n", row.undecided, row.case_name,
                          row.release);
    }
    for (const std::string& command : row.why) {
      text += fmt::format("alarm      {}\n", Escaped(command));
    }
  }
  for (const std::string& one : table.left_out) text += fmt::format("left out   {}\n", one);
  text += fmt::format("alarms     {} attempts on fixed releases: {} per attempt (95 %)\n",
                      ShareText(alarms), Percent(ClopperPearson(alarms)));
  return text + fmt::format("run        {}, seed {}\n", Escaped(table.run), table.seed);
}

void to_json(Json& json, const DetectionRow& row) {
  const Interval chance = ClopperPearson(row.shown);
  json = {{"bug", row.bug},
          {"case", row.case_name},
          {"release", row.release},
          {"shown", row.shown.hits},
          {"attempts", row.shown.trials},
          {"undecided", row.undecided},
          {"low", chance.low},
          {"high", chance.high},
          {"seconds_per_attempt", row.seconds},
          {"fixed", row.fixed},
          {"false_alarms", row.alarms.hits},
          {"attempts_on_fixed", row.alarms.trials},
          {"repeat_of_alarms", row.why}};
  if (row.median_seconds() >= 0) json["median_seconds"] = row.median_seconds();
}

std::string ToJson(const DetectionTable& table) {
  return DumpJson({{"schema", 1},
                   {"confidence", 0.95},
                   {"run", table.run},
                   {"seed", table.seed},
                   {"left_out", table.left_out},
                   {"rows", table.rows}});
}

}  // namespace watchproof
