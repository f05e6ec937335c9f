// SPDX-License-Identifier: Apache-2.0
// What recording costs: `watchproof proxy --record` beside the same proxy without it, in turns.
//
//   record_bench [ROUNDS [EVENTS]]
//
// Prints one JSON line: how many watch events a second pass through each, as fast as they can, in
// responses of a hundred; the time of a small message there and back; and what of the recorded path
// is missing from the recording. The peers are plain sockets, so next to nothing but the proxies is
// measured; they share the processors with them.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ci/bench/figures.h"
#include "harness/base/check.h"
#include "harness/capture/capture.h"
#include "proxies/control/proxy_handle.h"
#include "proxies/control/test_peers.h"
#include "proxies/http2/test_frames.h"

namespace watchproof::proxy {
namespace {

constexpr int kExchanges = 2000;            // of a round
constexpr std::size_t kEventsAtOnce = 100;  // in a response
constexpr std::size_t kValueBytes = 64;
constexpr std::size_t kReceiveAtOnce = 256 << 10;

// One response, in frames that every receiver accepts.
std::string ManyEvents() {
  TestResponse response{.watch = 1, .value = std::string(kValueBytes, 'v')};
  for (std::size_t i = 0; i < kEventsAtOnce; ++i) response.events.push_back(1000 + i);
  const std::string message = Response(response);
  std::string frames;
  for (std::size_t at = 0; at < message.size(); at += kDefaultMaxFrame) {
    frames += Data(1, std::string_view(message).substr(at, kDefaultMaxFrame));
  }
  return frames;
}

// A connection through a proxy of its own, with one watch stream.
class Path {
 public:
  explicit Path(std::shared_ptr<ByteObserver> observer)
      : front_(proxies_
                   .Open({.name = "front",
                          .target_port = server_.port(),
                          .buffers = Buffers::kRoomy,
                          .observer = std::move(observer)})
                   .value()),
        client_(TestPeer::Connect(proxies_.endpoint(front_))),
        target_(server_.Accept()) {
    Pass(client_, target_,
         std::string(kPreface) + Settings() + Headers(1, PathBlock(kWatchPath)) +
             Data(1, Message(Field(1, Field(1, "key")))));
    Pass(target_, client_, Settings() + Headers(1, kStatus) + Data(1, Response({.created = true})));
  }

  // Events a second.
  double Rate(std::size_t events) {
    const std::string frames = ManyEvents();
    const std::size_t times = events / kEventsAtOnce;
    const TimePoint begun = Clock::now();
    std::thread sender([&] {
      for (std::size_t i = 0; i < times; ++i) WP_CHECK(target_.Send(frames), "the target sends");
    });
    for (std::size_t left = times * frames.size(); left > 0;) {
      const std::string part = client_.Receive(std::min(left, kReceiveAtOnce));
      WP_CHECK(!part.empty(), "what was sent arrives");
      left -= part.size();
    }
    const Duration took = Clock::now() - begun;
    sender.join();
    return static_cast<double>(times * kEventsAtOnce) / std::chrono::duration<double>(took).count();
  }

  void TimeExchanges(std::vector<double>& times) {
    const std::string request = Data(1, Message(Field(3, "")));
    const std::string response = Data(1, Response({.watch = 1, .revision = 5}));
    for (int i = 0; i < kExchanges; ++i) {
      const TimePoint begun = Clock::now();
      Pass(client_, target_, request);
      Pass(target_, client_, response);
      times.push_back(Microseconds(Clock::now() - begun));
    }
  }
  void Stop() { proxies_.Stop(); }

 private:
  static void Pass(TestPeer& from, TestPeer& to, const std::string& bytes) {
    WP_CHECK(from.Send(bytes) && to.Receive(bytes.size()) == bytes, "bytes arrive as they are");
  }

  TestServer server_;
  Proxies proxies_;
  ProxyId front_;
  TestPeer client_;
  TestPeer target_;
};

void Measure(int rounds, std::size_t events) {
  const auto folder = std::filesystem::temp_directory_path() /
                      fmt::format("record_bench-{}", Clock::now().time_since_epoch().count());
  const auto capture = Capture::Open({.folder = folder}).value();
  std::vector<double> rates[2];
  std::vector<double> times[2];
  {
    Path plain(nullptr);
    Path recorded(capture);
    for (int round = 0; round < rounds; ++round) {
      for (const bool records : {false, true}) {
        Path& path = records ? recorded : plain;
        rates[records].push_back(path.Rate(events));
        path.TimeExchanges(times[records]);
      }
    }
    plain.Stop();
    recorded.Stop();
  }
  WP_CHECK(capture->Close().ok(), "the recording is written");
  std::filesystem::remove_all(folder);
  const Captured captured = capture->captured();
  fmt::print(
      R"({{"rounds":{},"plain_events_s":{:.0f},"recorded_events_s":{:.0f},"plain_p50_us":{:.1f},)"
      R"("recorded_p50_us":{:.1f},"plain_p99_us":{:.1f},"recorded_p99_us":{:.1f},)"
      R"("entries":{},"connections_lost":{}}})"
      "\n",
      rounds, Quantile(rates[0], 0.5), Quantile(rates[1], 0.5), Quantile(times[0], 0.5),
      Quantile(times[1], 0.5), Quantile(times[0], 0.99), Quantile(times[1], 0.99), captured.entries,
      captured.lost);
}

}  // namespace
}  // namespace watchproof::proxy

int main(int argc, char** argv) {
  watchproof::proxy::Measure(argc > 1 ? std::max(1, std::atoi(argv[1])) : 5,
                             argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 2'000'000);
}
