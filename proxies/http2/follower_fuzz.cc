// SPDX-License-Identifier: Apache-2.0
// Any bytes from both sides of a connection, under any effect: no crash and no undefined behaviour;
// nothing is lost or changed while no effect is armed, and nothing stays behind when it is over.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "harness/base/check.h"
#include "proxies/http2/follower.h"
#include "proxies/http2/stream_effect.h"

namespace watchproof::proxy {
namespace {

constexpr TimePoint kStart{1h};

class Environment {
 public:
  // Begins behind the preface if `greeted`, so that frames are reached at once.
  Environment(std::uint8_t choice, bool greeted) {
    if (greeted) {
      Push(Direction::kToTarget, std::string(kPreface));
      Push(Direction::kToClient, std::string("\0\0\0\x04\0\0\0\0\0", kFrameHeaderBytes));
      OpenWatch();
    }
    const auto& kinds = KnownEffects();
    const EffectInfo& kind = kinds[choice % (kinds.size() + 1) % kinds.size()];
    auto effect = MakeEffect(kind, {}, Prng(1), kStart);
    WP_CHECK(effect.has_value(), "defaults are usable");
    effect_ = std::move(*effect);
    auto* on_streams = dynamic_cast<StreamEffect*>(effect_.get());
    if (!on_streams || choice % (kinds.size() + 1) == kinds.size()) return;
    armed_ = true;
    follower_->AddStage(1, on_streams->MakeFrameStage(ConnectionId(1), Direction::kBoth));
  }

  void Push(Direction direction, std::string bytes) {
    Line& line = direction == Direction::kToClient ? to_client_ : to_target_;
    line.sent += bytes;
    Chunk chunk = Chunk::Bytes(std::move(bytes));
    line.cost += chunk.cost;
    line.stage->Push(std::move(chunk), now_);
    Advance();
  }
  void Wait(std::uint8_t milliseconds) {
    now_ += std::chrono::milliseconds(milliseconds);
    Advance();
  }
  void Finish() {
    follower_->RemoveStage(1, now_);
    for (Line* line : {&to_client_, &to_target_}) line->stage->Push(Chunk::End(), now_);
    Advance();
    follower_->LetGo(now_);
    Advance();
    for (const Line* line : {&to_client_, &to_target_}) {
      WP_CHECK(armed_ || line->got == line->sent,
               "without an effect every byte arrives as it came");
      WP_CHECK(follower_->aborted() || line->cost == 0, "nothing stays behind");
    }
  }

 private:
  struct Line {
    std::unique_ptr<Stage> stage;
    std::string sent = {};
    std::string got = {};
    std::int64_t cost = 0;
  };

  void OpenWatch() {
    std::string block = "\x04";
    block += static_cast<char>(kWatchPath.size());
    block += kWatchPath;
    Push(
        Direction::kToTarget,
        MakeFrame({.type = FrameType::kHeaders, .flags = kFlagEndHeaders, .stream = FrameStream(1)},
                  block));
  }
  void Advance() {
    for (bool again = true; again;) {
      again = false;
      for (Line* line : {&to_client_, &to_target_}) {
        line->stage->Observe(now_, 0);
        while (auto chunk = line->stage->Pull(now_)) {
          line->got += chunk->bytes;
          line->cost -= chunk->cost;
        }
        line->cost -= line->stage->TakeLost();
        again |= line->stage->TakePeerCall();
      }
    }
  }

  TimePoint now_ = kStart;
  std::unique_ptr<Effect> effect_;
  bool armed_ = false;
  std::shared_ptr<Follower> follower_ = std::make_shared<Follower>();
  Line to_client_{FollowerStage(follower_, Direction::kToClient)};
  Line to_target_{FollowerStage(follower_, Direction::kToTarget)};
};

}  // namespace
}  // namespace watchproof::proxy

// The first byte chooses the effect; then come pieces: a byte for direction and length, and so many
// bytes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using watchproof::proxy::Direction;
  if (size == 0) return 0;
  watchproof::proxy::Environment environment(data[0] >> 1, (data[0] & 1) == 0);
  std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  while (!rest.empty()) {
    const auto head = static_cast<std::uint8_t>(rest.front());
    rest.remove_prefix(1);
    if (head % 16 == 15) {
      environment.Wait(head);
      continue;
    }
    const std::size_t length = std::min<std::size_t>(head / 2, rest.size());
    environment.Push(head % 2 == 0 ? Direction::kToClient : Direction::kToTarget,
                     std::string(rest.substr(0, length)));
    rest.remove_prefix(length);
  }
  environment.Finish();
  return 0;
}
