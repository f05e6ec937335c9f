// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/testing/watch_load.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "harness/base/prng.h"
#include "harness/history/wire_writer.h"

namespace watchproof {
namespace {

constexpr std::size_t kKeys = 1000;
constexpr std::size_t kLongestRange = 20;
constexpr std::size_t kValueBytes = 100;

std::string KeyName(std::size_t key) { return fmt::format("key{:04}", key); }

class Load {
 public:
  Load(const WatchLoad& load, const std::function<void(Entry)>& take)
      : load_(load), take_(take), live_(kKeys), watchers_of_(kKeys) {}

  std::size_t Run() {
    Add({.kind = EntryKind::kRunStarted, .text = "{}"});
    // Its header shows that the store is empty.
    Call(Method::kRange, Message().Text(1, "any"), 1);
    Add({.kind = EntryKind::kStreamOpened, .stream = StreamId(1), .text = "proxied"});
    for (std::size_t i = 0; i < load_.watchers; ++i) Ask(i);
    for (std::size_t i = 0; i < load_.watchers; ++i) {
      Respond(Response(i).Number(3, 1));
    }
    std::size_t events = 0;
    while (events < load_.events) events += Write(load_.random_ranges ? prng_.Below(kKeys) : 0);
    return events;
  }

 private:
  void Add(Entry entry) {
    now_ += std::chrono::microseconds(1);
    entry.at = now_;
    take_(std::move(entry));
  }
  void Begin(Method method, const Message& request) {
    Add({.kind = EntryKind::kCallStarted,
         .method = method,
         .call = CallId(++calls_),
         .payload = Bytes::Copy(request.bytes())});
  }
  void End(Method method, std::int64_t revision) {
    Add({.kind = EntryKind::kCallEnded,
         .method = method,
         .call = CallId(calls_),
         .payload = Bytes::Copy(Message().Nested(1, Header(revision)).bytes())});
  }
  void Call(Method method, const Message& request, std::int64_t revision) {
    Begin(method, request);
    End(method, revision);
  }

  // Watch i is the i-th of the stream, and has this id.
  void Ask(std::size_t watch) {
    std::size_t first = 0;
    std::size_t last = 0;
    if (load_.random_ranges) {
      first = prng_.Below(kKeys);
      last = std::min(first + prng_.Below(kLongestRange), kKeys - 1);
    }
    for (std::size_t key = first; key <= last; ++key) watchers_of_[key].push_back(watch);
    Message create = Message().Text(1, KeyName(first));
    if (load_.random_ranges) create.Text(2, KeyName(last) + '\0');
    create.Optional(6, load_.previous_values ? 1 : 0);
    Add({.kind = EntryKind::kRequestSent,
         .stream = StreamId(1),
         .payload = Bytes::Copy(Message().Nested(1, create).bytes())});
  }
  Message Response(std::size_t watch) const {
    return Message().Nested(1, Header(revision_)).Optional(2, static_cast<std::int64_t>(watch));
  }
  void Respond(const Message& response) {
    Add({.kind = EntryKind::kResponseReceived,
         .stream = StreamId(1),
         .payload = Bytes::Copy(response.bytes())});
  }

  std::size_t Write(std::size_t index) {
    ++revision_;
    KeyValueFields& kv = live_[index];
    const KeyValueFields before = kv;
    kv.key = KeyName(index);
    kv.value = prng_.Word(kValueBytes);
    kv.create = before.version == 0 ? revision_ : before.create;
    kv.mod = revision_;
    ++kv.version;
    Begin(Method::kPut, Message().Text(1, kv.key).Text(2, kv.value));
    if (!load_.late) End(Method::kPut, revision_);
    Message event = Message().Nested(2, KeyValue(kv));
    if (load_.previous_values && before.version > 0) event.Nested(3, KeyValue(before));
    for (const std::size_t watch : watchers_of_[index]) Respond(Response(watch).Nested(11, event));
    if (load_.late) End(Method::kPut, revision_);
    if (load_.compact_every > 0 && static_cast<std::size_t>(revision_) % load_.compact_every == 0) {
      Call(Method::kCompact, Message().Number(1, revision_), revision_);
    }
    return watchers_of_[index].size();
  }

  const WatchLoad load_;
  const std::function<void(Entry)>& take_;
  Prng prng_{1};
  Duration now_{};
  std::uint32_t calls_ = 0;
  std::int64_t revision_ = 1;
  std::vector<KeyValueFields> live_;
  std::vector<std::vector<std::size_t>> watchers_of_;  // by key
};

}  // namespace

std::size_t MakeWatchLoad(const WatchLoad& load, const std::function<void(Entry)>& take) {
  return Load(load, take).Run();
}

}  // namespace watchproof
