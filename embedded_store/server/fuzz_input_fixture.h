// SPDX-License-Identifier: Apache-2.0
// Requests read off a string of arbitrary bytes: half of them built field by field, so that they
// make sense, half parsed from the bytes as they come, as a hostile client would send them.
//
//   FuzzInput input(bytes);
//   while (!input.empty()) store.Put(FromWire(input.Make<pb::PutRequest>(&FuzzInput::Put)));
//
// Not thread-safe. Test code only. The bytes are borrowed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "fixtures/protos/rpc.pb.h"

namespace watchproof::store {

class FuzzInput {
 public:
  explicit FuzzInput(std::string_view bytes) : left_(bytes) {}

  bool empty() const { return left_.empty(); }
  // 0 when there is nothing left.
  std::uint8_t Byte() {
    if (left_.empty()) return 0;
    const auto byte = static_cast<std::uint8_t>(left_.front());
    left_.remove_prefix(1);
    return byte;
  }
  bool Flag() { return (Byte() & 1) != 0; }
  std::uint8_t Below(std::uint8_t bound) { return static_cast<std::uint8_t>(Byte() % bound); }

  // Few keys, close to each other, so that they meet.
  std::string Key() {
    constexpr std::string_view kLetters("\0abc\xff", 5);
    std::string key;
    for (std::uint8_t length = Below(4); length > 0; --length) key += kLetters[Below(5)];
    return key;
  }
  std::int64_t Number() {
    const std::uint8_t kind = Byte();
    if (kind == 255) return std::numeric_limits<std::int64_t>::max();
    if (kind == 254) return std::numeric_limits<std::int64_t>::min();
    return static_cast<std::int64_t>(kind % 24) - 3;
  }
  std::string_view Bytes() {
    const std::string_view bytes = left_.substr(0, Byte());
    left_.remove_prefix(std::min(bytes.size(), left_.size()));
    return bytes;
  }

  // Built by `fill`, or parsed from the bytes.
  template <typename Message>
  Message Make(void (FuzzInput::*fill)(Message&)) {
    Message message;
    if (Flag()) {
      (this->*fill)(message);
    } else {
      message.ParsePartialFromString(std::string(Bytes()));
    }
    return message;
  }

  void Range(etcdserverpb::RangeRequest& range) {
    range.set_key(Key());
    range.set_range_end(Key());
    range.set_limit(Number());
    range.set_revision(Number());
    range.set_sort_order(static_cast<etcdserverpb::RangeRequest::SortOrder>(Below(4)));
    range.set_sort_target(static_cast<etcdserverpb::RangeRequest::SortTarget>(Below(6)));
    range.set_keys_only(Flag());
    range.set_count_only(Flag());
    if (!Flag()) return;
    range.set_min_mod_revision(Number());
    range.set_max_mod_revision(Number());
    range.set_min_create_revision(Number());
    range.set_max_create_revision(Number());
  }
  void Put(etcdserverpb::PutRequest& put) {
    put.set_key(Key());
    put.set_value(std::string(Bytes()));
    put.set_prev_kv(Flag());
    put.set_ignore_value(Flag());
    put.set_ignore_lease(Flag());
    put.set_lease(Flag() ? Number() : 0);
  }
  void Delete(etcdserverpb::DeleteRangeRequest& removal) {
    removal.set_key(Key());
    removal.set_range_end(Key());
    removal.set_prev_kv(Flag());
  }
  void Txn(etcdserverpb::TxnRequest& txn) { Txn(txn, 0); }
  void Watch(etcdserverpb::WatchCreateRequest& watch) {
    watch.set_key(Key());
    watch.set_range_end(Key());
    watch.set_start_revision(Number());
    watch.set_watch_id(Flag() ? Number() : 0);
    watch.set_prev_kv(Flag());
    watch.set_fragment(Flag());
    watch.set_progress_notify(Flag());
    if (Flag())
      watch.add_filters(static_cast<etcdserverpb::WatchCreateRequest::FilterType>(Below(3)));
  }

 private:
  static constexpr int kDeepest = 3;

  void Txn(etcdserverpb::TxnRequest& txn, int depth) {
    for (std::uint8_t n = Below(3); n > 0; --n) Compare(*txn.add_compare());
    for (std::uint8_t n = Below(4); n > 0; --n) Operation(*txn.add_success(), depth);
    for (std::uint8_t n = Below(4); n > 0; --n) Operation(*txn.add_failure(), depth);
  }
  void Compare(etcdserverpb::Compare& compare) {
    compare.set_key(Key());
    compare.set_range_end(Flag() ? Key() : std::string());
    compare.set_result(static_cast<etcdserverpb::Compare::CompareResult>(Below(5)));
    compare.set_target(static_cast<etcdserverpb::Compare::CompareTarget>(Below(6)));
    if (Flag()) {
      compare.set_value(std::string(Bytes()));
    } else {
      compare.set_mod_revision(Number());
    }
  }
  void Operation(etcdserverpb::RequestOp& operation, int depth) {
    switch (Below(5)) {
      case 0:
        return Range(*operation.mutable_request_range());
      case 1:
        return Put(*operation.mutable_request_put());
      case 2:
        return Delete(*operation.mutable_request_delete_range());
      case 3:
        if (depth < kDeepest) Txn(*operation.mutable_request_txn(), depth + 1);
        return;
      default:
        return;  // an operation without a kind
    }
  }

  std::string_view left_;
};

}  // namespace watchproof::store
