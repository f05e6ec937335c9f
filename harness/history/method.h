// SPDX-License-Identifier: Apache-2.0
// The calls of etcd's API that a recording holds: one description for clients, for recordings of
// others' traffic and for texts.
//
//   stub.UnaryCall(&context, InfoOf(Method::kPut).path, ...);
//
// A new call is a number and a row here; its answer is judged where the model reads it. Threads:
// values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace watchproof {

// The numbers are the file format: never reuse one. The first four are those of the operations of
// a transaction in its messages, too.
enum class Method : std::uint8_t {
  kNone = 0,
  kRange = 1,
  kPut = 2,
  kDeleteRange = 3,
  kTxn = 4,
  kCompact = 5,
  kLeaseGrant = 6,
  kLeaseRevoke = 7,
  kLeaseLeases = 8,
  kLeaseTimeToLive = 9,
  kLeaseKeepAlive = 10,  // a request and its answer on a stream
};

struct MethodInfo {
  std::string_view name;
  const char* path;  // of HTTP/2; empty: it is not sent
};
// In the order of the numbers.
inline constexpr MethodInfo kMethods[] = {
    {"none", ""},
    {"range", "/etcdserverpb.KV/Range"},
    {"put", "/etcdserverpb.KV/Put"},
    {"delete range", "/etcdserverpb.KV/DeleteRange"},
    {"txn", "/etcdserverpb.KV/Txn"},
    {"compact", "/etcdserverpb.KV/Compact"},
    {"lease grant", "/etcdserverpb.Lease/LeaseGrant"},
    {"lease revoke", "/etcdserverpb.Lease/LeaseRevoke"},
    {"lease list", "/etcdserverpb.Lease/LeaseLeases"},
    {"lease time to live", "/etcdserverpb.Lease/LeaseTimeToLive"},
    {"lease keep-alive", "/etcdserverpb.Lease/LeaseKeepAlive"},
};
// A stream: its messages are entries of their own.
inline constexpr const char* kWatchPath = "/etcdserverpb.Watch/Watch";

constexpr const MethodInfo& InfoOf(Method method) {
  return kMethods[static_cast<std::size_t>(method)];
}

// Whether it is a key-value call; each may be an operation of a transaction.
constexpr bool IsKeyValue(Method method) {
  return method >= Method::kRange && method <= Method::kTxn;
}

// kNone: none of these.
constexpr Method MethodOf(std::string_view path) {
  for (std::size_t i = 1; i < std::size(kMethods); ++i) {
    if (kMethods[i].path == path) return static_cast<Method>(i);
  }
  return Method::kNone;
}

}  // namespace watchproof
