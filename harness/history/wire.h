// SPDX-License-Identifier: Apache-2.0
// Reads the messages of fixtures/protos straight from their bytes: views into the message, no
// copies.
//
//   WatchResponseView response;                       // reused: its vectors keep their memory
//   WP_RETURN_IF_ERROR(Parse(entry.payload.view(), response));
//   for (const EventView& event : response.events) ... event.kv.key ...
//
// Unknown fields, and known ones of an unexpected wire type, are skipped as protobuf does; a field
// given twice counts as last given. Malformed input is a Status, never a crash. Groups, which
// proto3 does not have, count as malformed. Views are valid as long as the bytes that were parsed.
// Threads: values.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/base/status.h"

namespace watchproof {

// Steps through the fields of one message.
class FieldScanner {
 public:
  explicit FieldScanner(std::string_view message)
      : at_(message.data()), end_(message.data() + message.size()) {}

  // False at the end and at the first malformed byte.
  bool Next();
  bool malformed() const { return malformed_; }
  // How many bytes of `message`, the constructor's argument, have been scanned.
  std::size_t consumed(std::string_view message) const {
    return static_cast<std::size_t>(at_ - message.data());
  }
  std::uint32_t number() const { return number_; }
  bool is_varint() const { return type_ == 0; }
  bool is_bytes() const { return type_ == 2; }
  // Requires: is_varint().
  std::uint64_t varint() const { return varint_; }
  std::int64_t integer() const { return static_cast<std::int64_t>(varint_); }
  bool flag() const { return varint_ != 0; }
  // Requires: is_bytes().
  std::string_view bytes() const { return bytes_; }

 private:
  bool ReadVarint(std::uint64_t& value);
  bool Malformed();

  const char* at_;
  const char* end_;
  std::uint32_t number_ = 0;
  std::uint32_t type_ = 0;
  std::uint64_t varint_ = 0;
  std::string_view bytes_;
  bool malformed_ = false;
};

struct HeaderView {
  std::uint64_t cluster_id = 0;
  std::uint64_t member_id = 0;
  std::int64_t revision = 0;
  std::uint64_t raft_term = 0;
};

struct KeyValueView {
  std::string_view key;
  std::string_view value;
  std::int64_t create_revision = 0;
  std::int64_t mod_revision = 0;
  std::int64_t version = 0;
  std::int64_t lease = 0;
};

struct EventView {
  std::int64_t type = 0;  // 0 put, 1 delete; any other value is the target's mistake
  bool has_previous = false;
  KeyValueView kv;
  KeyValueView previous;
};

struct WatchCreateView {
  std::string_view key;
  std::string_view range_end;
  std::int64_t start_revision = 0;
  std::int64_t watch_id = 0;
  bool progress_notify = false;
  bool prev_kv = false;
  bool fragment = false;
  bool no_put = false;
  bool no_delete = false;
};

enum class WatchRequestKind { kNone, kCreate, kCancel, kProgress };

struct WatchRequestView {
  WatchRequestKind kind = WatchRequestKind::kNone;
  WatchCreateView create;
  std::int64_t cancel_id = 0;
};

struct WatchResponseView {
  HeaderView header;
  std::int64_t watch_id = 0;
  bool created = false;
  bool canceled = false;
  bool fragment = false;
  std::int64_t compact_revision = 0;
  std::string_view cancel_reason;
  std::vector<EventView> events;

  void Clear();
};

struct RangeRequestView {
  std::string_view key;
  std::string_view range_end;
  std::int64_t limit = 0;
  std::int64_t revision = 0;
  std::int64_t sort_order = 0;   // 0 none, 1 ascending, 2 descending
  std::int64_t sort_target = 0;  // 0 key
  bool serializable = false;
  bool keys_only = false;
  bool count_only = false;
  bool filtered = false;  // by lowest or highest create or modify revisions
};
struct RangeResponseView {
  HeaderView header;
  std::vector<KeyValueView> kvs;
  bool more = false;
  std::int64_t count = 0;
};
struct PutRequestView {
  std::string_view key;
  std::string_view value;
  std::int64_t lease = 0;
  bool prev_kv = false;
  bool ignore_value = false;
  bool ignore_lease = false;
};
struct PutResponseView {
  HeaderView header;
  bool has_previous = false;
  KeyValueView previous;
};
struct DeleteRangeRequestView {
  std::string_view key;
  std::string_view range_end;
  bool prev_kv = false;
};
struct DeleteRangeResponseView {
  HeaderView header;
  std::int64_t deleted = 0;
  std::vector<KeyValueView> previous;
};

enum class OperationKind { kNone, kRange, kPut, kDeleteRange, kTxn };

// One operation of a transaction, or its answer; `body` is the message of that kind.
struct OperationView {
  OperationKind kind = OperationKind::kNone;
  std::string_view body;
};
enum class CompareResult { kEqual, kGreater, kLess, kNotEqual };
enum class CompareTarget { kVersion, kCreate, kMod, kValue, kLease };

struct CompareView {
  std::int64_t result = 0;  // of CompareResult, or a value beyond it
  std::int64_t target = 0;  // of CompareTarget
  std::string_view key;
  std::string_view range_end;
  std::int64_t version = 0;
  std::int64_t create_revision = 0;
  std::int64_t mod_revision = 0;
  std::string_view value;
  std::int64_t lease = 0;
};
struct TxnRequestView {
  std::vector<std::string_view> compare;  // Compare messages
  std::vector<OperationView> success;
  std::vector<OperationView> failure;
};
struct TxnResponseView {
  HeaderView header;
  bool succeeded = false;
  std::vector<OperationView> responses;
};
struct CompactionRequestView {
  std::int64_t revision = 0;
  bool physical = false;
};
struct CompactionResponseView {
  HeaderView header;
};
struct LeaseGrantRequestView {
  std::int64_t ttl = 0;  // in seconds
};
struct LeaseGrantResponseView {
  std::int64_t id = 0;
};
struct LeaseRevokeRequestView {
  std::int64_t id = 0;
};

// Each overwrites `out`. After an error the content of `out` is unspecified.
Status Parse(std::string_view message, WatchRequestView& out);
Status Parse(std::string_view message, WatchResponseView& out);
// The same from a message in two pieces, cut between two fields.
Status Parse(std::string_view begin, std::string_view rest, WatchResponseView& out);
Status Parse(std::string_view message, RangeRequestView& out);
Status Parse(std::string_view message, RangeResponseView& out);
Status Parse(std::string_view message, PutRequestView& out);
Status Parse(std::string_view message, PutResponseView& out);
Status Parse(std::string_view message, DeleteRangeRequestView& out);
Status Parse(std::string_view message, DeleteRangeResponseView& out);
Status Parse(std::string_view message, CompareView& out);
Status Parse(std::string_view message, TxnRequestView& out);
Status Parse(std::string_view message, TxnResponseView& out);
Status Parse(std::string_view message, CompactionRequestView& out);
Status Parse(std::string_view message, CompactionResponseView& out);
Status Parse(std::string_view message, LeaseGrantRequestView& out);
Status Parse(std::string_view message, LeaseGrantResponseView& out);
Status Parse(std::string_view message, LeaseRevokeRequestView& out);

// The header of any response of the KV and lease services: all of them keep it in field 1.
Status ParseHeader(std::string_view message, HeaderView& out);

}  // namespace watchproof
