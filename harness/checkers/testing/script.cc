// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/testing/script.h"

#include <algorithm>
#include <utility>

namespace watchproof {
namespace {

Message PutMessage(const std::string& key, const std::string& value) {
  return Message().Text(1, key).Text(2, value);
}
Message DeleteMessage(const std::string& key, const std::string& end) {
  Message message;
  message.Text(1, key);
  if (!end.empty()) message.Text(2, end);
  return message;
}
Message EventMessage(const Event& event) {
  return Message()
      .Optional(1, event.deleted ? 1 : 0)
      .Nested(2, KeyValue(event.kv))
      .Raw(event.previous ? Message().Nested(3, KeyValue(*event.previous)).bytes() : std::string());
}

}  // namespace

Script::Script(std::int64_t base) {
  Add({.kind = EntryKind::kRunStarted, .text = "{}"});
  Read(base);
  On(1);
}

Script& Script::Add(Entry entry) {
  const Line line(lines_.size() + 1);
  entry.at = std::chrono::milliseconds(line.value) + paused_;
  lines_.push_back({line, std::move(entry)});
  return *this;
}

Script& Script::Pause(Duration duration) {
  paused_ += duration;
  return *this;
}

Script& Script::On(std::uint32_t stream, const std::string& path) {
  stream_ = StreamId(stream);
  for (const NumberedEntry& line : lines_) {
    if (line.entry.kind == EntryKind::kStreamOpened && line.entry.stream == stream_) return *this;
  }
  return Add({.kind = EntryKind::kStreamOpened, .stream = stream_, .text = path});
}

Script& Script::Call(Method method, std::string request, std::string response) {
  const CallId call(++calls_);
  Add({.kind = EntryKind::kCallStarted,
       .method = method,
       .call = call,
       .payload = Bytes::Take(std::move(request))});
  return Add({.kind = EntryKind::kCallEnded,
              .method = method,
              .call = call,
              .payload = Bytes::Take(std::move(response))});
}

void Script::RecordPut(const std::string& key, const std::string& value, std::int64_t revision) {
  KeyValueFields& kv = live_[key];
  kv = {.key = key,
        .value = value,
        .create = kv.version == 0 ? revision : kv.create,
        .mod = revision,
        .version = kv.version + 1};
  written_[{revision, key}] = {.deleted = false, .kv = kv};
}

std::vector<std::string> Script::RecordDelete(const std::string& key, const std::string& end,
                                              std::int64_t revision) {
  std::vector<std::string> gone;
  for (const auto& [name, kv] : live_) {
    if (end.empty() ? name == key : name >= key && name < end) gone.push_back(name);
  }
  for (const std::string& name : gone) {
    live_.erase(name);
    KeyValueFields kv;
    kv.key = name;
    kv.mod = revision;
    written_[{revision, name}] = {.deleted = true, .kv = kv};
  }
  return gone;
}

Script& Script::Put(const std::string& key, const std::string& value, std::int64_t revision) {
  RecordPut(key, value, revision);
  return Call(Method::kPut, PutMessage(key, value).bytes(),
              Message().Nested(1, Header(revision)).bytes());
}

Script& Script::PutWithLease(const std::string& key, std::int64_t lease, std::int64_t revision) {
  RecordPut(key, "leased", revision);
  live_[key].lease = lease;
  written_[{revision, key}].kv.lease = lease;
  return Call(Method::kPut, PutMessage(key, "leased").Number(3, lease).bytes(),
              Message().Nested(1, Header(revision)).bytes());
}

Script& Script::Grant(std::int64_t lease, std::int64_t seconds, std::int64_t revision) {
  const Message granted = Message().Nested(1, Header(revision)).Number(2, lease).Number(3, seconds);
  return Call(Method::kLeaseGrant, Message().Number(1, seconds).Number(2, lease).bytes(),
              granted.bytes());
}

Script& Script::KeepAlive(std::int64_t lease, std::int64_t seconds, std::int64_t revision) {
  const Message kept = Message().Nested(1, Header(revision)).Number(2, lease).Number(3, seconds);
  return Call(Method::kLeaseKeepAlive, Message().Number(1, lease).bytes(), kept.bytes());
}

Script& Script::Expire(std::int64_t lease, std::int64_t revision) {
  std::vector<std::string> doomed;
  for (const auto& [key, kv] : live_) {
    if (kv.lease == lease) doomed.push_back(key);
  }
  for (const std::string& key : doomed) RecordDelete(key, {}, revision);
  return *this;
}

Script& Script::Revoke(std::int64_t lease, std::int64_t revision) {
  return Expire(lease, revision)
      .Call(Method::kLeaseRevoke, Message().Number(1, lease).bytes(),
            Message().Nested(1, Header(revision)).bytes());
}

Event Script::WithPrevious(const Written& written) const {
  Event event = As(written);
  for (auto at = written_.rbegin(); at != written_.rend(); ++at) {
    const auto& [revision, key] = at->first;
    if (key != written.key || revision >= written.revision) continue;
    if (!at->second.deleted) event.previous = at->second.kv;
    break;
  }
  return event;
}

Script& Script::Delete(const std::string& key, std::int64_t revision, const std::string& end) {
  const auto gone = static_cast<std::int64_t>(RecordDelete(key, end, revision).size());
  return Call(Method::kDeleteRange, DeleteMessage(key, end).bytes(),
              Message().Nested(1, Header(revision)).Optional(2, gone).bytes());
}

Script& Script::Txn(const TxnParts& parts, std::int64_t revision) {
  Message request;
  Message response = Message().Nested(1, Header(revision)).Number(2, 1);
  const auto puts = [&] {
    for (const PutPart& put : parts.puts) {
      RecordPut(put.key, put.value, revision);
      request.Nested(2, Message().Nested(2, PutMessage(put.key, put.value)));
      response.Nested(3, Message().Nested(2, Message()));
    }
  };
  if (!parts.puts_second) puts();
  for (std::size_t i = 0; i < parts.deletes.size(); ++i) {
    const std::string& key = parts.deletes[i];
    const std::string& end = parts.deletes_to;
    const auto gone = static_cast<std::int64_t>(RecordDelete(key, end, revision).size());
    request.Nested(2, Message().Nested(3, DeleteMessage(key, end)));
    response.Nested(3, Message().Nested(3, Message().Optional(2, gone)));
    if (parts.puts_second && i == 0) puts();
  }
  return Call(Method::kTxn, request.bytes(), response.bytes());
}

Script& Script::Compact(std::int64_t revision) {
  return Call(Method::kCompact, Message().Number(1, revision).bytes(),
              Message().Nested(1, Header(revision).Optional(2, member_)).bytes());
}

Script& Script::StartPut(std::uint32_t call, const std::string& key, const std::string& value) {
  started_[call] = {key, value};
  return Add({.kind = EntryKind::kCallStarted,
              .method = Method::kPut,
              .call = CallId(call),
              .payload = Bytes::Take(PutMessage(key, value).bytes())});
}

Script& Script::StartPut(std::uint32_t call, const PutRequest& request) {
  started_[call] = {request.key, request.value};
  return Add({.kind = EntryKind::kCallStarted,
              .method = Method::kPut,
              .call = CallId(call),
              .payload = Bytes::Take(ToMessage(request).bytes())});
}

Script& Script::AckPut(std::uint32_t call, std::int64_t revision) {
  RecordPut(started_[call].key, started_[call].value, revision);
  return AnswerPut(call, Message().Nested(1, Header(revision)).bytes());
}

Script& Script::AnswerPut(std::uint32_t call, std::string answer) {
  return Add({.kind = EntryKind::kCallEnded,
              .method = Method::kPut,
              .call = CallId(call),
              .payload = Bytes::Take(std::move(answer))});
}

Script& Script::StartCompact(std::uint32_t call, std::int64_t revision) {
  return Add({.kind = EntryKind::kCallStarted,
              .method = Method::kCompact,
              .call = CallId(call),
              .payload = Bytes::Take(Message().Number(1, revision).bytes())});
}

Script& Script::StartTxn(std::uint32_t call, const Message& request) {
  return Add({.kind = EntryKind::kCallStarted,
              .method = Method::kTxn,
              .call = CallId(call),
              .payload = Bytes::Take(request.bytes())});
}

Script& Script::EndCompact(std::uint32_t call, StatusCode code) {
  return FailCall(call, Method::kCompact, code);
}

Script& Script::FailCall(std::uint32_t call, Method method, StatusCode code) {
  return Add({.kind = EntryKind::kCallEnded, .method = method, .code = code, .call = CallId(call)});
}

Script& Script::Read(std::int64_t revision, const std::string& key) {
  return Call(Method::kRange, Message().Text(1, key).bytes(),
              Message().Nested(1, Header(revision)).bytes());
}

Script& Script::ReadAt(std::int64_t at, std::int64_t head) {
  return Call(Method::kRange, Message().Text(1, "any").Number(4, at).bytes(),
              Message().Nested(1, Header(head)).bytes());
}

Script& Script::ReadRefusedAt(std::int64_t at, StatusCode code) {
  return CallRefused(Method::kRange, Message().Text(1, "any").Number(4, at), code);
}

Script& Script::TxnRefusedAt(std::int64_t at, StatusCode code, bool nested,
                             std::int64_t otherwise) {
  const auto read = [](std::int64_t revision) {
    return Message().Nested(1, Message().Text(1, "any").Number(4, revision));
  };
  Message txn = Message().Nested(2, read(at));
  // Its key has another version than 0, or not.
  if (otherwise != 0) txn.Nested(1, Message().Text(3, "any")).Nested(3, read(otherwise));
  if (nested) txn = Message().Nested(2, Message().Nested(4, txn));
  return CallRefused(Method::kTxn, txn, code);
}

Script& Script::CallRefused(Method method, const Message& request, StatusCode code) {
  const CallId call(++calls_);
  Add({.kind = EntryKind::kCallStarted,
       .method = method,
       .call = call,
       .payload = Bytes::Take(request.bytes())});
  return Add({.kind = EntryKind::kCallEnded,
              .method = method,
              .code = code,
              .call = call,
              .payload = {},
              .text = "required revision has been compacted"});
}

Script& Script::Payload(EntryKind kind, std::string payload) {
  return Add({.kind = kind, .stream = stream_, .payload = Bytes::Take(std::move(payload))});
}

Script& Script::Watch(const std::string& key, std::int64_t start, const ScriptedCreate& options) {
  const Message request = CreateRequest({.key = key,
                                         .range_end = options.range_end,
                                         .start = Revision(start),
                                         .id = WatchId(options.id),
                                         .options = {.prev_kv = options.previous,
                                                     .progress_notify = options.progress,
                                                     .fragment = options.fragment,
                                                     .no_put = options.no_put,
                                                     .no_delete = options.no_delete}});
  return Payload(EntryKind::kRequestSent, request.bytes());
}

Script& Script::Cancel(std::int64_t id) {
  return Payload(EntryKind::kRequestSent, Message().Nested(2, Message().Optional(1, id)).bytes());
}

Script& Script::Respond(const Message& message) {
  return Payload(EntryKind::kResponseReceived, message.bytes());
}

Script& Script::WithHeader(std::int64_t revision) {
  header_ = revision;
  return *this;
}

Script& Script::OfMember(std::int64_t member) {
  member_ = member;
  return *this;
}

Message Script::Response(std::int64_t header, std::int64_t id) {
  const std::int64_t revision = std::exchange(header_, std::nullopt).value_or(header);
  return Message().Nested(1, Header(revision).Optional(2, member_)).Optional(2, id);
}

Script& Script::Created(std::int64_t id, std::int64_t header) {
  return Respond(Response(header, id).Number(3, 1));
}

Script& Script::Refused(std::int64_t id, const std::string& reason) {
  return Respond(Response(1, id).Number(3, 1).Number(4, 1).Text(6, reason));
}

std::vector<Event> Script::All(const std::vector<Written>& events) const {
  std::vector<Event> all;
  for (const Written& event : events) all.push_back(As(event));
  return all;
}

Script& Script::Send(std::int64_t id, const std::vector<Event>& events, bool fragment) {
  std::int64_t highest = 0;
  for (const Event& event : events) highest = std::max(highest, event.kv.mod);
  Message message = Response(highest, id);
  message.Optional(7, fragment ? 1 : 0);
  for (const Event& event : events) message.Nested(11, EventMessage(event));
  return Respond(message);
}

Script& Script::Deliver(std::int64_t id, const std::vector<Written>& events) {
  return Send(id, All(events), false);
}
Script& Script::DeliverPart(std::int64_t id, const std::vector<Written>& events) {
  return Send(id, All(events), true);
}
Script& Script::DeliverRaw(std::int64_t id, const std::vector<Event>& events) {
  return Send(id, events, false);
}

Script& Script::Progress(std::int64_t id, std::int64_t revision) {
  return Respond(Response(revision, id));
}
Script& Script::Compacted(std::int64_t id, std::int64_t compact_revision) {
  return Respond(Response(1, id).Number(4, 1).Number(5, compact_revision));
}
Script& Script::Cancelled(std::int64_t id, const std::string& reason) {
  return Respond(Response(1, id).Number(4, 1).Text(6, reason));
}

Script& Script::ForeignProgress(std::int64_t id, std::int64_t revision) {
  return Respond(Message().Nested(1, Message().Number(1, 78).Number(3, revision)).Optional(2, id));
}

Script& Script::Annotate(const Annotation& annotation) { return Add(AnnotationEntry(annotation)); }
Script& Script::Armed(const std::string& fault, const std::string& ends, bool parts_members) {
  const std::string reported =
      ends.empty() ? std::string() : fmt::format(R"(,"ends_streams":"{}")", ends);
  return Add({.kind = EntryKind::kFault,
              .text = fmt::format(R"({{"fault":"{}","phase":"armed"{}{}}})", fault, reported,
                                  parts_members ? R"(,"parts_members":true)" : "")});
}
Script& Script::Healed(const std::string& fault) {
  return Add(
      {.kind = EntryKind::kFault,
       .text = fmt::format(R"({{"fault":"{}","phase":"healed","ends_streams":"none"}})", fault)});
}
Script& Script::AskProgress() {
  return Payload(EntryKind::kRequestSent, Message().Nested(3, Message()).bytes());
}
Script& Script::Closed(StatusCode code) {
  return Add({.kind = EntryKind::kStreamClosed, .code = code, .stream = stream_, .text = "bye"});
}

Judgement Script::Judge(const JudgeOptions& options) const {
  watchproof::Judge judge(options);
  for (const NumberedEntry& line : lines_) judge.Consume(line);
  return judge.Finish();
}

}  // namespace watchproof
