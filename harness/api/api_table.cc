// SPDX-License-Identifier: Apache-2.0
#include "harness/api/api_table.h"

#include <algorithm>

#include "harness/base/check.h"
#include "harness/base/toml_fields.h"

namespace watchproof {
namespace {

using namespace toml_fields;

constexpr std::string_view kEvery = "every";

Result<ApiCell> ReadCell(const toml::table& row, std::string_view field, const ApiCell& usual) {
  const toml::node* const node = row.get(field);
  if (node == nullptr) return usual;
  ApiCell cell;
  if (node->is_string()) {
    WP_ASSIGN_OR_RETURN(cell.why_none, Text(row, field));
  } else {
    WP_ASSIGN_OR_RETURN(cell.names, List<std::string>(row, field));
  }
  return cell;
}

// What it leaves out is as usual in its table.
Result<ApiRow> ReadRow(const toml::node& node, std::string name, const ApiRow& usual) {
  const toml::table* const table = node.as_table();
  if (table == nullptr) return FailAt(node, fmt::format("expected {} = {{ ... }}", name));
  WP_RETURN_IF_ERROR(OnlyFields(*table, {"drawn", "asked", "judged", "right"}));
  ApiRow row{.name = std::move(name), .right = usual.right};
  WP_ASSIGN_OR_RETURN(row.drawn, ReadCell(*table, "drawn", usual.drawn));
  WP_ASSIGN_OR_RETURN(row.asked, ReadCell(*table, "asked", usual.asked));
  WP_ASSIGN_OR_RETURN(row.judged, ReadCell(*table, "judged", usual.judged));
  if (table->contains("right")) {
    WP_ASSIGN_OR_RETURN(row.right, Text(*table, "right"));
  }
  return row;
}

// The entries of a table as they stand in the text.
using Entries = std::vector<std::pair<std::string, const toml::node*>>;
Entries InOrder(const toml::table& table) {
  Entries entries;
  for (const auto& [key, node] : table) entries.emplace_back(key.str(), &node);
  const auto at = [](const auto& entry) {
    const toml::source_position& begin = entry.second->source().begin;
    return std::pair(begin.line, begin.column);
  };
  std::ranges::sort(entries, {}, at);
  return entries;
}

}  // namespace

Result<ApiTable> ApiTable::Parse(std::string_view text) {
  WP_ASSIGN_OR_RETURN(const toml::table root, Document(text));
  ApiTable api;
  for (const auto& [scope, node] : InOrder(root)) {
    const toml::table* const table = node->as_table();
    if (table == nullptr) {
      return FailAt(*node, fmt::format("expected [{}], a service, a message or an enum", scope));
    }
    ApiRow usual;
    if (const toml::node* const every = table->get(kEvery)) {
      WP_ASSIGN_OR_RETURN(usual, ReadRow(*every, std::string(kEvery), {}));
    }
    for (const auto& [name, entry] : InOrder(*table)) {
      if (name == kEvery) continue;
      WP_ASSIGN_OR_RETURN(ApiRow row, ReadRow(*entry, scope + "." + name, usual));
      if (row.right.empty()) return FailAt(*entry, "expected 'right', here or in 'every'");
      api.rows_.push_back(std::move(row));
    }
  }
  return api;
}

const ApiTable& ApiTable::BuiltIn() {
  static const ApiTable kBuiltIn = [] {
    Result<ApiTable> parsed = Parse(BuiltInText());
    WP_CHECK(parsed.has_value(), ("fixtures/api/etcd.toml: " + parsed.error().message()).c_str());
    return std::move(parsed).value();
  }();
  return kBuiltIn;
}

}  // namespace watchproof
