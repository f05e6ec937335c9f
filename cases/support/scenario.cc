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

std::vector<std::string> Scenario::Keys(const std::string& stem, const Some& count) {
  std::vector<std::string> keys;
  for (std::int64_t i = Between(count.least, count.most); i > 0; --i) keys.push_back(Key(stem));
  return keys;
}

ValueRef Scenario::Value(const ValueSize& size) {
  const auto bytes =
      values_.Between(static_cast<std::int64_t>(size.least), static_cast<std::int64_t>(size.most));
  return {.seed = values_.Next(), .bytes = static_cast<std::size_t>(bytes)};
}

void Scenario::Add(Step step) {
  if (step.writes()) ++writes_;
  plan_.steps.push_back(std::move(step));
}

void Scenario::AddLine(std::string_view line) {
  Result<Step> step = ParseStep(line);
  WP_CHECK(step.has_value(), "the line is a step of a plan");
  Add(*std::move(step));
}

Write Scenario::AddWrite(Step step) {
  Add(std::move(step));
  return {writes_ - 1};
}

Write Scenario::Put(const std::string& key, const ValueSize& size) {
  return AddWrite(PutStep{key, Value(size)});
}

std::vector<Write> Scenario::PutSome(const std::string& key, const Some& count,
                                     const ValueSize& size) {
  std::vector<Write> writes;
  for (std::int64_t i = Between(count.least, count.most); i > 0; --i) {
    writes.push_back(Put(key, size));
  }
  return writes;
}

Write Scenario::PutOnLease(const std::string& key, const std::string& lease,
                           const ValueSize& size) {
  return AddWrite(PutStep{.key = key, .value = Value(size), .lease = lease});
}

Write Scenario::Delete(const std::string& key) { return AddWrite(DeleteStep{.key = key}); }

Write Scenario::DeleteAll(const WatchedRange& range) {
  return AddWrite(DeleteStep{.key = range.key, .range_end = range.range_end});
}

Write Scenario::PutTogether(const std::vector<std::string>& keys, const ValueSize& size) {
  TxnStep txn;
  for (const std::string& key : keys) txn.writes.emplace_back(PutStep{key, Value(size)});
  return AddWrite(std::move(txn));
}

void Scenario::BeginLoad(LoadStep load) {
  load.seed = values_.Next();
  Add(std::move(load));
}

}  // namespace watchproof
