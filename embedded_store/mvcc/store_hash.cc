// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/mvcc/store_hash.h"

#include <string_view>

#include "embedded_store/mvcc/change_codec.h"

namespace watchproof::store {
namespace {

// The entries of a bucket up to a key; an empty end means all.
Status Add(BackendReader& reader, Bucket bucket, std::string_view end, Crc32c& sum) {
  std::string_view key, value;
  WP_RETURN_IF_ERROR(reader.Seek(bucket));
  while (true) {
    WP_ASSIGN_OR_RETURN(const bool found, reader.Next(key, value));
    if (!found || (!end.empty() && key >= end)) return {};
    sum.process_bytes(key.data(), key.size());
    sum.process_bytes(value.data(), value.size());
  }
}

}  // namespace

Result<std::uint32_t> HashAll(BackendReader& reader) {
  Crc32c sum;
  for (const Bucket bucket : kAllBuckets) WP_RETURN_IF_ERROR(Add(reader, bucket, {}, sum));
  return sum.checksum();
}

Result<std::uint32_t> HashChanges(BackendReader& reader, Revision to) {
  Crc32c sum;
  WP_RETURN_IF_ERROR(Add(reader, Bucket::kChange, ChangeKey({to.next(), 0}), sum));
  return sum.checksum();
}

}  // namespace watchproof::store
