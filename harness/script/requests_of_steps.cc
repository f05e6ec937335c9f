// SPDX-License-Identifier: Apache-2.0
#include "harness/script/requests_of_steps.h"

#include <charconv>
#include <utility>
#include <vector>

namespace watchproof::explore {
namespace {

constexpr const char* kEverything = "*";
const std::string kZeroByte(1, '\0');

// Targets and relations have etcd's numbers on both sides.
CompareRequest CompareOf(const Condition& condition, const Placement& placement) {
  CompareRequest compare{.key = placement.Key(condition.key),
                         .range_end = placement.End(condition.end),
                         .target = static_cast<CompareTarget>(condition.target),
                         .result = static_cast<CompareResult>(condition.relation)};
  if (condition.target == Condition::Target::kValue) {
    compare.value = condition.value;
  } else {
    const std::string& digits = condition.value;
    std::from_chars(digits.data(), digits.data() + digits.size(), compare.number);
    if (condition.target == Condition::Target::kLease) {
      compare.number = placement.Lease(compare.number);
    }
  }
  return compare;
}

std::vector<KvRequest> RequestsOf(const std::vector<TxnPart>& parts, const Placement& placement,
                                  Values& values) {
  std::vector<KvRequest> requests;
  for (const TxnPart& part : parts) {
    const std::string key = placement.Key(part.key);
    const std::string end = placement.End(part.end);
    if (part.kind == TxnPart::Kind::kPut) {
      requests.emplace_back(PutRequest{.key = key,
                                       .value = part.keeps_value ? "" : values.Next(0),
                                       .lease = placement.Lease(part.lease),
                                       .keeps_value = part.keeps_value,
                                       .keeps_lease = part.keeps_lease});
    } else if (part.kind == TxnPart::Kind::kDelete) {
      requests.emplace_back(DeleteRequest{.key = key, .range_end = end, .previous = true});
    } else {
      requests.emplace_back(ReadRequest{.key = key, .range_end = end});
    }
  }
  return requests;
}

}  // namespace

std::string Placement::Key(const std::string& key) const {
  if (key == kEverything) return prefix_.empty() ? kZeroByte : prefix_;
  return key.empty() ? key : prefix_ + key;
}

std::string Placement::End(const std::string& end) const {
  if (end != kEverything) return end.empty() ? end : prefix_ + end;
  if (prefix_.empty()) return kZeroByte;
  if (!no_end_.empty()) return no_end_;
  std::string after = prefix_;
  ++after.back();
  return after;
}

// A key that is not below the prefix stands for everything: scripts name no other.
std::string Placement::Word(std::string_view key) const {
  const bool placed = key.starts_with(prefix_) && key != kZeroByte;
  return !placed || key.size() == prefix_.size() ? kEverything
                                                 : std::string(key.substr(prefix_.size()));
}

std::string Placement::EndWord(const std::string& end) const {
  return end.empty() ? end : end == End(kEverything) ? kEverything : Word(end);
}

std::string Values::Next(std::int64_t bytes) {
  std::string value = fmt::format("v{}", ++given);
  if (static_cast<std::int64_t>(value.size()) < bytes) {
    value.resize(static_cast<std::size_t>(bytes), '.');
  }
  return value;
}

Create CreateOf(int stream, const WatchCreate& watch, const Placement& placement) {
  return {.stream = stream,
          .key = placement.Word(watch.key),
          .end = placement.EndWord(watch.range_end),
          .start = {Place::From::kNumber, watch.start.value},
          .id = watch.id.value,
          .options = watch.options};
}

PutRequest RequestOf(const Put& put, const Placement& placement, Values& values) {
  return {.key = placement.Key(put.key),
          .value = put.ignore_value && put.bytes == 0 ? std::string() : values.Next(put.bytes),
          .lease = placement.Lease(put.lease),
          .previous = put.prev_kv,
          .keeps_value = put.ignore_value,
          .keeps_lease = put.ignore_lease};
}

DeleteRequest RequestOf(const Delete& erase, const Placement& placement) {
  return {.key = placement.Key(erase.key),
          .range_end = placement.End(erase.end),
          .previous = erase.prev_kv};
}

TxnRequest RequestOf(const Txn& txn, const Placement& placement, Values& values) {
  TxnRequest request{.success = RequestsOf(txn.then, placement, values),
                     .failure = RequestsOf(txn.otherwise, placement, values)};
  for (const Condition& condition : txn.when) {
    request.compares.push_back(CompareOf(condition, placement));
  }
  for (const Txn& one : txn.nested) {
    TxnRequest nested = RequestOf(one, placement, values);
    request.failure.emplace_back(nested);
    request.success.emplace_back(std::move(nested));
  }
  return request;
}

ReadRequest RequestOf(const Get& get, const Placement& placement, std::int64_t at) {
  return {.key = placement.Key(get.key),
          .range_end = placement.End(get.end),
          .limit = get.limit,
          .revision = Revision(at),
          .serializable = get.serializable,
          .count_only = get.count_only,
          .keys_only = get.keys_only,
          .descending = get.descending,
          .sort_by = static_cast<ReadRequest::By>(get.sort_by),
          .min_mod = Revision(get.min_mod),
          .max_mod = Revision(get.max_mod),
          .min_create = Revision(get.min_create),
          .max_create = Revision(get.max_create)};
}

Entry KillEntry(bool healed) {
  return {.kind = EntryKind::kFault,
          .text = fmt::format(R"({{"fault":"kill","phase":"{}","ends_streams":"every"}})",
                              healed ? "healed" : "armed")};
}

}  // namespace watchproof::explore
