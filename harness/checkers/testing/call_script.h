// SPDX-License-Identifier: Apache-2.0
// Writes key-value calls by hand, line by line, for the truth tables of their checkers.
//
//   CallScript script;                                  // an empty store, client "a"
//   script.Do(Method::kPut, PutOf("k", "v"), Acked(2))   // request and answer
//       .Do(Method::kRange, GetOf("k"), Shown(2, {Kv("k", "v", 2)}));
//   Judgement judgement = script.Judge();
//
// Messages are written out as a server would send them; the script keeps no store. Lines are 1 ms
// apart. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/checkers/judge.h"
#include "harness/history/annotation.h"
#include "harness/history/wire_writer.h"

namespace watchproof {

struct GetOptions {
  std::string range_end{};
  std::int64_t limit = 0;
  std::int64_t revision = 0;
  bool serializable = false;
  bool keys_only = false;
  bool count_only = false;
  bool descending = false;
  std::int64_t target = 0;  // to sort by
  std::int64_t min_mod = 0;
  std::int64_t max_create = 0;
};
Message GetOf(const std::string& key, const GetOptions& options = {});
Message PutOf(const std::string& key, const std::string& value, std::int64_t lease = 0);
// Requests the previous value.
Message PutOver(const std::string& key, const std::string& value);
Message DeleteOf(const std::string& key, const std::string& range_end = {});

struct TxnOf {
  std::vector<Message> compares{};
  std::vector<Message> success{};
  std::vector<Message> failure{};
  Message message() const;
};
// An operation of a transaction, or its answer.
Message Part(Method method, const Message& message);
Message VersionIs(const std::string& key, std::int64_t version);
Message ModIs(const std::string& key, std::int64_t revision);
Message ValueIs(const std::string& key, const std::string& value);

KeyValueFields Kv(const std::string& key, const std::string& value, std::int64_t mod,
                  std::int64_t create = 0, std::int64_t version = 1);

// Answers.
Message Reported(std::int64_t revision);
Message Shown(std::int64_t revision, const std::vector<KeyValueFields>& kvs,
              std::int64_t count = -1, bool more = false);
Message ReportedPrevious(std::int64_t revision, const KeyValueFields& previous);
Message Deleted(std::int64_t revision, std::int64_t count);
Message Decided(std::int64_t revision, bool succeeded, const std::vector<Message>& answers = {});

class CallScript {
 public:
  // Opens with a read that finds the store at `base`; 0: without such a read.
  explicit CallScript(std::int64_t base = 1);

  // Time passes before the next line, more than the millisecond of every line.
  CallScript& Pause(Duration time) {
    paused_ += time;
    return *this;
  }
  // The client of the following calls.
  CallScript& As(const std::string& client);
  CallScript& Do(Method method, const Message& request, const Message& answer);
  CallScript& Put(const std::string& key, const std::string& value, std::int64_t revision) {
    return Do(Method::kPut, PutOf(key, value), Reported(revision));
  }
  CallScript& Get(const std::string& key, const Message& answer) {
    return Do(Method::kRange, GetOf(key), answer);
  }
  // The halves of a call.
  CallScript& Begin(std::uint32_t call, Method method, const Message& request);
  CallScript& End(std::uint32_t call, Method method, const Message& answer);
  CallScript& Fail(std::uint32_t call, Method method,
                   StatusCode code = StatusCode::kDeadlineExceeded, const std::string& why = {});
  // A write without an answer.
  CallScript& Lose(Method method, const Message& request);
  CallScript& Annotate(const Annotation& annotation) { return Add(AnnotationEntry(annotation)); }
  CallScript& Fault(const FaultReported& line) {
    return Add({.kind = EntryKind::kFault, .text = ToText(line)});
  }

  // A control watch of every key from revision 2 on, and the events that it receives.
  CallScript& OpenControlWatch() { return OpenWatch("control"); }
  // The same on the path of that name, where what it receives is judged, too.
  CallScript& OpenWatch(const std::string& path);
  CallScript& Sees(const KeyValueFields& kv, bool deleted = false) {
    return Sees(std::vector<KeyValueFields>{kv}, deleted);
  }
  CallScript& Sees(const std::vector<KeyValueFields>& kvs, bool deleted);
  CallScript& Sees(const Message& response);

  const std::vector<NumberedEntry>& lines() const { return lines_; }
  Judgement Judge() const;

 private:
  CallScript& Add(Entry entry);

  std::vector<NumberedEntry> lines_;
  std::string client_ = "a";
  std::uint32_t calls_ = 1000;
  Duration paused_{};
};

}  // namespace watchproof
