// SPDX-License-Identifier: Apache-2.0
// Creates and cancels that are refused, ignored, or answered in the wrong way.
#include <atomic>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "ci/fakes/behaviour.h"
#include "ci/fakes/creates.h"

namespace watchproof::fakes {
namespace {

const BehaviourRegistration kSilentCreate({.name = "silent-create",
                                           .explain = "Takes creates and never answers them.",
                                           .guarantees = {"Settled"}},
                                          EachRequest([](WatchRequest& request, Wire& wire) {
                                            if (request.has_create_request())
                                              return wire.Tampered(
                                                  "left a create without an answer");
                                            wire.ToStore(request);
                                          }));

const BehaviourRegistration kNeverCancels(
    {.name = "never-cancels",
     .explain = "Ignores cancels: there is no answer, and events go on.",
     .guarantees = {"Settled"}},
    EachRequest([](WatchRequest& request, Wire& wire) {
      if (request.has_cancel_request()) return wire.Tampered("ignored a cancel");
      wire.ToStore(request);
    }));

const BehaviourRegistration kCancelsTwice({.name = "cancels-twice",
                                           .explain = "Sends the end of every watch twice.",
                                           .guarantees = {"Settled"}},
                                          EachAnswer([](WatchResponse& response, Wire& wire) {
                                            wire.ToClient(response);
                                            if (!response.canceled() || response.created()) return;
                                            wire.ToClient(response);
                                            wire.Tampered("sent the end of a watch twice");
                                          }));

class SilentCancel final : public WatchTamper {
  void Asked(WatchRequest& request, Wire& wire) override {
    if (request.has_cancel_request()) cancelled_.insert(request.cancel_request().watch_id());
    wire.ToStore(request);
  }
  void Answered(WatchResponse& response, Wire& wire) override {
    if (response.canceled() && !response.created() && cancelled_.erase(response.watch_id()) > 0) {
      return wire.Tampered("left a cancel without an answer");
    }
    wire.ToClient(response);
  }

  std::set<std::int64_t> cancelled_;
};

const BehaviourRegistration kCancelsSilently({.name = "cancels-silently",
                                              .explain = "Obeys cancels, but never answers them.",
                                              .guarantees = {"Settled"}},
                                             EachStream<SilentCancel>);

// The store creates the watch, which is cancelled at once, so that the refusal has a correct
// header.
template <int kOneIn>
class Refuses final : public WatchTamper {
 public:
  explicit Refuses(std::atomic<int>& creates) : creates_(creates) {}
  void Answered(WatchResponse& response, Wire& wire) override {
    if (response.created() && !response.canceled() && ++creates_ % kOneIn == 0) {
      WatchRequest back;
      back.mutable_cancel_request()->set_watch_id(response.watch_id());
      wire.ToStore(back);
      hidden_.insert(response.watch_id());
      response.set_watch_id(-1);
      response.set_canceled(true);
      response.set_cancel_reason("too many requests");
      wire.Tampered("refused a create");
    } else if (response.created()) {
      hidden_.erase(response.watch_id());
    } else if (hidden_.contains(response.watch_id())) {
      return;
    }
    wire.ToClient(response);
  }

 private:
  std::atomic<int>& creates_;
  std::set<std::int64_t> hidden_;  // created in the store but refused to the client
};

const BehaviourRegistration kRefuseAll(
    {.name = "refuse-all",
     .explain = "Refuses every watch with the reason \"too many requests\".",
     .guarantees = {"Settled"}},
    EachStreamWith<Refuses<1>, std::atomic<int>>);

const BehaviourRegistration kRefuseOneInTen(
    {.name = "refuse-one-in-ten",
     .explain = "Refuses every tenth create with the reason \"too many requests\".",
     .guarantees = {"Settled"}},
    EachStreamWith<Refuses<10>, std::atomic<int>>);

class EndsWithReason final : public WatchTamper {
  static constexpr int kEvents = 20;

  void Answered(WatchResponse& response, Wire& wire) override {
    const std::int64_t id = response.watch_id();
    if (response.created()) {
      ended_.erase(id);
      events_[id] = 0;
    }
    if (ended_.contains(id)) return;
    wire.ToClient(response);
    if (response.events_size() == 0) return;
    events_[id] += response.events_size();
    if (response.fragment() || events_[id] < kEvents) return;
    ended_.insert(id);
    WatchRequest back;
    back.mutable_cancel_request()->set_watch_id(id);
    wire.ToStore(back);
    WatchResponse end;
    *end.mutable_header() = response.header();
    end.set_watch_id(id);
    end.set_canceled(true);
    end.set_cancel_reason("the server is overloaded");
    wire.Tampered("ended a watch");
    wire.ToClient(end);
  }

  std::map<std::int64_t, int> events_;  // delivered, by watch id
  std::set<std::int64_t> ended_;
};

const BehaviourRegistration kEndsWatches(
    {.name = "ends-watches",
     .explain = "Ends each watch after twenty events, with a reason and without a "
                "compact_revision.",
     .guarantees = {"Settled"}},
    EachStream<EndsWithReason>);

class SwapsAnswers final : public WatchTamper {
  void Asked(WatchRequest& request, Wire& wire) override {
    if (request.has_create_request()) creates_.Asked(request.create_request());
    wire.ToStore(request);
  }
  void Answered(WatchResponse& response, Wire& wire) override {
    if (!response.created()) return Later(response, wire);
    const WatchCreateRequest create = creates_.Answered(response);
    if (held_) {
      // With equal creates the order makes no difference.
      if (create.SerializeAsString() != held_create_.SerializeAsString()) {
        swapped_.insert({response.watch_id(), held_->watch_id()});
      }
      wire.ToClient(response);
      wire.ToClient(*held_);
      for (const WatchResponse& one : behind_) Pass(one, wire);
      held_.reset();
      behind_.clear();
    } else if (creates_.waiting() > 0) {
      held_ = response;
      held_create_ = create;
    } else {
      wire.ToClient(response);
    }
  }
  void Later(const WatchResponse& response, Wire& wire) {
    if (held_ && held_->watch_id() == response.watch_id()) {
      behind_.push_back(response);
    } else {
      Pass(response, wire);
    }
  }
  // Two that are refused, or end with ErrCompacted before any event, look the same.
  void Pass(const WatchResponse& response, Wire& wire) {
    if (response.events_size() > 0 && swapped_.erase(response.watch_id()) > 0) {
      wire.Tampered("answered two creates in the wrong order");
    }
    wire.ToClient(response);
  }

  Creates creates_;
  std::optional<WatchResponse> held_;
  WatchCreateRequest held_create_;
  std::vector<WatchResponse> behind_;  // responses of the watch with the held answer
  std::set<std::int64_t> swapped_;     // ids, without an event so far
};

const BehaviourRegistration kIdsOutOfOrder(
    {.name = "ids-out-of-order",
     .explain = "Answers two creates that wait at the same time in the opposite order, as "
                "etcd's grpc-proxy may.",
     .guarantees = {}},
    EachStream<SwapsAnswers>);

}  // namespace
}  // namespace watchproof::fakes
