// SPDX-License-Identifier: Apache-2.0
// The compaction floor as the answers to Compact show it.
//
//   floor.Learn(method, request);   ...   if (start < floor.get()) ...
//
// Threads: any.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "fixtures/protos/rpc.pb.h"

namespace watchproof::fakes {

class Floor {
 public:
  // Of a call that was answered, hence granted.
  void Learn(const std::string& method, const std::string& request) {
    if (method != "/etcdserverpb.KV/Compact") return;
    etcdserverpb::CompactionRequest compaction;
    if (!compaction.ParseFromString(request)) return;
    std::int64_t known = floor_;
    while (known < compaction.revision() &&
           !floor_.compare_exchange_weak(known, compaction.revision())) {
    }
  }
  std::int64_t get() const { return floor_; }

 private:
  std::atomic<std::int64_t> floor_{0};
};

}  // namespace watchproof::fakes
