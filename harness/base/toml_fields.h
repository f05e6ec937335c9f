// SPDX-License-Identifier: Apache-2.0
// Fields of a TOML table by name and kind. Errors name the line and what was expected.
//
//   WP_RETURN_IF_ERROR(OnlyFields(table, {"case", "guarantees"}));
//   WP_ASSIGN_OR_RETURN(row.case_name, Text(table, "case"));
//   WP_ASSIGN_OR_RETURN(row.guarantees, List<std::string>(table, "guarantees"));
//
// Threads: functions without state.
#pragma once

#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 0  // what it implements is compiled once, with toml_fields.cc
#include <toml++/toml.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "harness/base/status.h"

namespace watchproof::toml_fields {

inline Status FailAt(const toml::node& node, std::string_view expected) {
  return Fail(StatusCode::kInvalidArgument, "line {}: {}", node.source().begin.line, expected);
}

// The document; an error names the line that is no TOML.
inline Result<toml::table> Document(std::string_view text) {
  toml::parse_result parsed = toml::parse(text);
  if (parsed) return std::move(parsed).table();
  return Fail(StatusCode::kInvalidArgument, "line {}: {}", parsed.error().source().begin.line,
              parsed.error().description());
}

// The field, or where it should be.
inline const toml::node& Place(const toml::table& table, std::string_view field) {
  const toml::node* node = table.get(field);
  return node != nullptr ? *node : static_cast<const toml::node&>(table);
}

// A text that must be present and not empty.
inline Result<std::string> Text(const toml::table& table, std::string_view field) {
  const auto* node = table.get(field);
  const auto text = node != nullptr ? node->value<std::string>() : std::nullopt;
  if (text && !text->empty()) return *text;
  return FailAt(Place(table, field),
                fmt::format("expected '{}' with a text that is not empty", field));
}

// The same, or empty when the field is absent.
inline Result<std::string> OptionalText(const toml::table& table, std::string_view field) {
  return table.contains(field) ? Text(table, field) : std::string();
}

template <typename T>
Result<std::vector<T>> List(const toml::table& table, std::string_view field) {
  const auto* node = table.get(field);
  const auto* array = node != nullptr ? node->as_array() : nullptr;
  if (array == nullptr || array->empty()) {
    return FailAt(Place(table, field),
                  fmt::format("expected '{}' with a list that is not empty", field));
  }
  std::vector<T> values;
  for (const toml::node& element : *array) {
    const auto value = element.value_exact<std::conditional_t<std::is_integral_v<T>, int64_t, T>>();
    if (!value) return FailAt(element, fmt::format("wrong kind of value in '{}'", field));
    values.push_back(static_cast<T>(*value));
  }
  return values;
}

// The same, or empty when the field is absent.
template <typename T>
Result<std::vector<T>> OptionalList(const toml::table& table, std::string_view field) {
  return table.contains(field) ? List<T>(table, field) : std::vector<T>();
}

// A misspelt field would silently mean nothing.
inline Status OnlyFields(const toml::table& table, std::initializer_list<std::string_view> known) {
  for (const auto& [key, value] : table) {
    if (std::find(known.begin(), known.end(), std::string_view(key.str())) == known.end()) {
      return FailAt(value, fmt::format("unknown field '{}'; expected one of {}",
                                       std::string_view(key.str()), fmt::join(known, ", ")));
    }
  }
  return {};
}

// The tables of [[field]]; none when the field is absent.
inline Result<std::vector<const toml::table*>> Tables(const toml::table& table,
                                                      std::string_view field) {
  std::vector<const toml::table*> tables;
  const toml::node* node = table.get(field);
  if (node == nullptr) return tables;
  const toml::array* array = node->as_array();
  if (array == nullptr) return FailAt(*node, fmt::format("expected [[{}]] tables", field));
  for (const toml::node& element : *array) {
    if (!element.is_table()) return FailAt(element, fmt::format("expected a table in '{}'", field));
    tables.push_back(element.as_table());
  }
  return tables;
}

}  // namespace watchproof::toml_fields
