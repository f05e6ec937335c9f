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
  kMemberList = 11,
  kMemberAdd = 12,
  kMemberRemove = 13,
  kMemberUpdate = 14,
  kMemberPromote = 15,
  kAlarm = 16,
  kStatus = 17,
  kDefragment = 18,
  kHash = 19,
  kHashKv = 20,
  kSnapshot = 21,  // answered by a stream, of which the first message is recorded
  kMoveLeader = 22,
  kDowngrade = 23,
  kAuthDisable = 24,
  kUserAdd = 25,
  kUserGet = 26,
  kUserList = 27,
  kUserDelete = 28,
  kUserChangePassword = 29,
  kUserGrantRole = 30,
  kUserRevokeRole = 31,
  kRoleAdd = 32,
  kRoleGet = 33,
  kRoleList = 34,
  kRoleDelete = 35,
  kRoleGrantPermission = 36,
  kRoleRevokePermission = 37,
  kLock = 38,  // the server's own services for locks and elections
  kUnlock = 39,
  kCampaign = 40,
  kResign = 41,
  kAuthEnable = 42,
  kAuthStatus = 43,
  kAuthenticate = 44,
  kProclaim = 45,
  kLeader = 46,
  kObserve = 47,  // a stream of leaders: the question, or the message before, and the next one
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
    {"member list", "/etcdserverpb.Cluster/MemberList"},
    {"member add", "/etcdserverpb.Cluster/MemberAdd"},
    {"member remove", "/etcdserverpb.Cluster/MemberRemove"},
    {"member update", "/etcdserverpb.Cluster/MemberUpdate"},
    {"member promote", "/etcdserverpb.Cluster/MemberPromote"},
    {"alarm", "/etcdserverpb.Maintenance/Alarm"},
    {"status", "/etcdserverpb.Maintenance/Status"},
    {"defragment", "/etcdserverpb.Maintenance/Defragment"},
    {"hash", "/etcdserverpb.Maintenance/Hash"},
    {"hash kv", "/etcdserverpb.Maintenance/HashKV"},
    {"snapshot", "/etcdserverpb.Maintenance/Snapshot"},
    {"move leader", "/etcdserverpb.Maintenance/MoveLeader"},
    {"downgrade", "/etcdserverpb.Maintenance/Downgrade"},
    {"auth disable", "/etcdserverpb.Auth/AuthDisable"},
    {"user add", "/etcdserverpb.Auth/UserAdd"},
    {"user get", "/etcdserverpb.Auth/UserGet"},
    {"user list", "/etcdserverpb.Auth/UserList"},
    {"user delete", "/etcdserverpb.Auth/UserDelete"},
    {"user change password", "/etcdserverpb.Auth/UserChangePassword"},
    {"user grant role", "/etcdserverpb.Auth/UserGrantRole"},
    {"user revoke role", "/etcdserverpb.Auth/UserRevokeRole"},
    {"role add", "/etcdserverpb.Auth/RoleAdd"},
    {"role get", "/etcdserverpb.Auth/RoleGet"},
    {"role list", "/etcdserverpb.Auth/RoleList"},
    {"role delete", "/etcdserverpb.Auth/RoleDelete"},
    {"role grant permission", "/etcdserverpb.Auth/RoleGrantPermission"},
    {"role revoke permission", "/etcdserverpb.Auth/RoleRevokePermission"},
    {"lock", "/v3lockpb.Lock/Lock"},
    {"unlock", "/v3lockpb.Lock/Unlock"},
    {"campaign", "/v3electionpb.Election/Campaign"},
    {"resign", "/v3electionpb.Election/Resign"},
    {"auth enable", "/etcdserverpb.Auth/AuthEnable"},
    {"auth status", "/etcdserverpb.Auth/AuthStatus"},
    {"authenticate", "/etcdserverpb.Auth/Authenticate"},
    {"proclaim", "/v3electionpb.Election/Proclaim"},
    {"leader", "/v3electionpb.Election/Leader"},
    {"observe", "/v3electionpb.Election/Observe"},
};
// Streams. Parts of a read are recorded as one answer, messages of a watch as entries of their own.
inline constexpr const char* kRangeStreamPath = "/etcdserverpb.KV/RangeStream";
inline constexpr std::string_view kInParts = ", in parts";  // after the name of the client
inline constexpr const char* kWatchPath = "/etcdserverpb.Watch/Watch";

constexpr const MethodInfo& InfoOf(Method method) {
  return kMethods[static_cast<std::size_t>(method)];
}

// Whether it is a key-value call; each may be an operation of a transaction.
constexpr bool IsKeyValue(Method method) {
  return method >= Method::kRange && method <= Method::kTxn;
}

// Whether it is a call of the key-value or lease service: those of operators, and their passwords,
// are in no recording of others' traffic.
constexpr bool IsOfData(Method method) {
  return method >= Method::kRange && method <= Method::kLeaseKeepAlive;
}

// Whether it is a call of the cluster service. The headers of its answers name no revision.
constexpr bool IsOfMembers(Method method) {
  return method >= Method::kMemberList && method <= Method::kMemberPromote;
}

// kNone: none of these.
constexpr Method MethodOf(std::string_view path) {
  for (std::size_t i = 1; i < std::size(kMethods); ++i) {
    if (kMethods[i].path == path) return static_cast<Method>(i);
  }
  return Method::kNone;
}

}  // namespace watchproof
