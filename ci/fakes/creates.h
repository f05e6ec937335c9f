// SPDX-License-Identifier: Apache-2.0
// Which create each answer of a stream belongs to: a store answers creates in the order in which
// they came.
//
//   creates.Asked(request.create_request());
//   if (response.created()) { const WatchCreateRequest create = creates.Answered(response); ... }
//
// Not thread-safe.
#pragma once

#include <deque>
#include <map>

#include "ci/fakes/behaviour.h"

namespace watchproof::fakes {

class Creates {
 public:
  void Asked(const WatchCreateRequest& create) { waiting_.push_back(create); }
  // Requires: the response answers a create.
  WatchCreateRequest Answered(const WatchResponse& response) {
    WatchCreateRequest create;
    if (!waiting_.empty()) {
      create = waiting_.front();
      waiting_.pop_front();
    }
    if (!response.canceled()) open_[response.watch_id()] = create;
    return create;
  }
  void Ended(std::int64_t id) { open_.erase(id); }
  std::size_t waiting() const { return waiting_.size(); }
  const std::map<std::int64_t, WatchCreateRequest>& open() const { return open_; }

 private:
  std::deque<WatchCreateRequest> waiting_;
  std::map<std::int64_t, WatchCreateRequest> open_;  // by watch id
};

}  // namespace watchproof::fakes
