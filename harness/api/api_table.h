// SPDX-License-Identifier: Apache-2.0
// etcd's API as a table, one row for each call, field and option, written once in
// fixtures/api/etcd.toml: which steps of exploration draw it, which cases and standing promises ask
// for it, which guarantees judge it, and the right that it needs.
//
//   for (const ApiRow& row : ApiTable::BuiltIn().rows()) {
//     if (row.judged.missing()) fmt::print("{} is not judged\n", row.name);
//   }
//
// Threads: values, and one constant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/status.h"

namespace watchproof {

// Names, or why there are none; a cell with neither is work.
struct ApiCell {
  std::vector<std::string> names{};
  std::string why_none{};
  bool missing() const { return names.empty() && why_none.empty(); }
};

struct ApiRow {
  // "KV.Range", "RangeRequest.limit", "RangeRequest.SortOrder.ASCEND"; a field of a oneof as any
  // other.
  std::string name;
  ApiCell drawn;   // steps of scripts, and faults that plans of clusters draw
  ApiCell asked;   // cases, "Suite.*" of a whole suite, and standing promises
  ApiCell judged;  // guarantees
  std::string right;
};

class ApiTable {
 public:
  // Errors name the line and what was expected.
  static Result<ApiTable> Parse(std::string_view toml);
  static const ApiTable& BuiltIn();
  // The text of fixtures/api/etcd.toml, as it was when the executable was built.
  static std::string_view BuiltInText();

  // In the order of the text; each name once.
  const std::vector<ApiRow>& rows() const { return rows_; }

 private:
  std::vector<ApiRow> rows_;
};

}  // namespace watchproof
