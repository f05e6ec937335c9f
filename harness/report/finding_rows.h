// SPDX-License-Identifier: Apache-2.0
// A finding as rows of a name and a text, in the order in which every format shows them.
//
//   for (const auto& [name, text] : FindingRows(finding)) out << name << text;
//
// Threads: function without state.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/driver/result.h"

namespace watchproof {

struct FindingRow {
  std::string_view name;
  std::string text;  // never empty
};
std::vector<FindingRow> FindingRows(const FindingRecord& finding);
// The guarantee and its rows, a line each.
std::string ToText(const FindingRecord& finding);

}  // namespace watchproof
