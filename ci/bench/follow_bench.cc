// SPDX-License-Identifier: Apache-2.0
// What following HTTP/2 costs, and what a stalled stream costs its neighbour.
//
//   follow_bench [ROUNDS]
//
// Prints one JSON line: the time of a small message there and back through a proxy that follows and
// through one that does not, in turns, and the rate of one stream while its neighbour on the same
// connection is held back and while it is not, in turns. All threads share one processor: what it
// takes to wake another one would drown what is measured.
#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "ci/bench/figures.h"
#include "harness/base/check.h"
#include "proxies/control/proxy_handle.h"
#include "proxies/control/test_peers.h"
#include "proxies/http2/test_frames.h"

namespace watchproof::proxy {
namespace {

constexpr int kExchanges = 1000;      // of a round
constexpr std::size_t kEvents = 400;  // in a response of which the rate is taken

void StayOnOneProcessor() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(::sched_getcpu(), &one);
  WP_CHECK(::sched_setaffinity(0, sizeof one, &one) == 0, "a thread may stay where it is");
}

std::string ManyEvents() {
  TestResponse response{.watch = 1, .value = std::string(16, 'v')};
  for (std::size_t i = 0; i < kEvents; ++i) response.events.push_back(1000 + i);
  return Response(response);
}

// A connection through a proxy of its own, with two watch streams, 1 and 3.
class ProxiedPath {
 public:
  explicit ProxiedPath(bool follow)
      : front_(proxies_
                   .Open({.name = "front", .target_port = server_.port(), .follow_streams = follow})
                   .value()),
        client_(TestPeer::Connect(proxies_.endpoint(front_))),
        target_(server_.Accept()) {
    Pass(client_, target_,
         std::string(kPreface) + Settings() + Headers(1, PathBlock(kWatchPath)) +
             Headers(3, PathBlock(kWatchPath)));
    Pass(target_, client_, Settings() + Headers(1, kStatus) + Headers(3, kStatus));
  }

  void TimeExchanges(std::vector<double>& times) {
    const std::string request = Data(1, Message("request"));
    const std::string response = Data(1, Response({.watch = 1, .events = {5}}));
    for (int i = 0; i < kExchanges; ++i) {
      const TimePoint begun = Clock::now();
      Pass(client_, target_, request);
      Pass(target_, client_, response);
      times.push_back(Microseconds(Clock::now() - begun));
    }
    Pass(client_, target_, Room(response));
    Pass(target_, client_, Room(request));
  }
  // Bytes a second of the one stream.
  double Rate(bool hold_neighbour) {
    EffectId hold{};
    const std::string part = ManyEvents();
    const std::string room =
        MakeWindowUpdate(FrameStream(0), static_cast<std::int64_t>(part.size()));
    const std::string held = Data(1, part);
    if (hold_neighbour) {
      hold =
          proxies_.Arm(front_, {.kind = "hold-stream", .direction = Direction::kToClient}).value();
      WP_CHECK(target_.Send(held), "the target sends");
      WP_CHECK(target_.Receive(room.size()) == room, "what is held is lent");
    }
    const std::string passing = Data(3, part);
    const TimePoint begun = Clock::now();
    for (int i = 0; i < kExchanges; ++i) {
      Pass(target_, client_, passing);
      Pass(client_, target_, room);
    }
    const Duration took = Clock::now() - begun;
    if (hold_neighbour) {
      WP_CHECK(proxies_.Heal(hold)->frames_withheld == 1, "the neighbour was held");
      WP_CHECK(client_.Receive(held.size()) == held, "what was held arrives");
      WP_CHECK(client_.Send(room), "the client grants what was lent");
    }
    return kExchanges * static_cast<double>(part.size()) /
           std::chrono::duration<double>(took).count();
  }

 private:
  // For all the exchanges of a round; without it the window of the connection would be used up.
  static std::string Room(const std::string& frame) {
    const std::size_t payload = frame.size() - kFrameHeaderBytes;
    return MakeWindowUpdate(FrameStream(0), static_cast<std::int64_t>(kExchanges * payload));
  }
  static void Pass(TestPeer& from, TestPeer& to, const std::string& bytes) {
    WP_CHECK(from.Send(bytes) && to.Receive(bytes.size()) == bytes, "bytes arrive as they are");
  }

  TestServer server_;
  Proxies proxies_;
  ProxyId front_;
  TestPeer client_;
  TestPeer target_;
};

void Measure(int rounds) {
  ProxiedPath plain(false);
  ProxiedPath followed(true);
  std::vector<double> plain_times;
  std::vector<double> followed_times;
  std::vector<double> free_rates;
  std::vector<double> held_rates;
  for (int round = 0; round < rounds; ++round) {
    plain.TimeExchanges(plain_times);
    followed.TimeExchanges(followed_times);
    free_rates.push_back(followed.Rate(false));
    held_rates.push_back(followed.Rate(true));
  }
  fmt::print(
      R"({{"rounds":{},"plain_p50_us":{:.1f},"plain_p99_us":{:.1f},"followed_p50_us":{:.1f},)"
      R"("followed_p99_us":{:.1f},"neighbour_free_mb_s":{:.1f},"neighbour_held_mb_s":{:.1f}}})"
      "\n",
      rounds, Quantile(plain_times, 0.5), Quantile(plain_times, 0.99),
      Quantile(followed_times, 0.5), Quantile(followed_times, 0.99),
      Quantile(free_rates, 0.5) / 1e6, Quantile(held_rates, 0.5) / 1e6);
}

}  // namespace
}  // namespace watchproof::proxy

int main(int argc, char** argv) {
  watchproof::proxy::StayOnOneProcessor();
  watchproof::proxy::Measure(argc > 1 ? std::max(1, std::atoi(argv[1])) : 10);
}
