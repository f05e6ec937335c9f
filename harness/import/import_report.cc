// SPDX-License-Identifier: Apache-2.0
// A client report as a recording.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "harness/history/annotation.h"
#include "harness/history/wire_writer.h"
#include "harness/import/client_report.h"
#include "harness/model/key_range.h"

namespace watchproof {
namespace {

using Kind = ReportedCall::Kind;
using Outcome = ReportedCall::Outcome;
using OperationKind = ReportedOperation::Kind;

// Only etcd's text distinguishes ErrCompacted from other ends in a report.
constexpr std::string_view kCompacted = "required revision has been compacted";

Message HeaderOf(std::int64_t revision) {
  return Message().Optional(3, std::max<std::int64_t>(revision, 0));
}

Message KeyMessage(const ReportedKey& kv) {
  return KeyValue({.key = kv.key, .value = kv.value, .mod = kv.mod_revision});
}

// A range without a start key begins with the first key.
Message OperationMessage(const ReportedOperation& operation, std::int64_t at = 0) {
  Message message;
  const bool from_first = operation.key.empty() && !operation.range_end.empty();
  message.Text(1, from_first ? kOpenEnd : operation.key);
  if (operation.kind == OperationKind::kPut) {
    return message.Text(2, operation.value).Optional(3, operation.lease);
  }
  if (!operation.range_end.empty()) message.Text(2, operation.range_end);
  return message.Optional(3, operation.limit).Optional(4, at).Optional(8, operation.keys_only);
}

Message RangeAnswer(const ReportedResult& result) {
  Message message;
  for (const ReportedKey& kv : result.kvs) message.Nested(2, KeyMessage(kv));
  const bool more = result.count > static_cast<std::int64_t>(result.kvs.size());
  return message.Optional(3, more).Optional(4, result.count);
}

std::uint32_t FieldOf(OperationKind kind) {
  return kind == OperationKind::kRange ? 1 : kind == OperationKind::kPut ? 2 : 3;
}

Message ResultMessage(OperationKind kind, const ReportedResult& result) {
  if (kind == OperationKind::kRange) return RangeAnswer(result);
  return kind == OperationKind::kPut ? Message() : Message().Optional(2, result.deleted);
}

Message CompareMessage(const ReportedCondition& condition) {
  constexpr std::int64_t kVersion = 0;
  constexpr std::int64_t kMod = 2;
  const bool version = condition.version > 0;
  return Message()
      .Optional(2, version ? kVersion : kMod)
      .Text(3, condition.key)
      .Number(version ? 4 : 6, version ? condition.version : condition.mod_revision);
}

Message TxnRequest(const ReportedCall& call) {
  Message message;
  for (const ReportedCondition& each : call.conditions) message.Nested(1, CompareMessage(each));
  std::uint32_t field = 2;
  for (const auto* branch : {&call.on_success, &call.on_failure}) {
    for (const ReportedOperation& each : *branch) {
      message.Nested(field, Message().Nested(FieldOf(each.kind), OperationMessage(each)));
    }
    ++field;
  }
  return message;
}

Message TxnAnswer(const ReportedCall& call) {
  Message message = Message().Nested(1, HeaderOf(call.revision));
  message.Optional(2, call.failed_compare ? 0 : 1);
  for (std::size_t i = 0; i < call.results.size(); ++i) {
    const OperationKind kind = call.ran()[i].kind;
    message.Nested(3, Message().Nested(FieldOf(kind), ResultMessage(kind, call.results[i])));
  }
  return message;
}

// The transaction that does the same.
ReportedCall AsDeletes(const ReportedCall& revoke, const std::vector<std::string>& keys) {
  ReportedCall call = revoke;
  call.kind = Kind::kTxn;
  for (const std::string& key : keys) {
    call.on_success.push_back({.kind = OperationKind::kDelete, .key = key});
    call.results.push_back({.kvs = {}, .deleted = 1});
  }
  return call;
}

bool Writes(const ReportedCall& call) {
  return std::ranges::any_of(call.ran(), [](const ReportedOperation& each) {
    return each.kind != ReportedOperation::Kind::kRange;
  });
}

// Which keys of the reports were attached to a lease when it was revoked. Refers to their calls.
class LeaseKeys {
 public:
  explicit LeaseKeys(const std::vector<ClientReport>& reports) {
    std::vector<const ReportedCall*> answered;
    for (const ClientReport& report : reports) {
      for (const ReportedCall& call : report.calls) {
        if (call.kind != Kind::kTxn && call.kind != Kind::kLeaseRevoke) continue;
        if (call.outcome == Outcome::kAnswered) answered.push_back(&call);
        for (const auto* operations : {&call.on_success, &call.on_failure}) {
          for (const ReportedOperation& operation : *operations) {
            if (operation.kind == ReportedOperation::Kind::kRange) continue;
            if (operation.lease != 0) ever_[operation.lease].insert(operation.key);
            if (call.outcome == Outcome::kUnknown) undecided_.insert(operation.key);
          }
        }
      }
    }
    Follow(answered);
    // Another revocation without an answer may have deleted the keys before.
    for (const ClientReport& report : reports) {
      for (const ReportedCall& call : report.calls) {
        if (call.kind != Kind::kLeaseRevoke || call.outcome != Outcome::kUnknown) continue;
        const auto ever = ever_.find(call.lease);
        if (ever != ever_.end()) undecided_.insert(ever->second.begin(), ever->second.end());
      }
    }
  }

