// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/stepped/recording.h"

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

Message OptionalHeader(Revision revision) {
  return revision.value == 0 ? Message() : Message().Nested(1, Header(revision.value));
}

}  // namespace

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
