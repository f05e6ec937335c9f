// SPDX-License-Identifier: Apache-2.0
// Keeps responses that arrived before the acknowledgements of their writes, per watch and in order.
//
//   if (!known || backlog.Waits(watch)) backlog.Push(watch, std::move(response));
//   backlog.Drain(known_through, [&](WatchIndex watch, ResponsePtr response) { ... });
//
// Not thread-safe. Ownership: holds the pushed responses until Drain.
#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "harness/history/history_parser.h"

namespace watchproof {

class Backlog {
 public:
  bool Waits(WatchIndex watch) const {
    return watch.value < queues_.size() && !queues_[watch.value].empty();
  }
  void Push(WatchIndex watch, ResponsePtr response) {
    if (queues_.size() <= watch.value) queues_.resize(watch.value + 1);
    Queue& queue = queues_[watch.value];
    if (queue.empty()) Await(response->highest, watch);
    queue.responses.push_back(std::move(response));
  }
  // Hands out the responses without a revision above `known`, in order for each watch.
  template <typename Take>
  void Drain(Revision known, Take take) {
    while (!waiting_.empty() && waiting_.begin()->first <= known) {
      const std::vector<WatchIndex> ready = std::move(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
      for (const WatchIndex watch : ready) {
        Queue& queue = queues_[watch.value];
        while (!queue.empty() && queue.front()->highest <= known) take(watch, queue.Pop());
        if (!queue.empty()) Await(queue.front()->highest, watch);
      }
    }
  }

 private:
  struct Queue {
    std::vector<ResponsePtr> responses;
    std::size_t taken = 0;

    bool empty() const { return taken == responses.size(); }
    const ResponsePtr& front() const { return responses[taken]; }
    ResponsePtr Pop() {
      ResponsePtr response = std::move(responses[taken++]);
      if (empty()) {
        responses.clear();
        taken = 0;
      }
      return response;
    }
  };

  void Await(Revision revision, WatchIndex watch) { waiting_[revision].push_back(watch); }

  std::vector<Queue> queues_;                            // by watch
  std::map<Revision, std::vector<WatchIndex>> waiting_;  // for their front to become known
};

}  // namespace watchproof
