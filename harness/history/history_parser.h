// SPDX-License-Identifier: Apache-2.0
// Turns the lines of a recording into calls of a visitor, per watch: created, delivered, progress,
// compacted, cancelled, stream ended.
//
//   class Judge : HistoryVisitor { ... };
//   HistoryParser parser(visitor);
//   for (const NumberedEntry& line : recording) parser.Consume(line);   // ignores other kinds
//
// Watches are numbered densely in the order of their create requests, over all streams. The watches
// of streams opened as "control" are control watches: they get no number, and their events go to
// OnControlEvents. The parser does not judge: messages that break the rules of the wire go to
// OnStray or OnAfterwards.
//
// Not thread-safe. Ownership: a Response is lent for the call; only OnDelivered may take it.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/history/annotation.h"
#include "harness/history/recorder.h"
#include "harness/history/wire.h"

namespace watchproof {

// Numbers the watches of a recording, from 0.
using WatchIndex = Quantity<struct WatchIndexTag, std::uint32_t>;

// A line and its time.
struct Where {
  Line line;
  Duration at{};
};

// A create request.
struct Asked {
  Where where;
  StreamId stream;
  std::uint32_t ordinal = 0;  // among the creates of its stream, from 0
  WatchCreateView request;
};

// A response, or one part of a fragmented one.
struct Response {
  Where where;
  StreamId stream;
  // What `message` looks into.
  Bytes payload;
  Bytes tail;
  WatchResponseView message;
  std::uint64_t group = 0;  // per watch: parts of one response share it
  bool last_part = true;
  Revision highest{};  // of its events
  // Stamped by the judge: how far compaction had been asked for when the response arrived, and how
  // many messages with events or ErrCompacted had come on its stream by then, with this one.
  Revision compaction_requested{};
  std::uint64_t received = 0;
};
using ResponsePtr = std::unique_ptr<Response>;

struct StreamEnd {
  Where where;
  StreamId stream;
  bool intended = false;  // the client closed it
  StatusCode code = StatusCode::kOk;
  std::string_view text;
};

// Every function does nothing unless it is overridden.
class HistoryVisitor {
 public:
  virtual ~HistoryVisitor() = default;
  virtual void OnAsked(WatchIndex /*watch*/, const Asked& /*asked*/) {}
  virtual void OnCancelAsked(WatchIndex /*watch*/, Where /*where*/) {}
  virtual void OnCreated(WatchIndex /*watch*/, const Response& /*response*/) {}
  virtual void OnRefused(WatchIndex /*watch*/, const Response& /*response*/) {}
  // Events. A visitor that keeps the response moves it out; otherwise it is reused.
  virtual void OnDelivered(WatchIndex /*watch*/, ResponsePtr& /*response*/) {}
  // A progress answer that covers the watch: its own, or one of the whole stream.
  virtual void OnProgress(WatchIndex /*watch*/, const Response& /*response*/) {}
  virtual void OnCompacted(WatchIndex /*watch*/, const Response& /*response*/) {}
  virtual void OnCancelled(WatchIndex /*watch*/, const Response& /*response*/) {}
  // Progress for every watch of a stream, before OnProgress for each.
  virtual void OnStreamProgress(StreamId /*stream*/) {}
  virtual void OnProgressAsked(StreamId /*stream*/, Where /*where*/) {}
  // A message for a watch that had ended, other than the answer to a cancel.
  virtual void OnAfterwards(WatchIndex /*watch*/, const Response& /*response*/) {}
  // A message for a watch that was never created on this stream.
  virtual void OnStray(const Response& /*response*/) {}
  virtual void OnAnnotation(const Annotation& /*annotation*/, Where /*where*/) {}
  virtual void OnStreamEnded(WatchIndex /*watch*/, const StreamEnd& /*end*/) {}
  // Once for each stream, also where no watch of it was open, and for that of the control watch.
  virtual void OnStreamClosed(const StreamEnd& /*end*/) {}
  // Any header with the store's revision, of a control watch or another one.
  virtual void OnHeader(Revision /*revision*/, bool /*control*/) {}
  virtual void OnControlAsked(const Asked& /*asked*/) {}
  virtual void OnControlEvents(const Response& /*response*/) {}
  virtual void OnControlProgress(const Response& /*response*/) {}
  // The target ended it, or refused it.
  virtual void OnControlEnded(const Response& /*response*/) {}
  // A line that the harness wrote.
  virtual void OnUnreadable(Where /*where*/, const Status& /*why*/) {}
  // A complete message of the target that cannot be parsed.
  virtual void OnGarbled(StreamId /*stream*/, Where /*where*/, const Status& /*why*/) {}
};

class HistoryParser {
 public:
  // The visitor outlives the parser.
  explicit HistoryParser(HistoryVisitor& visitor);
  ~HistoryParser();

  void Consume(const NumberedEntry& line);
  // Gives a response that was kept back for reuse.
  void Return(ResponsePtr response);

 private:
  struct Stream;
  // The parser's own state of a watch.
  struct Parsed {
    bool created = false;
    bool ended = false;
    bool mid_fragment = false;
    std::uint32_t cancels = 0;  // asked and not yet answered
    std::uint64_t group = 0;
  };

  Stream& StreamOf(StreamId id);
  std::optional<WatchIndex> FindForCancel(const Stream& stream, std::int64_t id) const;
  void ParseRequest(const NumberedEntry& line);
  void ParseResponse(const NumberedEntry& line);
  void ParseStreamClosed(const NumberedEntry& line);
  void ParseAnnotationLine(const NumberedEntry& line);
  void VisitCreated(Stream& stream, const Response& response);
  void VisitStreamProgress(const Stream& stream, const Response& response);
  void VisitCanceled(WatchIndex watch, const Response& response);
  void VisitEvents(WatchIndex watch, ResponsePtr& response);
  ResponsePtr TakePooled();

  HistoryVisitor& visitor_;
  std::unordered_map<std::uint32_t, std::unique_ptr<Stream>> streams_;
  Stream* latest_ = nullptr;  // most recordings have one stream
  std::vector<Parsed> parsed_;
  std::vector<ResponsePtr> pool_;
};

}  // namespace watchproof
