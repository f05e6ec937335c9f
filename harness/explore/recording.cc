// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/recording.h"

#include <utility>

#include "harness/history/run_started.h"
#include "harness/history/wire_writer.h"

namespace watchproof::explore {
namespace {

// Numbers of operations in RequestOp and ResponseOp.
constexpr std::uint32_t kRangeField = 1;
constexpr std::uint32_t kPutField = 2;
constexpr std::uint32_t kDeleteField = 3;
constexpr std::uint32_t kTxnField = 4;

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

void AddOperations(std::uint32_t field, const std::vector<store::Operation>& operations,
                   Message& message) {
  for (const store::Operation& operation : operations) {
    Message one;
    if (const auto* range = std::get_if<store::RangeQuery>(&operation)) {
      one.Text(kRangeField, ToWire(*range));
    } else if (const auto* put = std::get_if<store::PutOp>(&operation)) {
      one.Text(kPutField, ToWire(*put));
    } else if (const auto* erase = std::get_if<store::DeleteOp>(&operation)) {
      one.Text(kDeleteField, ToWire(*erase));
    } else if (const auto* txn = std::get_if<store::TxnOp>(&operation)) {
      one.Text(kTxnField, ToWire(*txn));
    }
    message.Nested(field, one);
  }
}

struct AnswerField {
  std::uint32_t operator()(const store::RangeAnswer&) const { return kRangeField; }
  std::uint32_t operator()(const store::PutAnswer&) const { return kPutField; }
  std::uint32_t operator()(const store::DeleteAnswer&) const { return kDeleteField; }
  std::uint32_t operator()(const store::TxnAnswer&) const { return kTxnField; }
};

}  // namespace

void Recording::Add(Entry entry) {
  entry.at = now_;
  lines_.push_back({Line(lines_.size() + 1), std::move(entry)});
}

void Recording::RunStarted(const Limits& limits) {
  Add({.kind = EntryKind::kRunStarted,
       .text = ToText(watchproof::RunStarted{.case_name = "explore",
                                             .version = "virtual",
                                             .members = 1,
                                             .strict_previous = limits.strict_previous})});
}
void Recording::Opened(StreamId stream, const char* path) {
  Add({.kind = EntryKind::kStreamOpened, .stream = stream, .text = path});
}
void Recording::Closed(StreamId stream, StatusCode code) {
  Add({.kind = EntryKind::kStreamClosed, .code = code, .stream = stream});
}
void Recording::Request(StreamId stream, std::string message) {
  Add({.kind = EntryKind::kRequestSent,
       .stream = stream,
       .payload = Bytes::Take(std::move(message))});
}
void Recording::Response(StreamId stream, std::string message) {
  Add({.kind = EntryKind::kResponseReceived,
       .stream = stream,
       .payload = Bytes::Take(std::move(message))});
}
CallId Recording::Started(Method method, std::string request) {
  const CallId call(++calls_);
  Add({.kind = EntryKind::kCallStarted,
       .method = method,
       .call = call,
       .payload = Bytes::Take(std::move(request)),
       .text = "script"});
  return call;
}
void Recording::Ended(CallId call, Method method, std::string response) {
  Add({.kind = EntryKind::kCallEnded,
       .method = method,
       .call = call,
       .payload = Bytes::Take(std::move(response))});
}
void Recording::Failed(CallId call, Method method, const Status& status) {
  Add({.kind = EntryKind::kCallEnded,
       .method = method,
       .code = status.code(),
       .call = call,
       .text = status.message()});
}
void Recording::Killed() {
  Add(KillEntry(/*healed=*/false));
  Add(KillEntry(/*healed=*/true));
}
void Recording::Annotate(const Annotation& annotation) { Add(AnnotationEntry(annotation)); }

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
std::string RevokeToWire(std::int64_t lease) { return Message().Number(1, lease).bytes(); }
std::string KeepAliveToWire(std::int64_t lease) { return Message().Number(1, lease).bytes(); }
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
    std::string body = std::visit([](const auto& inner) { return ToWire(inner); }, one);
    response.Nested(3, Message().Text(std::visit(AnswerField(), one), body));
  }
  return response.bytes();
}
std::string HeaderToWire(Revision revision) {
  return Message().Nested(1, Header(revision.value)).bytes();
}
std::string GrantedToWire(Revision revision, std::int64_t lease, std::int64_t seconds) {
  return Message().Nested(1, Header(revision.value)).Number(2, lease).Number(3, seconds).bytes();
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
