// SPDX-License-Identifier: Apache-2.0
#include "harness/session/consumer_link.h"

#include <algorithm>
#include <map>
#include <utility>

#include "harness/base/mutex.h"
#include "harness/history/method.h"
#include "harness/history/run_started.h"
#include "proxies/http2/call_reader.h"

namespace watchproof {

std::string ConsumerValue(std::string_view key, std::string text) {
  if (!key.starts_with(kConsumerPrefix)) return text;
  return fmt::format(
      R"({{"kind":"Event","apiVersion":"v1","metadata":{{"name":"{}","namespace":"watched"}},)"
      R"("message":"{}"}})",
      key.substr(kConsumerPrefix.size()), text);
}

// Turns what passes on the streams of watches into lines of the recording.
class ConsumerLink::Observer final : public proxy::ByteObserver {
 public:
  Observer(Recorder& recording, std::string_view path) : recording_(&recording), path_(path) {}

  void OnBytes(proxy::ConnectionId connection, proxy::Direction direction, std::string_view bytes,
               TimePoint) override {
    MutexLock lock(mu_);
    if (recording_ == nullptr) return;
    auto& one = connections_[connection];
    if (!one) one = std::make_unique<Connection>(*recording_, path_);
    if (one->left) return;
    one->reader.Push(direction, bytes);
    if (const char* const why = one->reader.bad()) one->streams.LoseAll(why);
    if (unread_.empty()) unread_ = one->streams.unread();
  }
  void OnOver(proxy::ConnectionId connection) override {
    MutexLock lock(mu_);
    const auto one = connections_.find(connection);
    if (one == connections_.end()) return;
    if (!one->second->left) one->second->reader.End("the connection ended");
    connections_.erase(one);
  }
  // The client of all that is open is about to be killed.
  void Leave() {
    MutexLock lock(mu_);
    for (auto& [id, one] : connections_) {
      one->streams.CloseAll("closed by the kill of the client");
      one->left = true;
    }
  }
  std::string unread() const {
    MutexLock lock(mu_);
    return unread_;
  }
  // Records no more; what is still open is closed by the client.
  void Close() {
    MutexLock lock(mu_);
    for (auto& [id, one] : connections_) one->streams.CloseAll("closed with the consumer");
    connections_.clear();
    recording_ = nullptr;
  }

 private:
  class Streams final : public proxy::CallVisitor {
   public:
    Streams(Recorder& recording, std::string_view path) : recording_(recording), path_(path) {}

    bool OnOpened(proxy::FrameStream call, std::string_view path, std::string_view) override {
      if (path != kWatchPath) return false;
      const StreamId stream = recording_.NextStream();
      open_[call] = stream;
      recording_.Append({.kind = EntryKind::kStreamOpened, .stream = stream, .text = path_});
      return true;
    }
    void OnMessage(proxy::FrameStream call, proxy::Direction direction,
                   std::string_view message) override {
      const bool request = direction == proxy::Direction::kToTarget;
      recording_.Append({.kind = request ? EntryKind::kRequestSent : EntryKind::kResponseReceived,
                         .stream = open_.at(call),
                         .payload = Bytes::Copy(message)});
    }
    void OnEnded(proxy::FrameStream call, const proxy::CallEnd& end) override {
      const auto stream = open_.find(call);
      if (stream == open_.end()) return;
      End(stream->second, end.by_client, end.text);
      open_.erase(stream);
    }
    void OnUnreadable(proxy::FrameStream call, std::string_view why) override {
      unread_ = why;
      // It goes on, but the recording ends here: that is not the store's doing.
      OnEnded(call, {.text = std::string(why), .by_client = true});
    }
    void LoseAll(const std::string& why) {
      unread_ = why;
      CloseAll(why);
    }
    const std::string& unread() const { return unread_; }
    void CloseAll(const std::string& why) {
      for (const auto& [call, stream] : std::exchange(open_, {})) End(stream, true, why);
    }

   private:
    void End(StreamId stream, bool by_client, const std::string& text) {
      if (by_client) recording_.Append(AnnotationEntry(ClosingStream{stream}));
      recording_.Append({.kind = EntryKind::kStreamClosed,
                         .code = by_client ? StatusCode::kCancelled : StatusCode::kUnavailable,
                         .stream = stream,
                         .text = text});
    }

    Recorder& recording_;
    const std::string path_;
    std::map<proxy::FrameStream, StreamId> open_;
    std::string unread_;
  };
  struct Connection {
    Connection(Recorder& recording, std::string_view path)
        : streams(recording, path), reader(streams) {}
    Streams streams;
    proxy::CallReader reader;
    bool left = false;  // nothing more is recorded of it
  };

  mutable Mutex mu_;
  std::string unread_ GUARDED_BY(mu_);   // why something that passed is not in the recording
  Recorder* recording_ GUARDED_BY(mu_);  // null: closed
  const std::string_view path_;
  std::map<proxy::ConnectionId, std::unique_ptr<Connection>> connections_ GUARDED_BY(mu_);
};

Result<std::unique_ptr<ConsumerLink>> ConsumerLink::Start(Environment& environment,
                                                          Recorder& recorder,
                                                          const ConsumerSetup& setup,
                                                          const std::filesystem::path& folder) {
  std::unique_ptr<ConsumerLink> link(new ConsumerLink);
  const auto open = [&](Path path, int member) {
    const std::string_view name = path == Path::kProxied ? Name(path) : kConsumerPath;
    link->observers_.push_back(std::make_shared<Observer>(recorder, name));
    return environment.OpenConsumerPath(path, member, link->observers_.back());
  };
  WP_ASSIGN_OR_RETURN(const Endpoint endpoint, open(Path::kProxied, 1));
  const int other = std::min(environment.members(), 2);
  WP_ASSIGN_OR_RETURN(const Endpoint second, open(Path::kDirect, other));
  recorder.Append(AnnotationEntry(ConsumerStarted{
      .consumer = setup.name, .layers = setup.layers, .prefix = std::string(kConsumerPrefix)}));
  const TimePoint began = Clock::now() - recorder.Now();
  WP_ASSIGN_OR_RETURN(
      link->process_,
      ConsumerProcess::Start(
          {.command = setup.command,
           .endpoint = endpoint.ToString(),
           .second = second.ToString(),
           .prefix = std::string(kConsumerPrefix),
           .log = folder / "consumer.log",
           .report = [&recorder, began](const ConsumerReport& report, TimePoint at) {
             Entry entry = AnnotationEntry(report);
             entry.at = at - began;
             recorder.Append(std::move(entry));
           }}));
  return link;
}

Status ConsumerLink::Ask(const ConsumerRequest& request) {
  // If there are two servers, it is the one on the direct path.
  if (request.kill) observers_.back()->Leave();
  WP_RETURN_IF_ERROR(process_->Ask(request));
  ++asked_;
  return {};
}

std::string ConsumerLink::unread() const {
  for (const auto& observer : observers_) {
    if (std::string why = observer->unread(); !why.empty()) return why;
  }
  return {};
}

void ConsumerLink::Stop() {
  for (const auto& observer : observers_) observer->Close();
  if (process_) process_->Stop();
}

}  // namespace watchproof
