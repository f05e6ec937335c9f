// SPDX-License-Identifier: Apache-2.0
#include "harness/history/requests.h"

namespace watchproof {
namespace {

Message RangeOf(const std::string& key, const std::string& range_end) {
  return Message().OptionalText(1, key).OptionalText(2, range_end);
}

Message ToMessage(const CompareRequest& compare) {
  // The operand stands in the field of its target: version, create, mod, value, lease.
  constexpr std::uint32_t kFirstOperand = 4;
  constexpr std::uint32_t kRangeEnd = 64;
  const auto target = static_cast<std::uint32_t>(compare.target);
  Message message;
  message.Optional(1, static_cast<std::int64_t>(compare.result)).Optional(2, target);
  message.Text(3, compare.key);
  if (compare.target == CompareTarget::kValue) {
    message.Text(kFirstOperand + target, compare.value);
  } else {
    message.Number(kFirstOperand + target, compare.number);
  }
  return message.OptionalText(kRangeEnd, compare.range_end);
}

// The methods have the numbers of the fields of an operation.
Message Operation(const KvRequest& request) {
  return std::visit(
      [](const auto& one) {
        return Message().Nested(static_cast<std::uint32_t>(MethodOf(one)), ToMessage(one));
      },
      request);
}

}  // namespace

Message ToMessage(const PutRequest& put) {
  return Message()
      .OptionalText(1, put.key)
      .OptionalText(2, put.value)
      .Optional(3, put.lease)
      .Optional(4, put.previous)
      .Optional(5, put.keeps_value)
      .Optional(6, put.keeps_lease);
}

Message ToMessage(const DeleteRequest& deletion) {
  return RangeOf(deletion.key, deletion.range_end).Optional(3, deletion.previous);
}

Message ToMessage(const ReadRequest& read) {
  return RangeOf(read.key, read.range_end)
      .Optional(3, read.limit)
      .Optional(4, read.revision.value)
      .Optional(5, static_cast<std::int64_t>(read.order))
      .Optional(6, static_cast<std::int64_t>(read.sort_by))
      .Optional(7, read.serializable)
      .Optional(8, read.keys_only)
      .Optional(9, read.count_only)
      .Optional(10, read.min_mod.value)
      .Optional(11, read.max_mod.value)
      .Optional(12, read.min_create.value)
      .Optional(13, read.max_create.value);
}

Message ToMessage(const TxnRequest& txn) {
  Message message;
  for (const CompareRequest& compare : txn.compares) message.Nested(1, ToMessage(compare));
  for (const KvRequest& one : txn.success) message.Nested(2, Operation(one));
  for (const KvRequest& one : txn.failure) message.Nested(3, Operation(one));
  return message;
}

Message CompactionAt(Revision at, bool physical) {
  return Message().Optional(1, at.value).Optional(2, physical);
}
Message GrantOf(std::int64_t lease, std::int64_t seconds) {
  return Message().Optional(1, seconds).Optional(2, lease);
}
Message LeaseOf(std::int64_t lease) { return Message().Optional(1, lease); }
Message TimeToLiveOf(std::int64_t lease) { return LeaseOf(lease).Optional(2, true); }

Message SpaceAlarm(bool raised) {
  constexpr std::int64_t kActivate = 1;
  constexpr std::int64_t kDeactivate = 2;
  return Message().Number(1, raised ? kActivate : kDeactivate).Number(3, kSpaceAlarm);
}

Message DowngradeTo(const std::string& release) {
  constexpr std::int64_t kEnable = 1;
  const std::string version = release.substr(0, release.find('.', release.find('.') + 1)) + ".0";
  return Message().Number(1, kEnable).Text(2, version);
}

}  // namespace watchproof
