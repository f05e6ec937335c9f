// SPDX-License-Identifier: Apache-2.0
// The functions with which wire.cc and wire_calls.cc read messages; for these two files only.
//
//   bool Read(std::string_view message, CompactionRequestView& out) {
//     return ReadFields(message, At<1>(out.revision), At<2>(out.physical));
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
bool Read(std::string_view message, LeaseGrantRequestView& out);
bool Read(std::string_view message, LeaseGrantResponseView& out);
bool Read(std::string_view message, LeaseRevokeRequestView& out);

// Into places of each kind. A field of another wire type leaves its place as it is. False if a
// nested message is malformed.
inline bool Put(const FieldScanner& field, std::int64_t& to) {
  if (field.is_varint()) to = field.integer();
  return true;
}
inline bool Put(const FieldScanner& field, std::uint64_t& to) {
  if (field.is_varint()) to = field.varint();
  return true;
}
inline bool Put(const FieldScanner& field, bool& to) {
  if (field.is_varint()) to = field.flag();
  return true;
}
inline bool Put(const FieldScanner& field, std::string_view& to) {
  if (field.is_bytes()) to = field.bytes();
  return true;
}
inline bool Put(const FieldScanner& field, std::vector<std::string_view>& to) {
  if (field.is_bytes()) to.push_back(field.bytes());
  return true;
}

template <typename View>
bool Put(const FieldScanner& field, View& to) {
  return !field.is_bytes() || Read(field.bytes(), to);
}
template <typename View>
bool Put(const FieldScanner& field, std::vector<View>& to) {
  return !field.is_bytes() || Read(field.bytes(), to.emplace_back());
}

// The field of this number, and where it goes.
template <std::uint32_t kNumber, typename Place>
auto At(Place& place) {
  return [&place](const FieldScanner& field, bool& fine) {
    if (field.number() != kNumber) return false;
    fine = Put(field, place);
    return true;
  };
}
// The field of this number, and the function to call with it.
template <std::uint32_t kNumber, typename OnField>
auto On(OnField on_field) {
  return [on_field](const FieldScanner& field, bool& fine) {
    if (field.number() != kNumber) return false;
    fine = on_field(field);
    return true;
  };
}

// Hands each field of the message to the reader of its number, if there is one.
template <typename... Known>
bool ReadFields(std::string_view message, const Known&... known) {
  return EachField(message, [&](const FieldScanner& field) {
    bool fine = true;
    static_cast<void>((known(field, fine) || ...));
    return fine;
  });
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
