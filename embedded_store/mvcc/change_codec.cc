// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/mvcc/change_codec.h"

#include <cstdint>
#include <protozero/buffer_string.hpp>
#include <protozero/varint.hpp>

namespace watchproof::store {
namespace {

constexpr char kPutTag = 'p';
constexpr char kDeleteTag = 'd';
constexpr std::size_t kNumberBytes = 8;
constexpr std::size_t kKeyBytes = 2 * kNumberBytes + 1;

void AppendBigEndian(std::int64_t number, std::string& out) {
  const auto bits = static_cast<std::uint64_t>(number);
  for (int shift = 56; shift >= 0; shift -= 8) out.push_back(static_cast<char>(bits >> shift));
}

std::int64_t BigEndian(std::string_view bytes) {
  std::uint64_t bits = 0;
  for (const char byte : bytes) bits = bits << 8 | static_cast<unsigned char>(byte);
  return static_cast<std::int64_t>(bits);
}

void AppendVarint(std::uint64_t number, std::string& out) {
  protozero::add_varint_to_buffer(&out, number);
}

// Takes numbers and bytes off the front; after the first that is not there, everything is zero and
// `ok` is false.
struct Reader {
  std::string_view rest;
  bool ok = true;

  std::uint64_t Varint() try {
    const char* at = rest.data();
    const std::uint64_t number = protozero::decode_varint(&at, at + rest.size());
    rest.remove_prefix(static_cast<std::size_t>(at - rest.data()));
    return number;
  } catch (const protozero::exception&) {
    ok = false;
    return 0;
  }
  std::int64_t Signed() { return static_cast<std::int64_t>(Varint()); }
  std::string_view Bytes(std::uint64_t count) {
    if (count > rest.size()) {
      ok = false;
      return {};
    }
    const std::string_view bytes = rest.substr(0, count);
    rest.remove_prefix(count);
    return bytes;
  }
};

}  // namespace

std::string ChangeKey(RevisionPair at) {
  std::string key;
  key.reserve(kKeyBytes);
  AppendBigEndian(at.main.value, key);
  key.push_back('_');
  AppendBigEndian(at.sub, key);
  return key;
}

std::string ChangeValue(const Change& change) {
  const KeyValue& kv = change.kv;
  std::string value;
  value.reserve(32 + kv.key.size() + kv.value.size());
  value.push_back(change.kind == ChangeKind::kPut ? kPutTag : kDeleteTag);
  AppendVarint(kv.key.size(), value);
  value += kv.key;
  if (change.kind == ChangeKind::kDelete) return value;
  AppendVarint(static_cast<std::uint64_t>(kv.create.value), value);
  AppendVarint(static_cast<std::uint64_t>(kv.version), value);
  AppendVarint(static_cast<std::uint64_t>(kv.lease), value);
  return value += kv.value;
}

Result<Change> ReadChange(std::string_view key, std::string_view value) {
  if (key.size() != kKeyBytes || key[kNumberBytes] != '_' || value.empty()) {
    return Fail(StatusCode::kDataLoss, "an entry of {} and {} bytes is no change", key.size(),
                value.size());
  }
  Change change;
  change.kv.mod = Revision{BigEndian(key.substr(0, kNumberBytes))};
  change.sub = BigEndian(key.substr(kNumberBytes + 1));
  Reader reader{.rest = value.substr(1)};
  change.kind = value[0] == kPutTag ? ChangeKind::kPut : ChangeKind::kDelete;
  change.kv.key = reader.Bytes(reader.Varint());
  if (change.kind == ChangeKind::kPut) {
    change.kv.create = Revision{reader.Signed()};
    change.kv.version = reader.Signed();
    change.kv.lease = reader.Signed();
    change.kv.value = reader.rest;
  }
  const bool tagged = value[0] == kPutTag || value[0] == kDeleteTag;
  if (!reader.ok || !tagged || change.kv.mod.value <= 1 || change.sub < 0) {
    return Fail(StatusCode::kDataLoss, "the change at revision {} is damaged", change.kv.mod);
  }
  return change;
}

std::string NumberValue(std::int64_t number) {
  std::string value;
  AppendBigEndian(number, value);
  return value;
}

Result<std::int64_t> ReadNumber(std::string_view value) {
  if (value.size() != kNumberBytes) {
    return Fail(StatusCode::kDataLoss, "a number of {} bytes", value.size());
  }
  return BigEndian(value);
}

}  // namespace watchproof::store
