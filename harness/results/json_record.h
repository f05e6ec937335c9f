// SPDX-License-Identifier: Apache-2.0
// Writes and reads a struct as a JSON object from one list of its fields.
//
//   template <typename F> void Fields(F& field, CallsRecord& calls) {   // in namespace watchproof
//     field.Required("judged", calls.judged);
//     field("undecided", calls.undecided);
//   }
//   Json json = calls;   json.get<CallsRecord>();   // alone, or as an element of a list
//
// A field that is missing keeps its default, unless it is required. Reading throws what the library
// throws; its caller makes a Status of it. Threads: values.
#pragma once

#include <nlohmann/json.hpp>

namespace watchproof {

// Keeps the order of the fields, so that a line reads from the case to the evidence.
using Json = nlohmann::ordered_json;

struct RecordWriter {
  Json& out;
  template <typename T>
  void operator()(const char* name, const T& value) {
    out[name] = value;
  }
  template <typename T>
  void Required(const char* name, const T& value) {
    out[name] = value;
  }
};

struct RecordReader {
  const Json& in;
  template <typename T>
  void operator()(const char* name, T& value) {
    if (const auto found = in.find(name); found != in.end()) found->get_to(value);
  }
  template <typename T>
  void Required(const char* name, T& value) {
    in.at(name).get_to(value);
  }
};

template <typename T>
concept Described = requires(RecordWriter& writer, T& record) {
  Fields(writer, record);
};

template <Described T>
void to_json(Json& json, const T& record) {
  json = Json::object();
  RecordWriter writer{json};
  T copy = record;  // Fields takes what can be read into
  Fields(writer, copy);
}

template <Described T>
void from_json(const Json& json, T& record) {
  RecordReader reader{json};
  Fields(reader, record);
}

// On one line, unless there is an indent. Any bytes of a target become valid UTF-8.
inline std::string DumpJson(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace watchproof
