// SPDX-License-Identifier: Apache-2.0
// Maps a struct to a JSON object and back from one list of its fields: a member of the struct, or a
// function beside it in namespace watchproof.
//
//   struct Healed { std::uint32_t member = 1;
//                   template <class F> void Fields(F& field) { field("member", member); } };
//   template <class F> void Fields(F& field, Lag& lag) { field.Required("us", lag.us); }
//   Json json = WriteFields(healed);   Json list = std::vector<Lag>{...};
//   std::optional<std::string> wrong = ReadFields(json, healed);   // the field that does not fit
//
// A field that is missing keeps its default, unless it is required; one of another type is wrong,
// and so is a number that does not fit. Threads: values.
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

#include "harness/base/bytes.h"
#include "harness/base/parse.h"
#include "harness/base/units.h"

namespace watchproof {

// Keeps the order of the fields, so that a line reads from the case to the evidence.
using Json = nlohmann::ordered_json;

// On one line, unless there is an indent. Any bytes of a target become valid UTF-8.
inline std::string DumpJson(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

class FieldWriter {
 public:
  explicit FieldWriter(Json& out) : out_(out) {}
  template <typename T>
  void operator()(const char* name, const T& value) {
    out_[name] = value;
  }
  template <typename T>
  void Required(const char* name, const T& value) {
    out_[name] = value;
  }
  // An empty list is left out.
  template <typename T>
  void IfAny(const char* name, const std::vector<T>& value) {
    if (!value.empty()) out_[name] = value;
  }

 private:
  Json& out_;
};

// Calls the list of fields.
template <typename F, typename T>
requires requires(F& field, T& value) { value.Fields(field); }
void VisitFields(F& field, T& value) { value.Fields(field); }
template <typename F, typename T>
requires requires(F& field, T& value) { Fields(field, value); }
void VisitFields(F& field, T& value) { Fields(field, value); }

template <typename T>
concept Described = requires(FieldWriter& writer, T& value) {
  VisitFields(writer, value);
};

template <Described T>
void to_json(Json& json, const T& value) {
  json = Json::object();
  FieldWriter writer(json);
  T copy = value;  // the fields are such as can be read into
  VisitFields(writer, copy);
}
template <typename Tag, typename T>
void to_json(Json& json, const Quantity<Tag, T>& value) {
  json = value.value;
}
inline void to_json(Json& json, const HexBytes& value) { json = HexOf(value.bytes); }

// Reads from a library's object of any kind.
template <typename Object>
class BasicFieldReader {
 public:
  explicit BasicFieldReader(const Object& in) : in_(in) {}
  const std::optional<std::string>& wrong() const { return wrong_; }

  template <typename T>
  void operator()(const char* name, T& value) {
    const auto found = in_.find(name);
    if (found == in_.end() || wrong_) return;
    if (!Take(*found, value)) wrong_ = name + inner_;
  }
  template <typename T>
  void Required(const char* name, T& value) {
    if (!in_.contains(name) && !wrong_) wrong_ = name;
    (*this)(name, value);
  }
  template <typename T>
  void IfAny(const char* name, std::vector<T>& value) {
    (*this)(name, value);
  }

 private:
  template <typename T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool>) static bool Take(const Object& json,
                                                                               T& value) {
    if (!json.is_number_integer()) return false;
    // A number beyond 64 bits is no integer to the parser, one beyond 63 is an unsigned one.
    const bool too_large =
        json.is_number_unsigned() && json.template get<std::uint64_t>() > INT64_MAX;
    if (too_large || !std::in_range<T>(json.template get<std::int64_t>())) return false;
    value = json.template get<T>();
    return true;
  }
  bool Take(const Object& json, HexBytes& value) {
    if (!json.is_string()) return false;
    const auto bytes = BytesOfHex(json.template get_ref<const std::string&>());
    if (bytes) value.bytes = *bytes;
    return bytes.has_value();
  }
  template <Described T>
  bool Take(const Object& json, T& value) {
    if (!json.is_object()) return false;
    BasicFieldReader nested(json);
    VisitFields(nested, value);
    if (nested.wrong()) inner_ = "." + *nested.wrong();
    return !nested.wrong();
  }
  template <typename Tag, typename T>
  bool Take(const Object& json, Quantity<Tag, T>& value) {
    return Take(json, value.value);
  }
  template <typename Less>
  bool Take(const Object& json, std::set<std::string, Less>& values) {
    std::vector<std::string> all;
    if (!Take(json, all)) return false;
    values.clear();
    values.insert(all.begin(), all.end());
    return true;
  }
  template <typename T>
  bool Take(const Object& json, std::vector<T>& values) {
    if (!json.is_array()) return false;
    values.clear();
    for (const Object& one : json) {
      if (!Take(one, values.emplace_back())) return false;
    }
    return true;
  }

  // What the library can read: texts, fractions, maps, and types with a from_json of their own.
  template <typename T>
  bool Take(const Object& json, T& value) {
    try {
      json.get_to(value);
      return true;
    } catch (const nlohmann::json::exception&) {
      return false;
    }
  }

  const Object& in_;
  std::optional<std::string> wrong_;
  std::string inner_;  // of an object in it, the field that is wrong
};

using FieldReader = BasicFieldReader<nlohmann::json>;

template <Described T>
Json WriteFields(const T& fields) {
  return fields;
}

// Empty, or the name of the field that does not fit. Requires: `json` is an object.
template <typename Object, typename T>
std::optional<std::string> ReadFields(const Object& json, T& fields) {
  BasicFieldReader<Object> reader(json);
  VisitFields(reader, fields);
  return reader.wrong();
}

}  // namespace watchproof
