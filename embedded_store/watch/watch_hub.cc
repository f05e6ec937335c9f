// SPDX-License-Identifier: Apache-2.0
// Streams and requests.
#include "embedded_store/watch/watch_hub.h"

#include <algorithm>
#include <utility>

#include "harness/base/check.h"

namespace watchproof::store {

WatchHub::WatchHub(MvccStore& store, const Hooks& hooks, WatchLimits limits)
    : store_(store), hooks_(hooks), limits_(limits), revision_(store.OpenFeed()) {}

WatchHub::~WatchHub() = default;

StreamId WatchHub::Open(std::shared_ptr<StreamQueue> queue, std::weak_ptr<StreamSink> sink,
                        TimePoint now) {
  const StreamId id{++last_stream_};
  auto stream = std::make_unique<WatchStream>();
  stream->id = id;
  stream->queue = std::move(queue);
  stream->sink = std::move(sink);
  stream->next_progress = now + limits_.progress_interval;
  streams_.emplace(id, std::move(stream));
  Publish();
  return id;
}

void WatchHub::Close(StreamId id) {
  WatchStream& stream = Find(id);
  for (auto& [watch, watcher] : stream.watchers) Drop(*watcher);
  streams_.erase(id);
  Publish();
}

WatchStream& WatchHub::Find(StreamId id) {
  const auto found = streams_.find(id);
  WP_CHECK(found != streams_.end(), "the stream is open");
  return *found->second;
}

std::string_view WatchHub::Refusal(const WatchStream& stream, const WatchSpec& spec) const {
  if (spec.range.empty()) return "mvcc: watcher range is empty";
  // A negative start is below every floor, also below that of a store that was never compacted
  // (#20693).
  if (spec.start.value < 0 && hooks_.negative_start == NegativeStart::kRefused) {
    return "mvcc: required revision has been compacted";
  }
  if (!spec.id) return {};
  // etcd grants every id. This one cannot be used: on the wire it means "refused" in the answer to
  // a create and "the whole stream" in a progress notification, and clients take it for that.
  if (*spec.id == kWholeStream) return "mvcc: watch ID -1 stands for the whole stream";
  if (stream.watchers.contains(*spec.id)) {
    return "mvcc: duplicate watch ID provided on the WatchStream";
  }
  return {};
}

void WatchHub::Create(StreamId id, WatchSpec spec) {
  DrainCommits();
  hooks_.on_create(spec);
  WatchStream& stream = Find(id);
  const std::string_view refusal = Refusal(stream, spec);
  if (refusal.empty()) {
    Admit(stream, spec);
    Publish();
  } else {
    Refuse(id, std::string(refusal));
  }
}

void WatchHub::Refuse(StreamId id, std::string reason) {
  DrainCommits();
  WatchStream& stream = Find(id);
  const WatchId named = hooks_.refused_id;
  Answer(stream,
         {.watch = named,
          .revision = revision_,
          .created = true,
          .canceled = true,
          .reason = std::move(reason)},
         After::kNothing);
  if (named != kWholeStream) Silence(stream, named);
  Publish();
}

void WatchHub::Admit(WatchStream& stream, const WatchSpec& spec) {
  const bool lowest = hooks_.automatic_id == AutomaticId::kLowestFree;
  WatchId id = spec.id.value_or(lowest ? WatchId{0} : stream.next_id);
  if (!spec.id) {
    while (stream.watchers.contains(id)) id = id.next();
    stream.next_id = id.next();
  }
  auto owned = std::make_unique<Watcher>(
      Watcher{.stream = stream,
              .interest = group_.Join(spec),
              .id = id,
              .spec = spec,
              .next = spec.start.value == 0 ? revision_.next() : spec.start});
  Watcher& watcher = *owned;
  stream.watchers.emplace(id, std::move(owned));
  ++watchers_;
  // The answer enters the control path before any event of this watch can enter the queue.
  Answer(stream, {.watch = id, .revision = revision_, .created = true}, After::kNothing);
  Place(watcher);
}

void WatchHub::Drop(Watcher& watcher) {
  Leave(watcher);
  group_.Leave(watcher.interest);
  --watchers_;
}

void WatchHub::Silence(WatchStream& stream, WatchId id) {
  const auto found = stream.watchers.find(id);
  if (found != stream.watchers.end()) MoveTo(*found->second, WatcherState::kCompacted);
}

void WatchHub::Cancel(StreamId id, WatchId watch) {
  DrainCommits();
  WatchStream& stream = Find(id);
  const auto found = stream.watchers.find(watch);
  if (found != stream.watchers.end()) {
    Drop(*found->second);
    stream.watchers.erase(found);
    Answer(stream, {.watch = watch, .revision = revision_, .canceled = true}, After::kEverything);
    if (hooks_.cancel_reach == CancelReach::kNeighbourToo) Silence(stream, watch.next());
  }
  Publish();
}

void WatchHub::EndWhere(const Judge& judge) {
  DrainCommits();
  for (auto& [id, stream] : streams_) {
    std::erase_if(stream->watchers, [&, &stream = *stream](const auto& entry) {
      Watcher& watcher = *entry.second;
      if (watcher.state == WatcherState::kCompacted) return false;
      std::string reason = judge(watcher.spec);
      if (reason.empty()) return false;
      Drop(watcher);
      stream.queue->End({.watch = watcher.id,
                         .revision = revision_,
                         .canceled = true,
                         .reason = std::move(reason)});
      if (!std::exchange(stream.has_updates, true)) updates_.push_back(stream.id);
      return true;
    });
  }
  Publish();
}

// A watch that starts in the future must receive no progress from before its start (#20221).
bool WatchHub::ReceivesProgress(const Watcher& watcher) const {
  if (watcher.state != WatcherState::kSynced) return false;
  return watcher.spec.start <= revision_ || hooks_.early_progress == Early::kWhateverComes;
}

bool WatchHub::ProgressIsDue(const WatchStream& stream) const {
  // The revision of the answer would hold for the whole stream, but for watches that have ended in
  // a compaction notice: they keep their id and expect nothing more.
  return !stream.watchers.empty() &&
         std::all_of(stream.watchers.begin(), stream.watchers.end(), [this](const auto& entry) {
           const Watcher& watcher = *entry.second;
           const bool ended = watcher.state == WatcherState::kCompacted &&
                              hooks_.progress_after_notice == ProgressAfterNotice::kSent;
           return ended || ReceivesProgress(watcher);
         });
}

void WatchHub::RequestProgress(StreamId id) {
  DrainCommits();
  WatchStream& stream = Find(id);
  WatchReply reply{.watch = kWholeStream, .revision = revision_};
  if (hooks_.progress_timing == ProgressTiming::kAtOnce) {
    Answer(stream, std::move(reply), After::kNothing);
  } else if (stream.progress_pending) {
    // Ignored.
  } else if (ProgressIsDue(stream)) {
    // Through the queue of the events, so that it cannot overtake one (#15220). Without room it is
    // dropped.
    Offer(stream, reply);
  } else {
    stream.progress_pending = hooks_.early_request == EarlyRequest::kRemembered;
  }
  Publish();
}

void WatchHub::Answer(WatchStream& stream, WatchReply reply, After after) {
  stream.queue->Answer(std::move(reply), after);
  if (!std::exchange(stream.has_updates, true)) updates_.push_back(stream.id);
}

void WatchHub::Publish() {
  // The slow ones first: a reader that sees a new watcher in the total must not miss it here.
  counters_.slow_watchers = static_cast<std::int64_t>(unsynced_.size() + victims_);
  counters_.watchers = static_cast<std::int64_t>(watchers_);
  counters_.streams = static_cast<std::int64_t>(streams_.size());
  for (const StreamId id : std::exchange(updates_, {})) {
    const auto found = streams_.find(id);
    if (found == streams_.end()) continue;
    found->second->has_updates = false;
    if (const auto sink = found->second->sink.lock()) sink->Ready();
  }
}

}  // namespace watchproof::store
