// SPDX-License-Identifier: Apache-2.0
// Puts from several connections, as fast as they are answered or at a given rate.
//
//   const PutsDone done = PutAll({.endpoint = e, .key = "k", .puts = 2000, .writers = 8});
//
// One thread, the caller's, drives them all, so that many clients cost the machine little.
// Benchmarks only.
#pragma once

#include <cstdint>
#include <string>

namespace watchproof::store {

struct PutLoad {
  std::string endpoint;
  std::string key;
  std::size_t keys = 1;  // above 1: as many keys that begin with `key`
  std::uint64_t puts = 1000;
  std::size_t writers = 8;  // connections with one put in flight each
  double per_second = 0;    // of all writers; 0: as fast as they are answered
  std::size_t value_bytes = 100;
};

struct PutsDone {
  std::uint64_t acknowledged = 0;
  std::uint64_t failed = 0;
  std::int64_t first_revision = 0;  // of those acknowledged
  double seconds = 0;
};

PutsDone PutAll(const PutLoad& load);

}  // namespace watchproof::store
