// SPDX-License-Identifier: Apache-2.0
#include "proxies/control/followers.h"

#include <utility>

namespace watchproof::proxy {
namespace {

constexpr std::uint64_t kFollowerKey = 0;  // no effect's: their ids begin with 1

void AdvanceBoth(Connection& connection) {
  for (const Direction direction : kNarrow) {
    if (connection.live()) connection.pipe(direction).Advance();
  }
}

}  // namespace

void Followers::Follow(Connection& connection) {
  std::erase_if(followers_, [](const auto& entry) { return entry.second.expired(); });
  auto follower = std::make_shared<Follower>();
  for (const Direction direction : kNarrow) {
    connection.pipe(direction).AddStage(kFollowerKey, FollowerStage(follower, direction));
  }
  followers_[connection.id()] = std::move(follower);
}

std::shared_ptr<Follower> Followers::Of(const Connection& connection) const {
  const auto it = followers_.find(connection.id());
  return it == followers_.end() ? nullptr : it->second.lock();
}

void Followers::Attach(std::uint64_t key, StreamEffect& effect, Direction direction,
                       Connection& connection) {
  const auto follower = Of(connection);
  if (!follower || !connection.live()) return;
  follower->AddStage(key, effect.MakeFrameStage(connection.id(), direction));
}

void Followers::Detach(std::uint64_t key, Connection& connection) {
  const auto follower = Of(connection);
  if (!follower) return;
  AdvanceBoth(connection);
  follower->RemoveStage(key, Clock::now());
  AdvanceBoth(connection);
}

}  // namespace watchproof::proxy
