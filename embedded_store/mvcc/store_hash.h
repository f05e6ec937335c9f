// SPDX-License-Identifier: Apache-2.0
// One number for the content of a store: CRC-32C, the sum that etcd uses too. Two stores of this
// kind with the same history have the same number; etcd's is over its own form of the data.
//
//   Crc32c sum;  sum.Add(key);  sum.Add(value);  sum.value();
//
// Threads: values.
#pragma once

#include <cstdint>
#include <string_view>

#include "embedded_store/backend/backend.h"

namespace watchproof::store {

class Crc32c {
 public:
  void Add(std::string_view bytes);
  std::uint32_t value() const { return ~state_; }

 private:
  std::uint32_t state_ = ~std::uint32_t{0};
};

// Over everything that the reader finds.
Result<std::uint32_t> HashAll(BackendReader& reader);
// Over the changes up to a revision.
Result<std::uint32_t> HashChanges(BackendReader& reader, Revision to);

}  // namespace watchproof::store
