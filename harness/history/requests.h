// SPDX-License-Identifier: Apache-2.0
// Requests to the key-value and lease services as a client states them, and their bytes.
//
//   calls.Call(recorder, Method::kPut, ToMessage(PutRequest{.key = "k", .value = "v"}).bytes());
//   const TxnRequest txn{.success = {PutRequest{.key = "k"}, ReadRequest{.key = "k"}}};
//
// Keys are those on the target; ranges have etcd's meaning: an empty end is one key, "\0" is from
// the key on. Threads: values.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "harness/base/units.h"
#include "harness/history/wire.h"
#include "harness/history/wire_writer.h"

namespace watchproof {

struct PutRequest {
  std::string key{};
  std::string value{};
  std::int64_t lease = 0;
  bool previous = false;     // asks for what it replaces
  bool keeps_value = false;  // changes only the lease
  bool keeps_lease = false;  // changes only the value
};

struct DeleteRequest {
  std::string key{};
  std::string range_end{};
  bool previous = false;  // asks for what it deletes
};

struct ReadRequest {
  // With etcd's numbers.
  enum class Order { kNone, kAscend, kDescend };
  enum class By { kKey, kVersion, kCreate, kMod, kValue };
  std::string key{};
  std::string range_end{};
  std::int64_t limit = 0;     // 0: none
  Revision revision{};        // as the keys were then; 0: as they are
  bool serializable = false;  // answered by one member, from its local store
  bool count_only = false;
  bool keys_only = false;
  Order order = Order::kNone;
  By sort_by = By::kKey;
  // Bounds for the revisions of keys; 0: no bound.
  Revision min_mod{};
  Revision max_mod{};
  Revision min_create{};
  Revision max_create{};
};

struct CompareRequest {
  std::string key{};
  std::string range_end{};
  CompareTarget target = CompareTarget::kVersion;
  CompareResult result = CompareResult::kEqual;
  std::int64_t number = 0;  // of every target but the value
  std::string value{};
};

struct TxnRequest;
using KvRequest = std::variant<PutRequest, DeleteRequest, ReadRequest, TxnRequest>;
struct TxnRequest {
  std::vector<CompareRequest> compares{};
  std::vector<KvRequest> success{};  // if every compare holds
  std::vector<KvRequest> failure{};
};

constexpr Method MethodOf(const PutRequest&) { return Method::kPut; }
constexpr Method MethodOf(const DeleteRequest&) { return Method::kDeleteRange; }
constexpr Method MethodOf(const ReadRequest&) { return Method::kRange; }
constexpr Method MethodOf(const TxnRequest&) { return Method::kTxn; }

Message ToMessage(const PutRequest& put);
Message ToMessage(const DeleteRequest& deletion);
Message ToMessage(const ReadRequest& read);
Message ToMessage(const TxnRequest& txn);

// Physical: it is answered once the backend holds no more of what is compacted.
Message CompactionAt(Revision at, bool physical = false);
// 0: the target chooses the id.
Message GrantOf(std::int64_t lease, std::int64_t seconds);
Message LeaseOf(std::int64_t lease);       // a revocation, or a keep-alive
Message TimeToLiveOf(std::int64_t lease);  // with its keys

// The alarm for a full backend (NOSPACE), of every member: raised or disarmed.
inline constexpr std::int64_t kSpaceAlarm = 1;
Message SpaceAlarm(bool raised);
// Permits it, to a release of the minor version before: "3.6.16" of 3.7.
Message DowngradeTo(const std::string& release);

}  // namespace watchproof
