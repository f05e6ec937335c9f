// SPDX-License-Identifier: Apache-2.0
#include "harness/report/finding_rows.h"

#include <fmt/format.h>

#include <algorithm>

namespace watchproof {

std::vector<FindingRow> FindingRows(const FindingRecord& finding) {
  std::vector<FindingRow> rows = {
      {"promise", finding.promise.empty() ? finding.guarantee : finding.promise},
      {"watch", finding.watch},
      {"expected", finding.expected},
      {"observed", finding.observed}};
  for (const std::string& message : finding.messages) rows.push_back({"see", message});
  rows.push_back({"meanwhile", finding.meanwhile});
  rows.push_back({"so", finding.impact});
  rows.push_back({"looks like", finding.signature});
  std::erase_if(rows, [](const FindingRow& row) { return row.text.empty(); });
  return rows;
}

std::string ToText(const FindingRecord& finding) {
  std::string text = finding.guarantee + "\n";
  for (const FindingRow& row : FindingRows(finding)) {
    text += fmt::format("  {:<10} {}\n", row.name, row.text);
  }
  return text;
}

}  // namespace watchproof
