// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/testing/call_script.h"

#include <utility>

namespace watchproof {
namespace {

constexpr StreamId kControl{9};

Message Compare(std::int64_t target, const std::string& key) {
  return Message().Optional(2, target).Text(3, key);
}

}  // namespace

Message GetOf(const std::string& key, const GetOptions& options) {
  Message get;
  get.Text(1, key);
  if (!options.range_end.empty()) get.Text(2, options.range_end);
  return get.Optional(3, options.limit)
      .Optional(4, options.revision)
      .Optional(5, options.descending ? 2 : 0)
      .Optional(6, options.target)
      .Optional(7, options.serializable ? 1 : 0)
      .Optional(8, options.keys_only ? 1 : 0)
      .Optional(9, options.count_only ? 1 : 0)
      .Optional(10, options.min_mod)
      .Optional(13, options.max_create);
}
Message PutOf(const std::string& key, const std::string& value, std::int64_t lease) {
  return Message().Text(1, key).Text(2, value).Optional(3, lease);
}
Message PutOver(const std::string& key, const std::string& value) {
  return PutOf(key, value).Number(4, 1);
}
Message DeleteOf(const std::string& key, const std::string& range_end) {
  Message erase;
  erase.Text(1, key);
  return range_end.empty() ? erase : erase.Text(2, range_end);
}

Message TxnOf::message() const {
  Message txn;
  for (const Message& compare : compares) txn.Nested(1, compare);
  for (const Message& operation : success) txn.Nested(2, operation);
  for (const Message& operation : failure) txn.Nested(3, operation);
  return txn;
}
Message Part(Method method, const Message& message) {
  return Message().Nested(static_cast<std::uint32_t>(method), message);
}
Message VersionIs(const std::string& key, std::int64_t version) {
  return Compare(0, key).Optional(4, version);
}
Message ModIs(const std::string& key, std::int64_t revision) {
  return Compare(2, key).Optional(6, revision);
}
Message ValueIs(const std::string& key, const std::string& value) {
  return Compare(3, key).Text(7, value);
}

KeyValueFields Kv(const std::string& key, const std::string& value, std::int64_t mod,
                  std::int64_t create, std::int64_t version) {
  return {.key = key,
          .value = value,
          .create = create == 0 ? mod : create,
          .mod = mod,
          .version = version};
}

Message Reported(std::int64_t revision) { return Message().Nested(1, Header(revision)); }
Message Shown(std::int64_t revision, const std::vector<KeyValueFields>& kvs, std::int64_t count,
              bool more) {
  Message answer = Reported(revision);
  for (const KeyValueFields& kv : kvs) answer.Nested(2, KeyValue(kv));
  return answer.Optional(3, more ? 1 : 0)
      .Optional(4, count < 0 ? static_cast<std::int64_t>(kvs.size()) : count);
}
Message ReportedPrevious(std::int64_t revision, const KeyValueFields& previous) {
  return Reported(revision).Nested(2, KeyValue(previous));
}
Message Deleted(std::int64_t revision, std::int64_t count) {
  return Reported(revision).Optional(2, count);
}
Message Decided(std::int64_t revision, bool succeeded, const std::vector<Message>& answers) {
  Message answer = Reported(revision).Optional(2, succeeded ? 1 : 0);
  for (const Message& part : answers) answer.Nested(3, part);
  return answer;
}

CallScript::CallScript(std::int64_t base) {
  if (base > 0) Do(Method::kRange, GetOf("head", {.count_only = true}), Shown(base, {}));
}

CallScript& CallScript::Add(Entry entry) {
  const Line line(lines_.size() + 1);
  entry.at = std::chrono::milliseconds(line.value) + paused_;
  lines_.push_back({line, std::move(entry)});
  return *this;
}

CallScript& CallScript::As(const std::string& client) {
  client_ = client;
  return *this;
}

CallScript& CallScript::Begin(std::uint32_t call, Method method, const Message& request) {
  return Add({.kind = EntryKind::kCallStarted,
              .method = method,
              .call = CallId(call),
              .payload = Bytes::Take(request.bytes()),
              .text = client_});
}

CallScript& CallScript::End(std::uint32_t call, Method method, const Message& answer) {
  return Add({.kind = EntryKind::kCallEnded,
              .method = method,
              .call = CallId(call),
              .payload = Bytes::Take(answer.bytes())});
}

CallScript& CallScript::Fail(std::uint32_t call, Method method, StatusCode code,
                             const std::string& why) {
  return Add({.kind = EntryKind::kCallEnded,
              .method = method,
              .code = code,
              .call = CallId(call),
              .text = why});
}

CallScript& CallScript::Do(Method method, const Message& request, const Message& answer) {
  const std::uint32_t call = ++calls_;
  return Begin(call, method, request).End(call, method, answer);
}

CallScript& CallScript::Lose(Method method, const Message& request) {
  const std::uint32_t call = ++calls_;
  return Begin(call, method, request).Fail(call, method);
}

CallScript& CallScript::OpenWatch(const std::string& path) {
  Add({.kind = EntryKind::kStreamOpened, .stream = kControl, .text = path});
  const std::string every("\0", 1);
  const Message create = Message().Text(1, every).Text(2, every).Number(3, 2);
  return Add({.kind = EntryKind::kRequestSent,
              .stream = kControl,
              .payload = Bytes::Take(Message().Nested(1, create).bytes())});
}

CallScript& CallScript::Sees(const std::vector<KeyValueFields>& kvs, bool deleted) {
  Message response = Reported(kvs.front().mod);
  for (const KeyValueFields& kv : kvs) {
    response.Nested(11, Message().Optional(1, deleted ? 1 : 0).Nested(2, KeyValue(kv)));
  }
  return Sees(response);
}
CallScript& CallScript::Sees(const Message& response) {
  return Add({.kind = EntryKind::kResponseReceived,
              .stream = kControl,
              .payload = Bytes::Take(std::string(response.bytes()))});
}

Judgement CallScript::Judge() const {
  watchproof::Judge judge({});
  for (const NumberedEntry& line : lines_) judge.Consume(line);
  return judge.Finish();
}

}  // namespace watchproof
