// SPDX-License-Identifier: Apache-2.0
#include "ci/mutants/call_mutation.h"

#include <algorithm>
#include <deque>
#include <set>
#include <utility>

#include "harness/history/history_parser.h"

namespace watchproof {
namespace {

struct ReadAnswer {
  HeaderView header;
  std::vector<KeyMetadata> kvs;
  bool more = false;
  std::int64_t count = 0;
  bool operator==(const ReadAnswer& other) const {
    return header.revision == other.header.revision && kvs == other.kvs && more == other.more &&
           count == other.count;
  }
};

std::optional<ReadAnswer> DecodeRead(std::string_view message) {
  RangeResponseView view;
  if (!Parse(message, view).ok()) return std::nullopt;
  ReadAnswer answer{.header = view.header, .kvs = {}, .more = view.more, .count = view.count};
  for (const KeyValueView& kv : view.kvs) answer.kvs.push_back(MetadataOf(kv));
  return answer;
}

std::string Encode(const ReadAnswer& answer) {
  Message message = Message().Nested(1, ToMessage(answer.header));
  for (const KeyMetadata& kv : answer.kvs) message.Nested(2, ToMessage(kv));
  return message.Optional(3, answer.more ? 1 : 0).Optional(4, answer.count).bytes();
}

// The message behind its header, which is always the first field.
std::string WithRevision(std::string_view message, std::int64_t revision) {
  HeaderView header;
  if (!ParseHeader(message, header).ok()) return std::string(message);
  std::string rest(message);
  const auto first = FirstField(message);
  if (first && first->number == 1) rest = message.substr(first->size);
  header.revision = revision;
  return Message().Nested(1, ToMessage(header)).bytes() + rest;
}

// The correct answer to a read of the state at that revision.
ReadAnswer AnswerAt(const ReferenceTruth& truth, const RangeRequestView& request,
                    std::int64_t revision) {
  std::map<std::string, KeyMetadata> state;
  for (const ReferenceChange& change : truth.log) {
    if (change.revision > revision) break;
    if (change.deleted) {
      state.erase(change.kv.key);
    } else {
      state[change.kv.key] = change.kv;
    }
  }
  ReadAnswer answer;
  answer.header.revision = revision;
  for (const auto& [key, kv] : state) {
    if (!InRange(key, request.key, request.range_end)) continue;
    ++answer.count;
    const bool full =
        request.limit > 0 && static_cast<std::int64_t>(answer.kvs.size()) == request.limit;
    answer.more = answer.more || full;
    if (!full && !request.count_only) answer.kvs.push_back(kv);
  }
  if (request.count_only) answer.more = false;
  return answer;
}

class CallMutator {
 public:
  CallMutator(const CallSubject& subject, CallMutation mutation, Prng& prng)
      : subject_(subject), mutation_(mutation), prng_(prng) {}

  std::optional<CallMutant> Run() {
    if (mutation_ == CallMutation::kNarrowRight) return NarrowRight();
    std::vector<const AnsweredCall*> fitting;
    for (const AnsweredCall& call : subject_.calls) {
      if (Fits(call)) fitting.push_back(&call);
    }
    if (fitting.empty()) return std::nullopt;
    const AnsweredCall& call = *prng_.Pick(fitting);
    switch (mutation_) {
      case CallMutation::kAlterOutcome:
        return AlterOutcome(call);
      case CallMutation::kRepeatRevision:
        return RepeatRevision(call, fitting);
      default:
        return AlterRead(call);
    }
  }

 private:
  bool Fits(const AnsweredCall& call) const {
    const bool reads = call.method == Method::kRange;
    switch (mutation_) {
      case CallMutation::kAlterRead:
        return reads && !call.serializable;
      case CallMutation::kAlterSerializableRead:
      case CallMutation::kLowerRevision:
        return reads && call.serializable;
      case CallMutation::kAlterOutcome:
        return call.method == Method::kDeleteRange || call.method == Method::kTxn;
      case CallMutation::kRepeatRevision:
        return call.changes;
      case CallMutation::kNarrowRight:
        break;
    }
    return false;
  }

