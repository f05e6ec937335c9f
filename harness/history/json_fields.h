// SPDX-License-Identifier: Apache-2.0
// Maps a struct to a JSON object and back from one list of its fields.
//
//   struct Healed { std::uint32_t member = 1;
//                   template <class F> void Fields(F& field) { field("member", member); } };
//   nlohmann::ordered_json json = WriteFields(healed);
//   std::optional<std::string> wrong = ReadFields(json, healed);   // the field that does not fit
//
// A field that is missing keeps its default; one of another type is an error, and so is a number
// that does not fit. Threads: values.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "harness/base/parse.h"
#include "harness/base/units.h"
#include "harness/history/hex_bytes.h"

namespace watchproof {

class FieldWriter {
 public:
  explicit FieldWriter(nlohmann::ordered_json& out) : out_(out) {}
  template <typename T>
  void operator()(const char* name, const T& value) {
    if constexpr (requires(T fields, FieldWriter & writer) { fields.Fields(writer); }) {
      T copy = value;
      FieldWriter nested(out_[name] = nlohmann::ordered_json::object());
      copy.Fields(nested);
    } else {
      out_[name] = value;
    }
  }
  template <typename Tag, typename T>
  void operator()(const char* name, const Quantity<Tag, T>& value) {
    out_[name] = value.value;
  }
  void operator()(const char* name, const HexBytes& value) { out_[name] = HexOf(value.bytes); }

 private:
  nlohmann::ordered_json& out_;
};

class FieldReader {
 public:
  explicit FieldReader(const nlohmann::json& in) : in_(in) {}
  const std::optional<std::string>& wrong() const { return wrong_; }

  template <typename T>
  void operator()(const char* name, T& value) {
    const auto found = in_.find(name);
    if (found == in_.end() || wrong_) return;
    if (!Take(*found, value)) wrong_ = name;
  }
  template <typename Tag, typename T>
  void operator()(const char* name, Quantity<Tag, T>& value) {
    T number = value.value;
    (*this)(name, number);
    value = Quantity<Tag, T>(number);
  }

 private:
  static bool Take(const nlohmann::json& json, bool& value) {
    if (!json.is_boolean()) return false;
    value = json.get<bool>();
    return true;
  }
  static bool Take(const nlohmann::json& json, std::string& value) {
    if (!json.is_string()) return false;
    value = json.get<std::string>();
    return true;
  }
  template <typename T>
  requires std::is_integral_v<T>
  static bool Take(const nlohmann::json& json, T& value) {
    if (!json.is_number_integer()) return false;
    // A number beyond 64 bits is no integer to the parser, one beyond 63 is an unsigned one.
    const bool too_large = json.is_number_unsigned() && json.get<std::uint64_t>() > INT64_MAX;
    if (too_large || !std::in_range<T>(json.get<std::int64_t>())) return false;
    value = json.get<T>();
    return true;
  }
  static bool Take(const nlohmann::json& json, HexBytes& value) {
    if (!json.is_string()) return false;
    const auto bytes = BytesOfHex(json.get_ref<const std::string&>());
    if (bytes) value.bytes = *bytes;
    return bytes.has_value();
  }
  template <typename T>
  requires requires(T fields, FieldReader& reader) { fields.Fields(reader); }
  static bool Take(const nlohmann::json& json, T& value) {
    if (!json.is_object()) return false;
    FieldReader nested(json);
    value.Fields(nested);
    return !nested.wrong();
  }
  template <typename Less>
  static bool Take(const nlohmann::json& json, std::set<std::string, Less>& values) {
    std::vector<std::string> all;
    if (!Take(json, all)) return false;
    values.clear();
    values.insert(all.begin(), all.end());
    return true;
  }
  template <typename T>
  static bool Take(const nlohmann::json& json, std::vector<T>& values) {
    if (!json.is_array()) return false;
    values.clear();
    for (const nlohmann::json& one : json) {
      if (!Take(one, values.emplace_back())) return false;
    }
    return true;
  }

  const nlohmann::json& in_;
  std::optional<std::string> wrong_;
};

template <typename Struct>
nlohmann::ordered_json WriteFields(Struct fields) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  FieldWriter writer(json);
  fields.Fields(writer);
  return json;
}

// Empty, or the name of the field that does not fit. Requires: `json` is an object.
template <typename Struct>
std::optional<std::string> ReadFields(const nlohmann::json& json, Struct& fields) {
  FieldReader reader(json);
  fields.Fields(reader);
  return reader.wrong();
}

}  // namespace watchproof
