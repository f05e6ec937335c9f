// SPDX-License-Identifier: Apache-2.0
// Asks a server whether it serves, and reads its metrics and its version over HTTP.
//
// Threads: any; calls block until answered or the deadline. The only gRPC of this file is behind
// AskStatus, MoveLeader and AskHash.
#pragma once

#include <string>

#include "harness/base/deadline.h"
#include "harness/base/status.h"
#include "harness/targets/target.h"

namespace watchproof {

// One Maintenance.Status call on a new connection, for the user of the token.
Result<ServerStatus> AskStatus(const Endpoint& endpoint, Deadline deadline,
                               const std::string& token = {});

// Whether the version of its storage is of the branch of a release, as etcd reports it since 3.6;
// one that reports none has it.
bool HasStorageOf(const ServerStatus& status, std::string_view release);

// Has the leader, which must be the one at `endpoint`, hand over to another member.
Status MoveLeader(const Endpoint& endpoint, std::uint64_t member, Deadline deadline,
                  const std::string& token);

// A hash of its whole history up to a revision, as it holds it itself.
struct HashOfHistory {
  std::uint32_t hash = 0;
  std::int64_t compacted = 0;  // through this revision
  std::int64_t hashed = 0;     // likewise, as it says itself; 0: it does not
};
Result<HashOfHistory> AskHash(const Endpoint& endpoint, Revision revision, Deadline deadline,
                              const std::string& token = {});

// The same of all that it holds, by the call that debugging tools use; the revision it was at.
Result<Revision> AskWholeHash(const Endpoint& endpoint, Deadline deadline,
                              const std::string& token = {});

// Asks again and again until it answers, the child has ended, or the deadline has passed. An error
// names the `program` and its last words.
Result<ServerStatus> AwaitServing(const Endpoint& endpoint, const ChildProcess& child,
                                  std::string_view program, Deadline deadline,
                                  const std::string& token = {});

// GET http://endpoint/metrics in Prometheus' text format.
Result<Metrics> FetchMetrics(const Endpoint& endpoint, Deadline deadline);
// The version of etcd by GET http://endpoint/version, which requires no user.
Result<std::string> FetchVersion(const Endpoint& endpoint, Deadline deadline);
// The parser behind FetchMetrics: labels are left out and values of one name are summed.
Metrics ParseMetrics(std::string_view text);

}  // namespace watchproof
