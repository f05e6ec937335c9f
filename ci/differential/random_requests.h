// SPDX-License-Identifier: Apache-2.0
// Random requests of the KV and Lease API, for giving the same ones to two servers: mostly
// sensible, now and then nonsense, always on the same few keys, so that they meet each other.
//
//   RandomRequests requests(Prng(seed));
//   requests.Saw(revision);               // what "now" is, for revisions near it
//   pb::TxnRequest txn = requests.Txn();
//
// Not thread-safe. Test code only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fixtures/protos/rpc.pb.h"
#include "fixtures/protos/rpc_lease.pb.h"
#include "harness/base/prng.h"

namespace watchproof::store {

class RandomRequests {
 public:
  explicit RandomRequests(Prng random) : random_(std::move(random)) {}

  void Saw(std::int64_t revision) { now_ = revision; }

  etcdserverpb::RangeRequest Range();
  etcdserverpb::PutRequest Put();
  etcdserverpb::DeleteRangeRequest Delete();
  etcdserverpb::TxnRequest Txn() { return Txn(2); }
  etcdserverpb::CompactionRequest Compact();
  etcdserverpb::LeaseGrantRequest Grant();
  etcdserverpb::LeaseRevokeRequest Revoke();
  etcdserverpb::LeaseTimeToLiveRequest TimeToLive();
  etcdserverpb::LeaseKeepAliveRequest KeepAlive();

 private:
  bool Rarely() { return random_.Chance(0.03); }
  std::string Key();
  std::string RangeEnd();
  std::int64_t Revision();
  // A number to compare keys with: small, or near the current revision.
  std::int64_t Offset();
  std::int64_t Lease();
  etcdserverpb::Compare Compare();
  void Operation(int depth, etcdserverpb::RequestOp& operation);
  etcdserverpb::TxnRequest Txn(int depth);

  Prng random_;
  std::int64_t now_ = 1;
};

}  // namespace watchproof::store
