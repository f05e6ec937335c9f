// SPDX-License-Identifier: Apache-2.0
// A followed connection without sockets, and the frames of a watch stream, for tests.
//
//   TestConnection connection;                       // preface, settings and one watch stream (1)
//   connection.Arm("hold-stream", {});
//   connection.Target(Data(1, Response({.watch = 1})));
//   EXPECT_EQ(connection.ToClient(), "");
//
// Not thread-safe.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "proxies/effects/test_pipe.h"
#include "proxies/http2/follower.h"
#include "proxies/http2/stream_effect.h"

namespace watchproof::proxy {

inline std::string Headers(std::uint32_t stream, std::string_view block,
                           std::uint8_t flags = kFlagEndHeaders) {
  return MakeFrame({.type = FrameType::kHeaders, .flags = flags, .stream = FrameStream(stream)},
                   block);
}
// A request's block: the path as a literal that enters no table.
inline std::string PathBlock(std::string_view path) {
  return std::string("\x04") + static_cast<char>(path.size()) + std::string(path);
}
// A response's block: status 200, of the static table.
inline constexpr std::string_view kStatus = "\x88";

inline std::string Data(std::uint32_t stream, std::string_view payload, std::uint8_t flags = 0) {
  return MakeFrame({.flags = flags, .stream = FrameStream(stream)}, payload);
}
inline std::string Ping(std::uint8_t flags) {
  return MakeFrame({.type = FrameType::kPing, .flags = flags}, "12345678");
}
inline std::string Settings(std::initializer_list<std::pair<int, std::uint32_t>> values = {}) {
  std::string payload;
  for (const auto& [id, value] : values) {
    payload += {static_cast<char>(id >> 8), static_cast<char>(id)};
    for (const int shift : {24, 16, 8, 0}) payload.push_back(static_cast<char>(value >> shift));
  }
  return MakeFrame({.type = FrameType::kSettings}, payload);
}

inline std::string Varint(std::uint64_t value) {
  std::string bytes;
  for (; value > 0x7f; value >>= 7) bytes.push_back(static_cast<char>(value | 0x80));
  bytes.push_back(static_cast<char>(value));
  return bytes;
}
inline std::string Field(std::uint32_t number, std::uint64_t value) {
  return value == 0 ? "" : Varint(number << 3) + Varint(value);
}
inline std::string Field(std::uint32_t number, std::string_view inside) {
  return Varint(number << 3 | 2) + Varint(inside.size()) + std::string(inside);
}
inline std::string Message(std::string_view body, bool compressed = false) {
  std::string bytes(1, compressed ? '\1' : '\0');
  for (const int shift : {24, 16, 8, 0}) bytes.push_back(static_cast<char>(body.size() >> shift));
  return bytes + std::string(body);
}

struct TestResponse {
  std::int64_t watch = 0;
  std::uint64_t revision = 1;
  bool created = false;
  bool canceled = false;
  std::uint64_t compacted = 0;
  bool fragment = false;
  std::vector<std::uint64_t> events = {};  // their revisions
  std::string value = "v";
};

inline std::string TestEvent(std::uint64_t revision, std::string_view value) {
  return Field(11, Field(2, Field(1, "key") + Field(2, 2) + Field(3, revision) + Field(4, 1) +
                                Field(5, value)));
}
inline std::string Response(const TestResponse& response) {
  std::string body = Field(1, Field(1, 77) + Field(2, 88) + Field(3, response.revision)) +
                     Field(2, static_cast<std::uint64_t>(response.watch)) +
                     Field(3, response.created) + Field(4, response.canceled) +
                     Field(5, response.compacted) + Field(7, response.fragment);
  for (const std::uint64_t revision : response.events) body += TestEvent(revision, response.value);
  return Message(body);
}

class TestConnection {
 public:
  enum class Opened { kNothing, kWatchStream };

  explicit TestConnection(Opened opened = Opened::kWatchStream) {
    if (opened == Opened::kNothing) return;
    Client(std::string(kPreface) + Settings());
    Target(Settings());
    OpenStream(1);
  }
  void OpenStream(std::uint32_t stream, std::string_view path = kWatchPath) {
    Client(Headers(stream, PathBlock(path)));
    Target(Headers(stream, kStatus));
    ToClient();
    ToTarget();
  }

  void Client(std::string bytes) { Push(Direction::kToTarget, std::move(bytes)); }
  void Target(std::string bytes) { Push(Direction::kToClient, std::move(bytes)); }
  void EndOfTarget() {
    to_client_->Push(Chunk::End(), now_);
    Advance();
  }
  void ResetOfClient() {
    to_target_->Push(Chunk::Reset(), now_);
    Advance();
  }
  // What came out since it was last asked: '|' is the end, '!' a reset.
  std::string ToClient() { return std::exchange(client_got_, {}); }
  std::string ToTarget() { return std::exchange(target_got_, {}); }

  void Arm(std::string_view name, const Parameters& parameters,
           Direction direction = Direction::kToClient) {
    effect_ = Make(name, parameters);
    auto* effect = dynamic_cast<StreamEffect*>(effect_.get());
    ASSERT_NE(effect, nullptr);
    Add(effect->MakeFrameStage(ConnectionId(1), direction));
  }
  void Add(std::unique_ptr<FrameStage> stage) { follower_->AddStage(kKey, std::move(stage)); }
  void HealWithoutPulling() { follower_->RemoveStage(kKey, now_); }
  void Heal() {
    HealWithoutPulling();
    Advance();
  }
  void Wait(Duration time) {
    now_ += time;
    Advance();
  }
  Receipt receipt() { return effect_->ReceiptAt(now_); }
  const std::string& note() const { return follower_->note(); }
  // What the pipes would still count as held; 0 when everything was written.
  std::int64_t held_to_client() const { return held_to_client_; }
  Stage& to_client() { return *to_client_; }
  Stage& to_target() { return *to_target_; }

 private:
  static constexpr std::uint64_t kKey = 1;

  void Push(Direction direction, std::string bytes) {
    Chunk chunk = Chunk::Bytes(std::move(bytes));
    if (direction == Direction::kToClient) held_to_client_ += chunk.cost;
    (direction == Direction::kToClient ? to_client_ : to_target_)->Push(std::move(chunk), now_);
    Advance();
  }
  void Advance() {
    for (bool again = true; again;) {
      to_client_->Observe(now_, 0);
      Drain(*to_client_, client_got_, held_to_client_);
      again = to_client_->TakePeerCall();
      to_target_->Observe(now_, 0);
      Drain(*to_target_, target_got_, held_to_target_);
      again |= to_target_->TakePeerCall();
    }
  }
  void Drain(Stage& stage, std::string& got, std::int64_t& held) {
    while (auto chunk = stage.Pull(now_)) {
      held -= chunk->cost;
      got += chunk->kind == Chunk::Kind::kBytes ? chunk->bytes
             : chunk->kind == Chunk::Kind::kEnd ? "|"
                                                : "!";
    }
    held -= stage.TakeLost();
  }

  TimePoint now_ = kStart;
  std::unique_ptr<Effect> effect_;
  std::shared_ptr<Follower> follower_ = std::make_shared<Follower>();
  std::unique_ptr<Stage> to_client_ = FollowerStage(follower_, Direction::kToClient);
  std::unique_ptr<Stage> to_target_ = FollowerStage(follower_, Direction::kToTarget);
  std::string client_got_;
  std::string target_got_;
  std::int64_t held_to_client_ = 0;
  std::int64_t held_to_target_ = 0;
};

}  // namespace watchproof::proxy
