// SPDX-License-Identifier: Apache-2.0
#include "harness/script/requests_of_steps.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "harness/model/key_range.h"

namespace watchproof::explore {
namespace {

constexpr const char* kEverything = "*";
const std::string kZeroByte(1, '\0');

// Targets and relations have etcd's numbers on both sides.
void SetThere(CompareRequest& compare, const KnownKey& there, std::int64_t plus) {
  switch (compare.target) {
    case CompareTarget::kVersion:
      compare.number = there.version + plus;
      break;
    case CompareTarget::kCreate:
      compare.number = there.create + plus;
      break;
    case CompareTarget::kMod:
      compare.number = there.mod + plus;
      break;
    case CompareTarget::kValue:
      compare.value = there.value;
      break;
    case CompareTarget::kLease:
      compare.number = there.lease + plus;
  }
}

CompareRequest CompareOf(const Condition& condition, const Placement& placement,
                         const Known& known) {
  CompareRequest compare{.key = placement.Key(condition.key),
                         .range_end = placement.End(condition.end),
                         .target = static_cast<CompareTarget>(condition.target),
                         .result = static_cast<CompareResult>(condition.relation)};
  if (const auto plus = FromThere(condition.value)) {
    SetThere(compare, known.key(compare.key, compare.range_end), *plus);
  } else if (condition.target == Condition::Target::kValue) {
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
                                  Values& values, const Known& known) {
  std::vector<KvRequest> requests;
  for (const TxnPart& part : parts) {
    const std::string key = placement.Key(part.key);
    const std::string end = placement.End(part.end);
    if (part.kind == TxnPart::Kind::kPut) {
      requests.emplace_back(PutRequest{.key = key,
                                       .value = part.keeps_value ? "" : values.Next(0),
                                       .lease = placement.Lease(part.lease),
                                       .previous = part.previous,
                                       .keeps_value = part.keeps_value,
                                       .keeps_lease = part.keeps_lease});
    } else if (part.kind == TxnPart::Kind::kDelete) {
      requests.emplace_back(DeleteRequest{.key = key, .range_end = end, .previous = part.previous});
    } else {
      ReadRequest read = RequestOf(part.read, placement, known);
      // Below zero is the present, but in a transaction etcd has it compacted.
      read.revision = std::max(read.revision, Revision());
      read.key = key;
      read.range_end = end;
      requests.emplace_back(std::move(read));
    }
  }
  return requests;
}

// 0: none is asked for.
Revision BoundAt(const Place& place, const Known& known) {
  return Revision(place == Place() ? 0 : known.at(place));
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

void WrittenKeys::Note(const Effect& effect) {
  for (const Operation& operation : effect.operations) {
    if (operation.deletes) {
      const KeyRange range(operation.key, operation.range_end);
      std::erase_if(keys_, [&range](const auto& one) { return range.Contains(one.first); });
      continue;
    }
    KnownKey& key = keys_[std::string(operation.key)];
    key.mod = effect.revision.value;
    if (++key.version == 1) key.create = key.mod;
    if (!operation.keeps_value) key.value = operation.value;
    if (!operation.keeps_lease) key.lease = operation.lease;
  }
}

KnownKey WrittenKeys::Of(const std::string& key, const std::string& end) const {
  const KeyRange range(key, end);
  const auto found = keys_.lower_bound(range.first());
  return found == keys_.end() || !range.Contains(found->first) ? KnownKey() : found->second;
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

TxnRequest RequestOf(const Txn& txn, const Placement& placement, Values& values,
                     const Known& known) {
  TxnRequest request{.success = RequestsOf(txn.then, placement, values, known),
                     .failure = RequestsOf(txn.otherwise, placement, values, known)};
  for (const Condition& condition : txn.when) {
    request.compares.push_back(CompareOf(condition, placement, known));
  }
  for (const Txn& one : txn.nested) {
    TxnRequest nested = RequestOf(one, placement, values, known);
    request.failure.emplace_back(nested);
    request.success.emplace_back(std::move(nested));
  }
  return request;
}

ReadRequest RequestOf(const Get& get, const Placement& placement, const Known& known) {
  return {.key = placement.Key(get.key),
          .range_end = placement.End(get.end),
          .limit = get.limit,
          .revision = Revision(known.at(get.at)),
          .serializable = get.serializable,
          .count_only = get.count_only,
          .keys_only = get.keys_only,
          .order = static_cast<ReadRequest::Order>(get.order),
          .sort_by = static_cast<ReadRequest::By>(get.sort_by),
          .min_mod = BoundAt(get.min_mod, known),
          .max_mod = BoundAt(get.max_mod, known),
          .min_create = BoundAt(get.min_create, known),
          .max_create = BoundAt(get.max_create, known)};
}

Entry KillEntry(bool healed) {
  return {.kind = EntryKind::kFault,
          .text = fmt::format(R"({{"fault":"kill","phase":"{}","ends_streams":"every"}})",
                              healed ? "healed" : "armed")};
}

}  // namespace watchproof::explore