  bool began_empty() const { return subject_.truth.base == 1; }

  std::string_view AnswerOf(const AnsweredCall& call) const {
    return subject_.recording.lines[call.ended].entry.payload.view();
  }

  CallMutant With(const AnsweredCall& call, std::string message, const std::string& what,
                  bool legal) const {
    CallMutant mutant{.what = fmt::format("line {}: {}", call.ended_line, what),
                      .lines = subject_.recording.lines,
                      .legal = legal};
    mutant.lines[call.ended].entry.payload = Bytes::Take(std::move(message));
    return mutant;
  }

  // Legal if it shows the state of its revision, and the call may name that revision.
  std::optional<CallMutant> AlterRead(const AnsweredCall& call) {
    RangeRequestView request;
    const auto before = DecodeRead(AnswerOf(call));
    if (!before || !Parse(call.request, request).ok() || request.revision != 0) return std::nullopt;
    // Keys from before the recording may be in the answer, too, but they are unknown.
    if (!(*before == AnswerAt(subject_.truth, request, call.revision))) return std::nullopt;
    ReadAnswer after = *before;
    std::string what;
    if (mutation_ == CallMutation::kLowerRevision) {
      if (call.revision <= subject_.truth.base) return std::nullopt;
      after.header.revision = prng_.Between(subject_.truth.base, call.revision - 1);
      what = fmt::format("the revision is {} instead of {}", after.header.revision, call.revision);
    } else {
      if (began_empty() || !after.kvs.empty()) what = AlterShown(after);
    }
    if (after == *before) return std::nullopt;
    const std::int64_t revision = after.header.revision;
    const bool legal =
        revision >= LeastRevision(call) && after == AnswerAt(subject_.truth, request, revision);
    return With(call, Encode(after), what, legal);
  }

  std::string AlterShown(ReadAnswer& answer) {
    if (answer.kvs.empty() || (began_empty() && prng_.Chance(0.2))) {
      answer.count += prng_.Chance(0.5) || answer.count == 0 ? 1 : -1;
      return "the count is another";
    }
    const std::size_t i = prng_.Below(answer.kvs.size());
    KeyMetadata& kv = answer.kvs[i];
    // The metadata of keys that may be older than the recording is not fully known.
    switch (prng_.Below(began_empty() ? 5 : 2)) {
      case 0:
        kv.value += "x";
        return "a value is another";
      case 1:
        kv.mod_revision += prng_.Chance(0.5) ? 1 : -1;
        return "a revision is another";
      case 2:
        kv.version += 1;
        return "a version is another";
      case 3:
        kv.create_revision -= 1;
        return "a create revision is another";
      default:
        answer.kvs.erase(answer.kvs.begin() + static_cast<std::ptrdiff_t>(i));
        answer.count -= 1;
        return "a key is missing";
    }
  }

  // The revision reported before it began: to any client, or, if the read may be behind, to its own
  // client.
  std::int64_t LeastRevision(const AnsweredCall& call) const {
    std::int64_t least = subject_.truth.base;
    for (const AnsweredCall& other : subject_.calls) {
      if (other.ended_line >= call.began_line) continue;
      if (call.serializable && (call.client.empty() || other.client != call.client)) continue;
      least = std::max(least, other.revision);
    }
    return least;
  }

