// SPDX-License-Identifier: Apache-2.0
// Writes a recording by hand, line by line, for the truth tables of the checkers.
//
//   Script script;                                   // an empty store, stream 1 open
//   script.Put("k", "v", 2).Watch("k", 2).Created(0).Deliver(0, {{2, "k"}});
//   Judgement judgement = script.Judge();
//
// The script keeps its writes in a map, so Deliver(0, {{revision, key}}) makes the correct event; a
// wrong event is written out as an Event. Lines are 1 ms apart. Not thread-safe.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/checkers/judge.h"
#include "harness/history/annotation.h"
#include "harness/history/requests.h"
#include "harness/history/wire_writer.h"

namespace watchproof {

// An event in full.
struct Event {
  bool deleted = false;
  KeyValueFields kv{};
  std::optional<KeyValueFields> previous{};
};
// The correct event of a write.
struct Written {
  std::int64_t revision = 0;
  std::string key{};
};

struct ScriptedCreate {
  std::string range_end{};
  std::int64_t id = 0;  // 0: the server chooses
  bool fragment = false;
  bool no_put = false;
  bool no_delete = false;
  bool previous = false;
  bool progress = true;  // with progress_notify
};
struct PutPart {
  std::string key{};
  std::string value{};
};
struct TxnParts {
  std::vector<PutPart> puts{};
  std::vector<std::string> deletes{};
  std::string deletes_to{};  // the end of their ranges
  bool puts_second = false;  // after the first delete
};

class Script {
 public:
  // Opens stream 1 and reads once on the direct path, which finds the store at `base`.
  explicit Script(std::int64_t base = 1);

  // The stream of the following lines.
  Script& On(std::uint32_t stream, const std::string& path = "proxied");

  // Writes that were acknowledged with the revision.
  Script& Put(const std::string& key, const std::string& value, std::int64_t revision);
  Script& PutWithLease(const std::string& key, std::int64_t lease, std::int64_t revision);
  Script& Grant(std::int64_t lease, std::int64_t seconds, std::int64_t revision = 1);
  Script& KeepAlive(std::int64_t lease, std::int64_t seconds, std::int64_t revision = 1);
  // The keys of a lease are deleted at the revision, without a call.
  Script& Expire(std::int64_t lease, std::int64_t revision);
  // Revokes a lease; its keys are deleted at the revision.
  Script& Revoke(std::int64_t lease, std::int64_t revision);
  // Deletes the script's keys in the range.
  Script& Delete(const std::string& key, std::int64_t revision, const std::string& end = {});
  Script& Txn(const TxnParts& parts, std::int64_t revision);
  Script& Compact(std::int64_t revision);
  // The two halves of a call.
  Script& StartPut(std::uint32_t call, const std::string& key, const std::string& value);
  Script& StartPut(std::uint32_t call, const PutRequest& request);
  Script& AckPut(std::uint32_t call, std::int64_t revision);
  // An answer as it came on the wire.
  Script& AnswerPut(std::uint32_t call, std::string answer);
  Script& StartCompact(std::uint32_t call, std::int64_t revision);
  Script& StartTxn(std::uint32_t call, const Message& request);
  Script& EndCompact(std::uint32_t call, StatusCode code);
  Script& FailCall(std::uint32_t call, Method method, StatusCode code);
  // A read on the direct path, which returns the store's revision, and no key.
  Script& Read(std::int64_t revision, const std::string& key = "any");
  // A read at a past revision, by a store that is at `head`: answered, or refused as out of range.
  Script& ReadAt(std::int64_t at, std::int64_t head);
  Script& ReadRefusedAt(std::int64_t at, StatusCode code = StatusCode::kOutOfRange);
  // The same of a read in a transaction, or in one in it; `otherwise`: what its other branch reads.
  Script& TxnRefusedAt(std::int64_t at, StatusCode code = StatusCode::kOutOfRange,
                       bool nested = false, std::int64_t otherwise = 0);

  Script& Watch(const std::string& key, std::int64_t start, const ScriptedCreate& options = {});
  Script& Cancel(std::int64_t id);
  Script& Created(std::int64_t id, std::int64_t header = 1);
  Script& Refused(std::int64_t id, const std::string& reason);
  Script& Deliver(std::int64_t id, const std::vector<Written>& events);
  Script& DeliverPart(std::int64_t id,
                      const std::vector<Written>& events);  // a fragment, not the last
  Script& DeliverRaw(std::int64_t id, const std::vector<Event>& events);
  Script& Progress(std::int64_t id, std::int64_t revision);
  Script& Compacted(std::int64_t id, std::int64_t compact_revision);
  Script& Cancelled(std::int64_t id, const std::string& reason = {});
  // The revision in the header of the next response, instead of the default of its kind.
  Script& WithHeader(std::int64_t revision);
  // Another member than before compacts and sends responses from here on.
  Script& OfMember(std::int64_t member);
  // An answer of another cluster than all others.
  Script& ForeignProgress(std::int64_t id, std::int64_t revision);
  Script& Annotate(const Annotation& annotation);
  // Arms a fault that may end these streams ("none", "proxied", "every"; empty: an old recording).
  Script& Armed(const std::string& fault, const std::string& ends, bool parts_members = false);
  Script& Healed(const std::string& fault);
  Script& AskProgress();
  // Time that passes before the next line.
  Script& Pause(Duration duration);
  Script& Closed(StatusCode code);
  Script& Payload(EntryKind kind, std::string payload);

  const std::vector<NumberedEntry>& lines() const { return lines_; }
  // The event with the key as it was before.
  Event WithPrevious(const Written& written) const;
  Event As(const Written& written) const { return written_.at({written.revision, written.key}); }
  Judgement Judge(const JudgeOptions& options = {}) const;

 private:
  Script& Add(Entry entry);
  Script& Call(Method method, std::string request, std::string response);
  Script& CallRefused(Method method, const Message& request, StatusCode code);
  Script& Respond(const Message& message);
  Message Response(std::int64_t header, std::int64_t id);
  void RecordPut(const std::string& key, const std::string& value, std::int64_t revision);
  std::vector<std::string> RecordDelete(const std::string& key, const std::string& end,
                                        std::int64_t revision);
  std::vector<Event> All(const std::vector<Written>& events) const;
  Script& Send(std::int64_t id, const std::vector<Event>& events, bool fragment);

  std::vector<NumberedEntry> lines_;
  Duration paused_{};
  StreamId stream_{1};
  std::optional<std::int64_t> header_;  // of the next response
  std::int64_t member_ = 0;             // in headers
  std::uint32_t calls_ = 1000;
  std::map<std::uint32_t, PutPart> started_;
  std::map<std::string, KeyValueFields> live_;
  std::map<std::pair<std::int64_t, std::string>, Event> written_;
};

}  // namespace watchproof
