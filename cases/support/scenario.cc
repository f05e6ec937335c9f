// SPDX-License-Identifier: Apache-2.0
#include "cases/support/scenario.h"

#include "harness/base/check.h"

namespace watchproof {

WatchedRange Prefix(const std::string& prefix) {
  WP_CHECK(!prefix.empty() && prefix.back() != '\xff',
           "the last byte of a prefix must be below 0xff");
  WatchedRange range{prefix, prefix};
  ++range.range_end.back();
  return range;
}

std::string Scenario::Key(const std::string& stem) { return stem + "/" + keys_.Word(8); }

ValueRef Scenario::Value(const ValueSize& size) {
  const auto bytes =
      values_.Between(static_cast<std::int64_t>(size.least), static_cast<std::int64_t>(size.most));
  return {.seed = values_.Next(), .bytes = static_cast<std::size_t>(bytes)};
}

Write Scenario::Put(const std::string& key, const ValueSize& size) {
  Add(PutStep{key, Value(size)});
  return NextWrite();
}

Write Scenario::PutOnLease(const std::string& key, const std::string& lease,
                           const ValueSize& size) {
  Add(PutStep{.key = key, .value = Value(size), .lease = lease});
  return NextWrite();
}

Write Scenario::Delete(const std::string& key) {
  Add(DeleteStep{.key = key});
  return NextWrite();
}

Write Scenario::PutTogether(const std::vector<std::string>& keys, const ValueSize& size) {
  TxnStep txn;
  for (const std::string& key : keys) txn.writes.emplace_back(PutStep{key, Value(size)});
  Add(std::move(txn));
  return NextWrite();
}

void Scenario::PutBesideAReadOf(const std::string& read_key, const RevisionRef& at,
                                const std::string& put_key) {
  Add(RefusedTxnStep{.write = {put_key, Value({})}, .key = read_key, .at = at});
}

void Scenario::BeginLoad(const LoadOptions& options) {
  Add(LoadStep{.load = options.load,
               .clients = options.clients,
               .calls = options.calls,
               .keys = options.keys,
               .key = options.key,
               .seed = values_.Next(),
               .direct = options.direct,
               .puts_only = options.puts_only,
               .member = options.member});
}

void Scenario::Watch(const WatchOptions& options) {
  Add(WatchStep{.group = options.group,
                .count = options.count,
                .key = options.range.key,
                .range_end = options.range.range_end,
                .start = options.start,
                .first_id = options.first_id,
                .previous_values = options.previous_values,
                .progress_notify = options.progress_notify,
                .fragment = options.fragment,
                .no_puts = options.no_puts,
                .no_deletes = options.no_deletes,
                .stream = options.stream,
                .user = options.user,
                .member = options.member,
                .require_leader = options.require_leader});
}

void Scenario::Churn(const WatchOptions& options) {
  Add(ChurnStep{.group = options.group,
                .count = options.count,
                .key = options.range.key,
                .range_end = options.range.range_end,
                .start = options.start,
                .first_id = options.first_id,
                .stream = options.stream});
}

void Scenario::ReadersOnly(const std::map<std::string, WatchedRange>& users) {
  AuthStep step;
  for (const auto& [user, range] : users) {
    step.readers.push_back({.user = user, .key = range.key, .range_end = range.range_end});
  }
  Add(std::move(step));
}

void Scenario::Hold(Duration least, Duration most) { Add(HoldStep{times_.Between(least, most)}); }

}  // namespace watchproof