  std::optional<CallMutant> AlterOutcome(const AnsweredCall& call) {
    HeaderView header;
    if (!began_empty() || !ParseHeader(AnswerOf(call), header).ok()) return std::nullopt;
    Message message = Message().Nested(1, ToMessage(header));
    if (call.method == Method::kDeleteRange) {
      DeleteRangeResponseView answer;
      if (!Parse(AnswerOf(call), answer).ok()) return std::nullopt;
      const std::int64_t deleted =
          answer.deleted == 0 || prng_.Chance(0.5) ? answer.deleted + 1 : answer.deleted - 1;
      CallMutant mutant =
          With(call, message.Optional(2, deleted).bytes(),
               fmt::format("{} instead of {} deleted", deleted, answer.deleted), false);
      mutant.undecidable = deleted == 0;
      return mutant;
    }
    TxnRequestView request;
    TxnResponseView answer;
    if (!Parse(call.request, request).ok() || !Parse(AnswerOf(call), answer).ok()) {
      return std::nullopt;
    }
    if (request.compare.empty()) return std::nullopt;
    const std::vector<OperationView>& other = answer.succeeded ? request.failure : request.success;
    message.Optional(2, answer.succeeded ? 0 : 1);
    for (const OperationView& operation : other) {
      const bool known = operation.kind == Method::kRange || operation.kind == Method::kPut;
      const Method kind = known ? operation.kind : Method::kDeleteRange;
      message.Nested(3, Message().Nested(static_cast<std::uint32_t>(kind), Message()));
    }
    CallMutant mutant = With(
        call, message.bytes(),
        fmt::format("the other branch ran: {}", answer.succeeded ? "failure" : "success"), false);
    mutant.undecidable = call.changes;
    return mutant;
  }

  std::optional<CallMutant> RepeatRevision(const AnsweredCall& call,
                                           const std::vector<const AnsweredCall*>& writes) {
    const AnsweredCall& other = *prng_.Pick(writes);
    if (other.revision == call.revision) return std::nullopt;
    return With(call, WithRevision(AnswerOf(call), other.revision),
                fmt::format("a write has revision {}, which is another's", other.revision), false);
  }

  static bool Within(const WatchCreateView& create, const std::string& from,
                     const std::string& end) {
    const std::string_view last = create.range_end;
    const bool open = last == std::string_view("\0", 1);
    const bool ends = last.empty() ? create.key < end : !open && last <= end;
    return create.key >= from && ends;
  }

  // Whether a create of the stream that asks for more made a watch. Creates are answered in order.
  static bool GotMore(const std::vector<NumberedEntry>& lines, std::uint32_t stream,
                      const std::string& from, const std::string& end) {
    std::deque<bool> beyond;  // of creates without an answer
    for (const NumberedEntry& line : lines) {
      if (line.entry.stream.value != stream) continue;
      WatchRequestView request;
      WatchResponseView response;
      if (line.entry.kind == EntryKind::kRequestSent &&
          Parse(line.entry.payload.view(), request).ok() &&
          request.kind == WatchRequestKind::kCreate) {
        beyond.push_back(!Within(request.create, from, end));
      }
      if (line.entry.kind != EntryKind::kResponseReceived || beyond.empty() ||
          !Parse(line.entry.payload.view(), response).ok() || !response.created) {
        continue;
      }
      if (beyond.front() && !response.canceled) return true;
      beyond.pop_front();
    }
    return false;
  }

  // Legal if the user may read every key that the stream received, and all that it watched.
  std::optional<CallMutant> NarrowRight() {
    if (subject_.given.empty()) return std::nullopt;
    auto stream = subject_.given.begin();
    std::advance(stream, prng_.Below(subject_.given.size()));
    std::string from = prng_.Pick(stream->second);
    std::string end = prng_.Pick(stream->second) + '\0';
    if (end < from) std::swap(from, end);
    CallMutant mutant{.what = {}, .lines = subject_.recording.lines, .legal = true};
    for (const std::string& key : stream->second) {
      mutant.legal = mutant.legal && InRange(key, from, end);
    }
    mutant.legal = mutant.legal && !GotMore(mutant.lines, stream->first, from, end);
    const auto opened =
        std::find_if(mutant.lines.begin(), mutant.lines.end(), [&](const NumberedEntry& line) {
          return line.entry.kind == EntryKind::kStreamOpened &&
                 line.entry.stream.value == stream->first;
        });
    Entry right =
        AnnotationEntry(ReadRight{.stream = StreamId(stream->first), .key = {from}, .end = {end}});
    right.at = opened->entry.at;
    mutant.what = fmt::format("after line {}: the user of stream {} may read less",
                              opened->line.value, stream->first);
    mutant.lines.insert(opened + 1, NumberedEntry{Line(), right});
    Renumber(mutant.lines);
    return mutant;
  }