  // Empty if that is not certain: calls without an answer may have attached or detached keys.
  std::optional<std::vector<std::string>> DeletedBy(const ReportedCall& revoke) const {
    const auto ever = ever_.find(revoke.lease);
    if (ever == ever_.end()) return std::vector<std::string>();
    const bool unanswered = std::ranges::any_of(
        ever->second, [&](const auto& key) { return undecided_.contains(key); });
    if (unanswered || revoke.outcome != Outcome::kAnswered) return std::nullopt;
    const auto found = revoked_.find(&revoke);
    return found == revoked_.end() ? std::vector<std::string>() : found->second;
  }

 private:
  // A revocation that deletes keys makes a revision of its own, so it comes before any other call
  // answered with that revision; if such a call is a write, the revocation deleted nothing.
  void Follow(const std::vector<const ReportedCall*>& answered) {
    std::vector<const ReportedCall*> calls = answered;
    std::ranges::stable_sort(calls, [](const auto* a, const auto* b) {
      if (a->revision != b->revision) return a->revision < b->revision;
      return a->kind == Kind::kLeaseRevoke && b->kind != Kind::kLeaseRevoke;
    });
    std::set<std::int64_t> written;
    for (const ReportedCall* call : calls) {
      if (call->kind == Kind::kTxn && Writes(*call)) written.insert(call->revision);
    }
    std::map<std::string, std::int64_t> lease_of;
    for (const ReportedCall* call : calls) {
      if (call->kind == Kind::kLeaseRevoke && !written.contains(call->revision)) {
        std::vector<std::string>& keys = revoked_[call];
        std::erase_if(lease_of, [&](const auto& key) {
          if (key.second != call->lease) return false;
          keys.push_back(key.first);
          return true;
        });
      }
      for (const ReportedOperation& operation : call->ran()) {
        if (operation.kind == ReportedOperation::Kind::kPut)
          lease_of[operation.key] = operation.lease;
        if (operation.kind == ReportedOperation::Kind::kDelete) lease_of.erase(operation.key);
      }
    }
  }

  std::map<const ReportedCall*, std::vector<std::string>> revoked_;  // those that were answered
  std::map<std::int64_t, std::set<std::string>> ever_;               // by lease
  std::set<std::string> undecided_;  // keys of writes with an unknown outcome
};

class Importer {
 public:
  explicit Importer(const std::vector<ClientReport>& reports) : leases_(reports) {
    Add(Duration(1),
        {.kind = EntryKind::kRunStarted,
         .text = R"({"format":1,"case":"imported client reports","without_metadata":true})"});
    for (const ClientReport& report : reports) {
      for (const ReportedCall& call : report.calls) TakeCall(report.client, call);
    }
    const ReportedWatch* control = nullptr;
    for (const ClientReport& report : reports) {
      for (const ReportedWatch& watch : report.watches) {
        TakeWatch(fmt::format("client {}", report.client), watch);
        const bool all = watch.prefix && watch.key.empty();
        if (all && (control == nullptr || Events(watch) > Events(*control))) control = &watch;
      }
    }
    if (control != nullptr) TakeWatch("control", *control);
  }

  std::vector<Entry> Finish() {
    std::ranges::stable_sort(entries_, {}, &Entry::at);
    return std::move(entries_);
  }

 private:
  static std::size_t Events(const ReportedWatch& watch) {
    std::size_t events = 0;
    for (const ReportedResponse& response : watch.responses) events += response.events.size();
    return events;
  }

  // The first nanosecond is the first line's.
  void Add(Duration at, Entry entry) {
    entry.at = std::max(at, Duration(1));
    entries_.push_back(std::move(entry));
  }

  void TakeCall(int client, const ReportedCall& call) {
    switch (call.kind) {
      case Kind::kRange:
        return AddCall(client, call, Method::kRange, OperationMessage(call.range, call.at),
                       call.results.empty() ? Message()
                                            : Message()
                                                  .Nested(1, HeaderOf(call.revision))
                                                  .Raw(RangeAnswer(call.results[0]).bytes()));
      case Kind::kTxn:
        return AddCall(client, call, Method::kTxn, TxnRequest(call), TxnAnswer(call));
      case Kind::kLeaseRevoke:
        return TakeRevoke(client, call);
      case Kind::kCompact:
        if (call.outcome != Outcome::kRefused) compactions_.push_back({call.began, call.at});
        return AddCall(client, call, Method::kCompact, Message().Optional(1, call.at), Message());
      case Kind::kNeither:
        return;
    }
  }

  void TakeRevoke(int client, const ReportedCall& call) {
    const auto keys = leases_.DeletedBy(call);
    if (keys && keys->empty()) return;
    if (keys) return TakeCall(client, AsDeletes(call, *keys));
    // Its effect is unknown: a write without an answer.
    ReportedCall open = AsDeletes(call, {});
    open.outcome = Outcome::kUnknown;
    TakeCall(client, open);
  }

