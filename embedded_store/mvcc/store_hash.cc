// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/mvcc/store_hash.h"

#include <array>

#include "embedded_store/mvcc/change_codec.h"

namespace watchproof::store {
namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78;  // Castagnoli's, bits reversed

constexpr std::array<std::uint32_t, 256> MakeTable() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    std::uint32_t bits = i;
    for (int round = 0; round < 8; ++round) {
      bits = (bits & 1) != 0 ? bits >> 1 ^ kPolynomial : bits >> 1;
    }
    table[i] = bits;
  }
  return table;
}
constexpr std::array<std::uint32_t, 256> kTable = MakeTable();

}  // namespace

void Crc32c::Add(std::string_view bytes) {
  for (const char byte : bytes) {
    state_ = state_ >> 8 ^ kTable[(state_ ^ static_cast<unsigned char>(byte)) & 0xff];
  }
}

Result<std::uint32_t> HashAll(BackendReader& reader) {
  Crc32c sum;
  std::string_view key, value;
  for (const Bucket bucket : kAllBuckets) {
    WP_RETURN_IF_ERROR(reader.Seek(bucket));
    while (true) {
      WP_ASSIGN_OR_RETURN(const bool found, reader.Next(key, value));
      if (!found) break;
      sum.Add(key);
      sum.Add(value);
    }
  }
  return sum.value();
}

Result<std::uint32_t> HashChanges(BackendReader& reader, Revision to) {
  Crc32c sum;
  std::string_view key, value;
  const std::string end = ChangeKey({to.next(), 0});
  WP_RETURN_IF_ERROR(reader.Seek(Bucket::kChange));
  while (true) {
    WP_ASSIGN_OR_RETURN(const bool found, reader.Next(key, value));
    if (!found || key >= end) return sum.value();
    sum.Add(key);
    sum.Add(value);
  }
}

}  // namespace watchproof::store
