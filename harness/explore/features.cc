// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/features.h"

#include <algorithm>

namespace watchproof::explore {
namespace {

constexpr std::size_t kKinds = 26;

std::size_t KindOf(const Step& step) {
  if (const auto* turn = std::get_if<Turn>(&step)) {
    return std::variant_size_v<Step> + static_cast<std::size_t>(turn->loop);
  }
  return step.index();
}

std::size_t UpToThree(std::size_t count) { return std::min<std::size_t>(count, 3); }

}  // namespace

void Features::Sequence(const Step& before, const Step& after) {
  Set(kSequences + KindOf(before) * kKinds + KindOf(after));
}

void Features::Reply(const store::WatchReply& reply, std::size_t parts) {
  std::size_t shape = (reply.created ? 1 : 0) + (reply.canceled ? 2 : 0) +
                      (reply.compacted.value > 0 ? 4 : 0) + (reply.watch.value < 0 ? 8 : 0) +
                      16 * UpToThree(reply.event_count()) + 64 * UpToThree(parts);
  bool previous = false;
  bool erased = false;
  if (reply.batch) {
    for (const store::PendingEvent& event : reply.batch->events()) {
      previous = previous || !event.previous.expired();
      erased = erased || event.change->kind == store::ChangeKind::kDelete;
    }
  }
  Set(kReplies + shape + (previous ? 256 : 0) + (erased ? 512 : 0));
}

void Features::Error(Method method, StatusCode code) {
  Set(kErrors + static_cast<std::size_t>(method) * 32 + static_cast<std::size_t>(code));
}

void Features::Met(WatchPhase a, WatchPhase b, Backlog backlog) {
  const auto [low, high] = std::minmax({static_cast<std::size_t>(a), static_cast<std::size_t>(b)});
  Set(kMeetings + (low * 8 + high) * 4 + (backlog.unsynced ? 1 : 0) + (backlog.victims ? 2 : 0));
}

std::size_t Features::Add(const Features& other) {
  const std::size_t before = reached_.count();
  reached_ |= other.reached_;
  return reached_.count() - before;
}

}  // namespace watchproof::explore
