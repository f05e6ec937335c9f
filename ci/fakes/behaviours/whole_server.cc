// SPDX-License-Identifier: Apache-2.0
// Servers that crash, hang, end streams, or offer little; and the honest one.
#include <signal.h>
#include <atomic>

#include "ci/fakes/behaviour.h"

namespace watchproof::fakes {
namespace {

// The control: the relay itself changes nothing.
const BehaviourRegistration kHonest({.name = "honest",
                                     .explain = "Passes every message on unchanged.",
                                     .guarantees = {}},
                                    [] { return std::make_unique<Behaviour>(); });

class Counts final : public WatchTamper {
  static constexpr int kEvents = 30;

 public:
  explicit Counts(std::atomic<int>& events) : events_(events) {}
  void Answered(WatchResponse& response, Wire& wire) override {
    events_ += response.events_size();
    if (events_ > kEvents) {
      wire.Tampered("crashed");
      raise(SIGSEGV);
    }
    wire.ToClient(response);
  }

 private:
  std::atomic<int>& events_;
};

const BehaviourRegistration kCrashes(
    {.name = "crashes",
     .explain = "Dies of a segmentation fault after thirty events.",
     .guarantees = {}},
    EachStreamWith<Counts, std::atomic<int>>);

constexpr int kRequests = 60;  // until it hangs

class Mute final : public WatchTamper {
 public:
  explicit Mute(std::atomic<int>& requests) : requests_(requests) {}
  void Asked(WatchRequest& request, Wire& wire) override {
    if (++requests_ > kRequests) return wire.Tampered("left a request without an answer");
    wire.ToStore(request);
  }
  void Answered(WatchResponse& response, Wire& wire) override {
    if (requests_ <= kRequests) return wire.ToClient(response);
    wire.Tampered("withheld a message");
  }

 private:
  std::atomic<int>& requests_;
};

class Hangs final : public Behaviour {
  std::unique_ptr<WatchTamper> NewStream() override { return std::make_unique<Mute>(requests_); }
  CallPlan Plan(const std::string& method) override {
    if (++requests_ <= kRequests) return {.method = method};
    return {.method = method, .fate = CallFate::kHang, .tampered = "never answered"};
  }
  std::atomic<int> requests_{0};
};

const BehaviourRegistration kHangs(
    {.name = "hangs",
     .explain = "Accepts everything, and answers nothing more after sixty requests.",
     .guarantees = {}},
    [] { return std::make_unique<Hangs>(); });

grpc::Status Ends() { return {}; }
grpc::Status Breaks() { return {grpc::StatusCode::UNAVAILABLE, "watch stream broken"}; }
// As etcd ends the streams of clients that require a leader.
grpc::Status HasNoLeader() { return {grpc::StatusCode::UNAVAILABLE, "etcdserver: no leader"}; }

template <grpc::Status (*kHow)()>
class Closes final : public WatchTamper {
  static constexpr int kResponses = 15;

  void Answered(WatchResponse& response, Wire& wire) override {
    wire.ToClient(response);
    if (++responses_ < kResponses) return;
    wire.Tampered("ended the stream");
    wire.End(kHow());
  }

  int responses_ = 0;
};

const BehaviourRegistration kClosesWithOk(
    {.name = "closes-with-ok",
     .explain = "Ends every watch stream after fifteen messages, with the status OK.",
     .guarantees = {"Settled"}},
    EachStream<Closes<Ends>>);

const BehaviourRegistration kClosesWithError(
    {.name = "closes-with-error",
     .explain = "Ends every watch stream after fifteen messages, with the status Unavailable.",
     .guarantees = {"Settled"}},
    EachStream<Closes<Breaks>>);

const BehaviourRegistration kLosesLeader(
    {.name = "loses-leader",
     .explain = "Ends every watch stream after fifteen messages, with the status Unavailable and "
                "the text \"etcdserver: no leader\".",
     .guarantees = {"Settled"}},
    EachStream<Closes<HasNoLeader>>);

class IgnoresOptions final : public WatchTamper {
  void Asked(WatchRequest& request, Wire& wire) override {
    if (request.has_progress_request()) {
      return wire.Tampered("left a request for progress without an answer");
    }
    if (request.has_create_request()) {
      WatchCreateRequest& create = *request.mutable_create_request();
      const std::string before = create.SerializeAsString();
      create.clear_progress_notify();
      create.clear_filters();
      create.clear_prev_kv();
      create.clear_watch_id();
      create.clear_fragment();
      if (create.SerializeAsString() != before) wire.Tampered("ignored the options of a create");
    }
    wire.ToStore(request);
  }
};

class ClaimsNothing final : public Behaviour {
  std::unique_ptr<WatchTamper> NewStream() override { return std::make_unique<IgnoresOptions>(); }
  CallPlan Plan(const std::string& method) override {
    if (!method.starts_with("/etcdserverpb.Lease/") && !method.starts_with("/etcdserverpb.Auth/") &&
        method != "/etcdserverpb.KV/Compact") {
      return {.method = method};
    }
    return {.method = method,
            .fate = CallFate::kRefuse,
            .refusal = {grpc::StatusCode::UNIMPLEMENTED, "unknown method"},
            .tampered = "not implemented"};
  }
};

const BehaviourRegistration kClaimsNothing(
    {.name = "claims-nothing",
     .explain = "Ignores every option of a create and all requests for progress; "
                "compaction, leases and users are not implemented.",
     .guarantees = {}},
    [] { return std::make_unique<ClaimsNothing>(); });

}  // namespace
}  // namespace watchproof::fakes