  void AddCall(int client, const ReportedCall& call, Method method, const Message& request,
               const Message& response) {
    const CallId id(++calls_);
    Add(call.began, {.kind = EntryKind::kCallStarted,
                     .method = method,
                     .call = id,
                     .payload = Bytes::Copy(request.bytes()),
                     .text = fmt::format("{}", client)});
    const bool answered = call.outcome == Outcome::kAnswered;
    Add(call.ended, {.kind = EntryKind::kCallEnded,
                     .method = method,
                     .code = answered                            ? StatusCode::kOk
                             : call.outcome == Outcome::kRefused ? StatusCode::kOutOfRange
                                                                 : StatusCode::kUnknown,
                     .call = id,
                     .payload = answered ? Bytes::Copy(response.bytes()) : Bytes(),
                     .text = call.error});
  }

  // On a stream of its own, before everything else.
  StreamId Open(const std::string& path, const ReportedWatch& watch) {
    const std::string end = watch.prefix ? EndOfPrefix(watch.key) : std::string();
    Message create;
    create.Text(1, watch.prefix && watch.key.empty() ? kOpenEnd : watch.key);
    if (!end.empty()) create.Text(2, end);
    create.Optional(3, watch.start).Optional(4, watch.progress_notify);
    create.Optional(6, watch.previous);
    const StreamId stream(++streams_);
    const Duration at{};
    Add(at, {.kind = EntryKind::kStreamOpened, .stream = stream, .text = path});
    Add(at, {.kind = EntryKind::kRequestSent,
             .stream = stream,
             .payload = Bytes::Copy(Message().Nested(1, create).bytes())});
    return stream;
  }

  void Consume(StreamId stream, Duration at, const Message& message) {
    Add(at, {.kind = EntryKind::kResponseReceived,
             .stream = stream,
             .payload = Bytes::Copy(message.bytes())});
  }

  // Every store starts at revision 1.
  void VisitCreated(StreamId stream, const ReportedResponse& first) {
    std::int64_t revision = first.revision;
    if (!first.events.empty()) revision = first.events.front().kv.mod_revision - 1;
    Consume(stream, first.at,
            Message().Nested(1, HeaderOf(std::max<std::int64_t>(revision, 1))).Number(3, 1));
  }

  void Close(StreamId stream, Duration at, const std::string& text = {}) {
    Add(at, AnnotationEntry(ClosingStream{stream}));
    Add(at, {.kind = EntryKind::kStreamClosed,
             .code = text.empty() ? StatusCode::kOk : StatusCode::kUnknown,
             .stream = stream,
             .text = text});
  }

  void TakeWatch(const std::string& path, const ReportedWatch& watch) {
    const StreamId stream = Open(path, watch);
    if (watch.responses.empty()) return Close(stream, {});
    VisitCreated(stream, watch.responses.front());
    for (const ReportedResponse& response : watch.responses) {
      const bool compacted = response.error.find(kCompacted) != std::string::npos;
      if (!response.error.empty() && !compacted) {
        return Close(stream, response.at, response.error);
      }
      if (compacted) {
        AddCompacted(stream, response);
      } else if (response.progress || !response.events.empty()) {
        AddProgress(stream, response);
      }
    }
    Close(stream, watch.responses.back().at);
  }

  void AddCompacted(StreamId stream, const ReportedResponse& response) {
    Message message = Message().Nested(1, HeaderOf(response.revision)).Number(4, 1);
    message.Number(5, CompactedAt(response.at)).Text(6, response.error);
    Consume(stream, response.at, message);
  }

  // With events or without.
  void AddProgress(StreamId stream, const ReportedResponse& response) {
    Message message = Message().Nested(1, HeaderOf(response.revision));
    for (const ReportedEvent& event : response.events) {
      Message reported = Message().Optional(1, event.deletes ? 1 : 0);
      const std::int64_t mod = event.kv.mod_revision;
      reported.Nested(2, KeyValue({.key = event.kv.key,
                                   .value = event.kv.value,
                                   .create = event.creates && !event.deletes ? mod : 0,
                                   .mod = mod}));
      if (event.previous) reported.Nested(3, KeyMessage(*event.previous));
      message.Nested(11, reported);
    }
    Consume(stream, response.at, message);
  }

  // At least 1: with 0 the message would not be ErrCompacted.
  std::int64_t CompactedAt(Duration at) const {
    std::int64_t highest = 1;
    for (const auto& [began, revision] : compactions_) {
      if (began <= at) highest = std::max(highest, revision);
    }
    return highest;
  }

  const LeaseKeys leases_;
  std::vector<Entry> entries_;
  std::vector<std::pair<Duration, std::int64_t>> compactions_;  // when asked for, and up to where
  std::uint32_t calls_ = 0;
  std::uint32_t streams_ = 0;
};

}  // namespace

std::vector<Entry> EntriesOf(const std::vector<ClientReport>& reports) {
  return Importer(reports).Finish();
}

}  // namespace watchproof
