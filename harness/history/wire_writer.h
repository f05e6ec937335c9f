// SPDX-License-Identifier: Apache-2.0
// Writes protobuf messages field by field, without generated code: for recordings that were not
// made on a wire, imported ones and those of tests.
//
//   const std::string put = Message().Text(1, "key").Text(2, "value").bytes();
//
// Zero is written too when asked for, as some encoders do. Not thread-safe.
#pragma once

#include <cstdint>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <string_view>

#include "harness/base/units.h"
#include "harness/history/watch_options.h"

namespace watchproof {

class Message {
 public:
  Message& Number(std::uint32_t field, std::int64_t value) {
    Writer().add_int64(field, value);
    return *this;
  }
  // Left out when zero, as proto3 does.
  Message& Optional(std::uint32_t field, std::int64_t value) {
    return value == 0 ? *this : Number(field, value);
  }
  Message& Text(std::uint32_t field, std::string_view text) {
    Writer().add_bytes(field, text.data(), text.size());
    return *this;
  }
  // Left out when empty, likewise.
  Message& OptionalText(std::uint32_t field, std::string_view text) {
    return text.empty() ? *this : Text(field, text);
  }
  Message& Nested(std::uint32_t field, const Message& message) {
    return Text(field, message.bytes());
  }
  Message& Raw(std::string_view bytes) {
    bytes_ += bytes;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  protozero::pbf_writer Writer() { return protozero::pbf_writer(bytes_); }

  std::string bytes_;
};

inline Message Header(std::int64_t revision) {
  return Message().Number(1, 77).Number(2, 88).Number(3, revision).Number(4, 2);
}

struct KeyValueFields {
  std::string key{};
  std::string value{};
  std::int64_t create = 0;
  std::int64_t mod = 0;
  std::int64_t version = 0;
  std::int64_t lease = 0;
};
inline Message KeyValue(const KeyValueFields& kv) {
  Message message;
  message.OptionalText(1, kv.key).Optional(2, kv.create).Optional(3, kv.mod);
  return message.Optional(4, kv.version).OptionalText(5, kv.value).Optional(6, kv.lease);
}

struct WatchCreate {
  std::string key{};
  std::string range_end{};  // etcd's meaning: empty is one key, "\0" is from key on
  Revision start{};         // 0: from now on
  WatchId id{};             // 0: the server chooses
  WatchOptions options{};
};
// A WatchRequest.
inline Message CreateRequest(const WatchCreate& create) {
  Message message;
  message.Text(1, create.key).OptionalText(2, create.range_end);
  message.Optional(3, create.start.value).Optional(7, create.id.value);
  std::string filters;  // packed
  for (const WatchOption& option : kWatchOptions) {
    if (!(create.options.*option.flag)) continue;
    if (option.field == kFiltersField) {
      filters += static_cast<char>(option.filter);
    } else {
      message.Number(static_cast<std::uint32_t>(option.field), 1);
    }
  }
  return Message().Nested(1, message.OptionalText(kFiltersField, filters));
}

}  // namespace watchproof
