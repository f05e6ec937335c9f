// SPDX-License-Identifier: Apache-2.0
// Writes protobuf messages field by field, independent of the scanner and of generated code: for
// recordings that were not made on a wire, imported ones and those of tests.
//
//   const std::string put = Message().Text(1, "key").Text(2, "value").bytes();
//
// Zero is written too when asked for, as some encoders do. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace watchproof {

class Message {
 public:
  Message& Number(std::uint32_t field, std::int64_t value) {
    Varint(std::uint64_t{field} << 3);
    Varint(static_cast<std::uint64_t>(value));
    return *this;
  }
  // Left out when zero, as proto3 does.
  Message& Optional(std::uint32_t field, std::int64_t value) {
    return value == 0 ? *this : Number(field, value);
  }
  Message& Text(std::uint32_t field, std::string_view text) {
    Varint((std::uint64_t{field} << 3) | 2);
    Varint(text.size());
    bytes_ += text;
    return *this;
  }
  Message& Nested(std::uint32_t field, const Message& message) {
    return Text(field, message.bytes());
  }
  Message& Fixed64(std::uint32_t field, std::uint64_t value) { return Fixed(field, 1, value, 8); }
  Message& Fixed32(std::uint32_t field, std::uint32_t value) { return Fixed(field, 5, value, 4); }
  Message& Raw(std::string_view bytes) {
    bytes_ += bytes;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void Varint(std::uint64_t value) {
    for (; value > 0x7f; value >>= 7) bytes_ += static_cast<char>((value & 0x7f) | 0x80);
    bytes_ += static_cast<char>(value);
  }
  Message& Fixed(std::uint32_t field, std::uint32_t type, std::uint64_t value, int size) {
    Varint((std::uint64_t{field} << 3) | type);
    for (int i = 0; i < size; ++i) bytes_ += static_cast<char>((value >> (8 * i)) & 0xff);
    return *this;
  }

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
  if (!kv.key.empty()) message.Text(1, kv.key);
  message.Optional(2, kv.create).Optional(3, kv.mod).Optional(4, kv.version);
  if (!kv.value.empty()) message.Text(5, kv.value);
  message.Optional(6, kv.lease);
  return message;
}

}  // namespace watchproof
