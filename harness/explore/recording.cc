// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/recording.h"

#include "harness/history/wire_writer.h"

namespace watchproof::explore {
namespace {

Message WireKeyValue(const store::KeyValue& kv) {
  return KeyValue({.key = kv.key,
                   .value = kv.value,
                   .create = kv.create.value,
                   .mod = kv.mod.value,
                   .version = kv.version,
                   .lease = kv.lease});
}

Message Ranged(const store::KeyRange& range) {
  Message message;
  message.Text(1, range.begin);
  if (!range.end.empty()) message.Text(2, range.end);
  return message;
}

Message OptionalHeader(Revision revision) {
  return revision.value == 0 ? Message() : Message().Nested(1, Header(revision.value));
}

// The alternatives of operations and answers have the numbers of their fields in RequestOp and
// ResponseOp; an operation of no kind is an empty message.
void AddOperations(std::uint32_t field, const std::vector<store::Operation>& operations,
                   Message& message) {
  for (const store::Operation& operation : operations) {
    Message one;
    const auto number = static_cast<std::uint32_t>(operation.index());
    std::visit(
        [&](const auto& request) {
          if constexpr (requires { ToWire(request); }) one.Text(number, ToWire(request));
        },
        operation);
    message.Nested(field, one);
  }
}

}  // namespace

Entry KillEntry(bool healed) {
  return {.kind = EntryKind::kFault,
          .text = fmt::format(R"({{"fault":"kill","phase":"{}","ends_streams":"every"}})",
                              healed ? "healed" : "armed")};
}

std::string ToWire(const Create& create, const Placement& placement, std::int64_t start) {
  return CreateRequest({.key = placement.Key(create.key),
                        .range_end = placement.End(create.end),
                        .start = Revision(start),
                        .id = WatchId(create.id),
                        .options = create.options})
      .bytes();
}
std::string ToWire(const Cancel& cancel) {
  return Message().Nested(2, Message().Optional(1, cancel.id)).bytes();
}
std::string ToWire(const AskProgress&) { return Message().Nested(3, Message()).bytes(); }

std::string ToWire(const store::PutOp& put) {
  Message request;
  request.Text(1, put.key).Text(2, put.value).Optional(3, put.lease);
  request.Optional(4, put.want_previous ? 1 : 0).Optional(5, put.ignore_value ? 1 : 0);
  return request.Optional(6, put.ignore_lease ? 1 : 0).bytes();
}
std::string ToWire(const store::DeleteOp& erase) {
  return Ranged(erase.range).Optional(3, erase.want_previous ? 1 : 0).bytes();
}
std::string ToWire(const store::RangeQuery& query) {
  Message request = Ranged(query.range);
  request.Optional(3, query.limit).Optional(4, query.at.value);
  request.Optional(5, static_cast<std::int64_t>(query.order));
  request.Optional(6, static_cast<std::int64_t>(query.target));
  request.Optional(8, query.keys_only ? 1 : 0).Optional(9, query.count_only ? 1 : 0);
  request.Optional(10, query.min_mod.value).Optional(11, query.max_mod.value);
  return request.Optional(12, query.min_create.value).Optional(13, query.max_create.value).bytes();
}
std::string ToWire(const store::TxnOp& txn) {
  Message request;
  for (const store::Compare& compare : txn.compares) {
    const auto target = static_cast<std::uint32_t>(compare.target);
    Message one;
    one.Number(1, static_cast<std::int64_t>(compare.result)).Number(2, target);
    one.Text(3, compare.range.begin);
    // The operand stands in the field of its target: version, create, mod, value, lease.
    if (compare.target == store::CompareTarget::kValue) {
      one.Text(4 + target, compare.value);
    } else {
      one.Number(4 + target, compare.number);
    }
    if (!compare.range.end.empty()) one.Text(64, compare.range.end);
    request.Nested(1, one);
  }
  AddOperations(2, txn.success, request);
  AddOperations(3, txn.failure, request);
  return request.bytes();
}
std::string CompactToWire(std::int64_t revision) { return Message().Optional(1, revision).bytes(); }
std::string GrantToWire(std::int64_t lease, std::int64_t seconds) {
  return Message().Number(1, seconds).Number(2, lease).bytes();
}
std::string LeaseToWire(std::int64_t lease) { return Message().Number(1, lease).bytes(); }
std::string TimeToLiveToWire(std::int64_t lease) {
  return Message().Number(1, lease).Number(2, 1).bytes();
}

std::string ToWire(const store::PutAnswer& answer) {
  Message response = OptionalHeader(answer.revision);
  if (answer.previous) response.Nested(2, WireKeyValue(*answer.previous));
  return response.bytes();
}
std::string ToWire(const store::DeleteAnswer& answer) {
  Message response = OptionalHeader(answer.revision).Optional(2, answer.deleted);
  for (const store::KeyValue& kv : answer.previous) response.Nested(3, WireKeyValue(kv));
  return response.bytes();
}
std::string ToWire(const store::RangeAnswer& answer) {
  Message response = OptionalHeader(answer.revision);
  for (const store::KeyValue& kv : answer.kvs) response.Nested(2, WireKeyValue(kv));
  return response.Optional(3, answer.more ? 1 : 0).Optional(4, answer.count).bytes();
}
std::string ToWire(const store::TxnAnswer& answer) {
  Message response = OptionalHeader(answer.revision).Optional(2, answer.succeeded ? 1 : 0);
  for (const store::Answer& one : answer.answers) {
    const auto number = static_cast<std::uint32_t>(one.index() + 1);
    const std::string body = std::visit([](const auto& inner) { return ToWire(inner); }, one);
    response.Nested(3, Message().Text(number, body));
  }
  return response.bytes();
}
std::string ToWire(const store::CompactAnswer& answer) {
  return Message().Nested(1, Header(answer.revision.value)).bytes();
}
std::string ToWire(const store::Granted& granted) {
  Message response = Message().Nested(1, Header(granted.revision.value));
  return response.Number(2, granted.id).Number(3, granted.ttl.count()).bytes();
}

std::string ToWire(const store::WatchReply& reply, std::span<const store::PendingEvent> events,
                   bool more) {
  Message message;
  message.Nested(1, Header(reply.revision.value)).Optional(2, reply.watch.value);
  message.Optional(3, reply.created ? 1 : 0).Optional(4, reply.canceled ? 1 : 0);
  message.Optional(5, reply.compacted.value);
  if (!reply.reason.empty()) message.Text(6, reply.reason);
  message.Optional(7, more ? 1 : 0);
  for (const store::PendingEvent& event : events) {
    Message one;
    one.Optional(1, event.change->kind == store::ChangeKind::kDelete ? 1 : 0);
    one.Nested(2, WireKeyValue(event.change->kv));
    if (const store::ChangePtr previous = event.previous.lock()) {
      one.Nested(3, WireKeyValue(previous->kv));
    }
    message.Nested(11, one);
  }
  return message.bytes();
}

}  // namespace watchproof::explore
