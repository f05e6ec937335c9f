// SPDX-License-Identifier: Apache-2.0
// The tools that wire.cc and wire_calls.cc read messages with; nobody else includes this.
//
//   bool Read(std::string_view message, PutRequestView& out) {
//     return EachField(message, [&](const FieldScanner& field) { ... return true; });
//   }
//
// Threads: functions without state.
#pragma once

#include "harness/history/wire.h"

namespace watchproof {

// Calls `field` with the scanner on each field of the message; false if it or a nested message is
// malformed.
template <typename OnField>
bool EachField(std::string_view message, OnField&& field) {
  FieldScanner scanner(message);
  while (scanner.Next()) {
    if (!field(scanner)) return false;
  }
  return !scanner.malformed();
}

inline void Set(const FieldScanner& field, std::int64_t& to) {
  if (field.is_varint()) to = field.integer();
}
inline void Set(const FieldScanner& field, std::uint64_t& to) {
  if (field.is_varint()) to = field.varint();
}
inline void Set(const FieldScanner& field, bool& to) {
  if (field.is_varint()) to = field.flag();
}
inline void Set(const FieldScanner& field, std::string_view& to) {
  if (field.is_bytes()) to = field.bytes();
}

// False if the message is malformed. `out` is new or cleared.
bool Read(std::string_view message, HeaderView& out);
bool Read(std::string_view message, KeyValueView& out);
bool Read(std::string_view message, EventView& out);
bool Read(std::string_view message, OperationView& out);
bool Read(std::string_view message, WatchCreateView& out);
bool Read(std::string_view message, WatchRequestView& out);
bool Read(std::string_view message, WatchResponseView& out);
bool Read(std::string_view message, RangeRequestView& out);
bool Read(std::string_view message, RangeResponseView& out);
bool Read(std::string_view message, PutRequestView& out);
bool Read(std::string_view message, PutResponseView& out);
bool Read(std::string_view message, DeleteRangeRequestView& out);
bool Read(std::string_view message, DeleteRangeResponseView& out);
bool Read(std::string_view message, CompareView& out);
bool Read(std::string_view message, TxnRequestView& out);
bool Read(std::string_view message, TxnResponseView& out);
bool Read(std::string_view message, CompactionRequestView& out);
bool Read(std::string_view message, CompactionResponseView& out);

// A nested message: read if the field is one, skipped otherwise.
template <typename View>
bool ReadNested(const FieldScanner& field, View& out) {
  return !field.is_bytes() || Read(field.bytes(), out);
}

template <typename View>
bool Append(const FieldScanner& field, std::vector<View>& out) {
  return !field.is_bytes() || Read(field.bytes(), out.emplace_back());
}

inline Status Outcome(bool read, std::string_view message, const char* name) {
  if (read) return Status();
  return Fail(StatusCode::kDataLoss, "{} bytes that are not a {}", message.size(), name);
}

template <typename View>
Status ParseFresh(std::string_view message, View& out, const char* name) {
  out = View();
  return Outcome(Read(message, out), message, name);
}

}  // namespace watchproof