  const CallSubject& subject_;
  const CallMutation mutation_;
  Prng& prng_;
};

}  // namespace

const std::vector<CallMutationInfo>& AllCallMutations() {
  using M = CallMutation;
  using G = Guarantee;
  static const std::vector<CallMutationInfo> kAll = {
      {M::kAlterRead, "alter-read", G("Linearizable"), "a linearizable read shows something else",
       ""},
      {M::kAlterSerializableRead, "alter-serializable-read", G("Serializable"),
       "a serializable read shows something else", ""},
      {M::kAlterOutcome, "alter-outcome", G("Transactional"),
       "a delete or a transaction is answered with another outcome", "",
       "the effect missing from the answer may be that of a write outside of the recording"},
      {M::kLowerRevision, "lower-revision", G("MonotonicReads"),
       "a serializable read names an earlier revision",
       "the state was the same then, and the client had received no later revision"},
      {M::kRepeatRevision, "repeat-revision", G("Durable"),
       "a write is answered with the revision of another", ""},
      {M::kNarrowRight, "narrow-right", G("Authorized"),
       "the user of a stream may read less than it received",
       "it asked for and received nothing outside of its right"},
  };
  return kAll;
}

CallSubject::CallSubject(const Recording& of, const ReferenceTruth& is) : recording(of), truth(is) {
  std::map<std::uint32_t, const NumberedEntry*> begun;
  std::set<std::int64_t> made;
  for (const ReferenceChange& change : truth.log) made.insert(change.revision);
  bool rights = false;
  std::map<std::uint32_t, std::set<std::string>> keys;
  for (std::size_t i = 0; i < recording.lines.size(); ++i) {
    const NumberedEntry& line = recording.lines[i];
    const Entry& entry = line.entry;
    if (entry.kind == EntryKind::kAnnotation) {
      const auto annotation = ParseAnnotation(entry.text);
      rights = rights || (annotation.has_value() && std::holds_alternative<ReadRight>(*annotation));
    }
    if (entry.kind == EntryKind::kStreamOpened && entry.text == "proxied") {
      keys[entry.stream.value];
    }
    if (entry.kind == EntryKind::kResponseReceived && keys.contains(entry.stream.value)) {
      const auto answer = Decode(entry);
      if (!answer.has_value()) continue;
      for (const WatchEvent& event : answer->events) keys[entry.stream.value].insert(event.kv.key);
    }
    if (entry.kind == EntryKind::kCallStarted) begun[entry.call.value] = &line;
    HeaderView header;
    if (entry.kind != EntryKind::kCallEnded || entry.code != StatusCode::kOk ||
        entry.method == Method::kCompact || !begun.contains(entry.call.value) ||
        !ParseHeader(entry.payload.view(), header).ok()) {
      continue;
    }
    const NumberedEntry& start = *begun[entry.call.value];
    RangeRequestView range;
    const bool reads = entry.method == Method::kRange;
    if (reads && !Parse(start.entry.payload.view(), range).ok()) continue;
    TxnResponseView txn;
    DeleteRangeResponseView erase;
    const bool changes =
        entry.method == Method::kPut ||
        (entry.method == Method::kDeleteRange && Parse(entry.payload.view(), erase).ok() &&
         erase.deleted > 0) ||
        (entry.method == Method::kTxn && Parse(entry.payload.view(), txn).ok() && txn.succeeded);
    calls.push_back({.ended = i,
                     .began_line = start.line.value,
                     .ended_line = line.line.value,
                     .method = entry.method,
                     .serializable = reads && range.serializable,
                     .client = start.entry.text,
                     .request = start.entry.payload.view(),
                     .revision = header.revision,
                     .changes = changes && made.contains(header.revision)});
  }
  if (rights) return;
  for (const auto& [stream, names] : keys) {
    if (!names.empty()) given[stream].assign(names.begin(), names.end());
  }
}

std::optional<CallMutant> MutateCall(const CallSubject& subject, CallMutation mutation,
                                     Prng& prng) {
  return CallMutator(subject, mutation, prng).Run();
}

}  // namespace watchproof
