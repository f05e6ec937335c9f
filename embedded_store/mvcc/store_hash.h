// SPDX-License-Identifier: Apache-2.0
// One number for the content of a store: CRC-32C, the sum that etcd uses too. Two stores of this
// kind with the same history have the same number; etcd's is over its own form of the data.
//
//   WP_ASSIGN_OR_RETURN(const std::uint32_t hash, HashChanges(*reader, to));
//
// Threads: values.
#pragma once

#include <boost/crc.hpp>
#include <cstdint>

#include "embedded_store/backend/backend.h"

namespace watchproof::store {

using Crc32c = boost::crc_optimal<32, 0x1edc6f41, 0xffffffff, 0xffffffff, true, true>;

// Over everything that the reader finds.
Result<std::uint32_t> HashAll(BackendReader& reader);
// Over the changes up to a revision.
Result<std::uint32_t> HashChanges(BackendReader& reader, Revision to);

}  // namespace watchproof::store
