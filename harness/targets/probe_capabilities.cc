// SPDX-License-Identifier: Apache-2.0
#include "harness/targets/probe_capabilities.h"

#include <functional>
#include <future>
#include <limits>
#include <map>
#include <random>

#include "fixtures/protos/rpc.grpc.pb.h"
#include "fixtures/protos/rpc_auth.grpc.pb.h"
#include "fixtures/protos/rpc_cluster.grpc.pb.h"
#include "fixtures/protos/rpc_lease.grpc.pb.h"
#include "harness/targets/probe.h"
#include "harness/targets/probe_call.h"

namespace watchproof {
namespace {

namespace pb = etcdserverpb;

constexpr std::string_view kSlowWatchers = "etcd_debugging_mvcc_slow_watcher_total";
constexpr std::int64_t kChosenId = 42;
constexpr Duration kProgressEvery = 100ms;
constexpr Duration kProgressLimit = 1s;
constexpr Duration kNoticeLimit = 1500ms;
constexpr int kMostTries = 5;
// Two of these exceed what etcd sends in one response (2 MiB); one is below what it accepts.
constexpr std::size_t kLargeValue = 1200 * 1024;

std::string RandomPrefix() {
  std::random_device device;
  return fmt::format("wp-probe/{:08x}{:08x}/", device(), device());
}

enum class Asking { kNo, kRepeatedly };

// One watch stream with one watch on it.
class OneWatch {
 public:
  OneWatch(const std::shared_ptr<grpc::Channel>& channel, const Caller& caller) : stub_(channel) {
    caller.Prepare(context_);
    stream_ = stub_.Watch(&context_);
  }
  ~OneWatch() {
    if (finished_) return;
    context_.TryCancel();
    const grpc::Status ignored = stream_->Finish();
  }

  // The answer to the create.
  Result<pb::WatchResponse> Create(const pb::WatchCreateRequest& create) {
    pb::WatchRequest request;
    *request.mutable_create_request() = create;
    // If the write fails, the stream has ended, and the read returns why.
    stream_->Write(request);
    return Next();
  }
  Result<pb::WatchResponse> Next() {
    pb::WatchResponse response;
    if (stream_->Read(&response)) return response;
    finished_ = true;
    const Status ended = FromRpcStatus(stream_->Finish());
    if (!ended.ok()) return ended;
    return Fail(StatusCode::kAborted, "the target ended the watch stream");
  }
  // Whether a response without events arrives within the limit. The limit begins when the watch is
  // created, because a busy machine may be slow to create it. An error when the stream ends by
  // itself.
  Result<bool> ReceivesProgress(Asking asking, Duration limit) {
    auto received = std::async(std::launch::async, [this]() -> Result<bool> {
      for (;;) {
        WP_ASSIGN_OR_RETURN(const pb::WatchResponse response, Next());
        if (response.events_size() == 0 && !response.created()) return !response.canceled();
      }
    });
    pb::WatchRequest request;
    request.mutable_progress_request();
    const Deadline deadline = Within(limit);
    while (!deadline.expired()) {
      // If the write fails, the stream has ended, and the read returns why.
      if (asking == Asking::kRepeatedly) stream_->Write(request);
      if (received.wait_for(kProgressEvery) == std::future_status::ready) return received.get();
    }
    context_.TryCancel();  // ends the read
    return received.get().value_or(false);
  }

 private:
  pb::Watch::Stub stub_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<pb::WatchRequest, pb::WatchResponse>> stream_;
  bool finished_ = false;
};

class Prober {
 public:
  Prober(Target& target, Deadline deadline, const ProbeOptions& options)
      : target_(target),
        stated_(options.stated),
        caller_{target.token(), deadline},
        prefix_(options.prefix.empty() ? RandomPrefix() : options.prefix),
        channel_(OwnChannel(target.front())) {}

  Result<bool> Offers(Capability capability) {
    switch (capability) {
      case Capability::kProxy:
        return false;
      case Capability::kCompaction:
        if (!target_.may_compact()) return false;
        return Answer(capability, &Prober::Compaction);
      case Capability::kClientChosenIds:
        return Answer(capability, &Prober::ChosenIds);
      case Capability::kProgressRequest:
        return Answer(capability, &Prober::Progress);
      case Capability::kFragment:
        return Answer(capability, &Prober::Fragments);
      case Capability::kPreviousValues:
        return Answer(capability, &Prober::PreviousValues);
      case Capability::kSlowWatcherGauge:
        return Answer(capability, &Prober::SlowWatcherGauge);
      case Capability::kProgressNotices:
        return Answer(capability, &Prober::ProgressNotices);
      case Capability::kUsers:
        // Enabling authentication would lock out the other users of the target.
        if (target_.shared()) return false;
        return Answer(capability, &Prober::Users);
      case Capability::kStrictPreviousValues:
        return target_.can_be_strict();
      case Capability::kLeases:
        return Answer(capability, &Prober::Leases);
      case Capability::kLearners:
        return Answer(capability, &Prober::Learners);
      case Capability::kRangeStream:
        return Answer(capability, &Prober::RangeStream);
      case Capability::kMaintenance:
        return Answer(capability, &Prober::Maintenance);
      case Capability::kNoPasswords:
        return Answer(capability, &Prober::NoPasswords);
      case Capability::kDowngrades:
        return Answer(capability, &Prober::Downgrades);
      case Capability::kOurs:
        return target_.ours();
      case Capability::kServerOfItsOwn:
        return !target_.shared();
      case Capability::kQuota:
      case Capability::kTokenLifetime:
      case Capability::kSignedTokens:
      case Capability::kCertificateNames:
        return target_.settings().contains(capability);
      case Capability::kLocks:
        return Answer(capability, &Prober::Locks);
      case Capability::kDurable:
        return target_.durable();
      case Capability::kProcess:
        return target_.process_state() != 0;
      case Capability::kCluster:
        return target_.can_cluster();
      case Capability::kDisk:
        return target_.can_have_disk();
    }
    return false;
  }
  // With which status it refused what it does not offer.
  const std::map<Capability, Status>& refusals() const { return refusals_; }
  // Deletes the keys, so that only history is left; a target that refuses it keeps them.
  void CleanUp() {
    if (!wrote_) return;
    pb::DeleteRangeRequest request;
    request.set_key(prefix_);
    request.set_range_end(EndOf(prefix_));
    static_cast<void>(Call(channel_, caller_, request, &pb::KV::Stub::DeleteRange));
  }

 private:
  // As stated; otherwise probes the target, which does not offer what it refuses, whatever the
  // status.
  Result<bool> Answer(Capability capability, Result<bool> (Prober::*ask)()) {
    if (stated_.offered.contains(capability)) return true;
    if (stated_.missing.contains(capability)) return false;
    Result<bool> answer = (this->*ask)();
    if (answer.has_value() || !IsAnswer(answer.error().code())) return answer;
    refusals_[capability] = answer.error();
    return false;
  }
  // Requests a compaction at a revision far in the future: a target that has the call rejects it
  // and compacts nothing. With which status is no matter: the cases ask for real compactions.
  Result<bool> Compaction() {
    pb::CompactionRequest request;
    request.set_revision(std::numeric_limits<std::int64_t>::max() / 2);
    const Status answer = StatusOf(Call(channel_, caller_, request, &pb::KV::Stub::Compact));
    // Or the token's user has no permission to compact.
    const bool not_permitted =
        answer.code() == StatusCode::kPermissionDenied && !caller_.token.empty();
    if (answer.code() == StatusCode::kUnimplemented || not_permitted) return answer;
    return answer.ok() || IsAnswer(answer.code()) ? Result<bool>(true) : answer;
  }
  Result<bool> ChosenIds() {
    OneWatch watch(channel_, caller_);
    pb::WatchCreateRequest create = CreateOf("ids");
    create.set_watch_id(kChosenId);
    WP_ASSIGN_OR_RETURN(const pb::WatchResponse answer, watch.Create(create));
    return answer.created() && !answer.canceled() && answer.watch_id() == kChosenId;
  }
  Result<bool> Progress() {
    OneWatch watch(channel_, caller_);
    WP_ASSIGN_OR_RETURN(const pb::WatchResponse answer, watch.Create(CreateOf("progress")));
    if (!answer.created()) return false;
    const Result<bool> received = watch.ReceivesProgress(
        Asking::kRepeatedly, std::min(kProgressLimit, caller_.deadline.remaining()));
    // Here silence is an answer.
    const bool silent = !received.has_value() && !IsAnswer(received.error().code());
    return silent ? Result<bool>(false) : received;
  }
  Result<bool> Users() {
    const Status answer =
        StatusOf(Call(channel_, caller_, pb::AuthUserListRequest(), &pb::Auth::Stub::UserList));
    if (answer.ok()) return true;
    return answer;
  }
  // Asks for the time to live of a lease that does not exist.
  Result<bool> Leases() {
    pb::LeaseTimeToLiveRequest request;
    request.set_id(std::numeric_limits<std::int64_t>::max());
    const Status answer =
        StatusOf(Call(channel_, caller_, request, &pb::Lease::Stub::LeaseTimeToLive));
    if (answer.ok() || answer.code() == StatusCode::kNotFound) return true;
    return answer;
  }
  // A profile has to state it: a lock that is asked for proves nothing by being given.
  Result<bool> Locks() { return false; }
  // Likewise: one that does not know the option adds the user with an empty password.
  Result<bool> NoPasswords() { return false; }
  // Asks for the vote of a member that does not exist.
  Result<bool> Learners() {
    const Status answer = StatusOf(
        Call(channel_, caller_, pb::MemberPromoteRequest(), &pb::Cluster::Stub::MemberPromote));
    if (answer.ok() || answer.code() == StatusCode::kNotFound) return true;
    return answer;
  }
  Result<bool> RangeStream() {
    grpc::ClientContext context;
    caller_.Prepare(context);
    pb::RangeRequest request;
    request.set_key(prefix_);
    const auto stream = pb::KV::NewStub(channel_)->RangeStream(&context, request);
    pb::RangeStreamResponse part;
    while (stream->Read(&part)) {
    }
    const Status ended = FromRpcStatus(stream->Finish());
    if (!ended.ok()) return ended;
    return true;
  }
  Result<bool> Maintenance() {
    WP_RETURN_IF_ERROR(
        StatusOf(Call(channel_, caller_, pb::HashKVRequest(), &pb::Maintenance::Stub::HashKV)));
    WP_RETURN_IF_ERROR(
        StatusOf(Call(channel_, caller_, pb::AlarmRequest(), &pb::Maintenance::Stub::Alarm)));
    return true;
  }
  // Asks whether a downgrade to what is no version is possible.
  Result<bool> Downgrades() {
    const Status answer = StatusOf(
        Call(channel_, caller_, pb::DowngradeRequest(), &pb::Maintenance::Stub::Downgrade));
    if (answer.ok() || answer.code() == StatusCode::kInvalidArgument) return true;
    return answer;
  }
  Result<bool> ProgressNotices() {
    OneWatch watch(channel_, caller_);
    pb::WatchCreateRequest create = CreateOf("notices");
    create.set_progress_notify(true);
    WP_ASSIGN_OR_RETURN(const pb::WatchResponse answer, watch.Create(create));
    if (!answer.created()) return false;
    return watch.ReceivesProgress(Asking::kNo,
                                  std::min(kNoticeLimit, caller_.deadline.remaining()));
  }
  // An accepted create with the field proves nothing: a server without support ignores unknown
  // fields. So the probe provokes a response that must be split; several times, as etcd sends
  // events that were ready before the answer to the create in one piece.
  Result<bool> Fragments() {
    for (int i = 0;; ++i) {
      const Result<bool> offers = UnlessCompacted([this] { return FragmentsOnce(); });
      if (!offers.has_value() || *offers || i == kMostTries) return offers;
    }
  }
  Result<bool> PreviousValues() {
    return UnlessCompacted([this] { return PreviousValuesOnce(); });
  }
  // Others may compact the start revision of a probe before its events are sent.
  Result<bool> UnlessCompacted(const std::function<Result<bool>()>& ask) {
    for (int i = 0;; ++i) {
      compacted_ = false;
      Result<bool> offers = ask();
      if (!compacted_ || i == kMostTries) return offers;
    }
  }
  // What the first response to the watch shows that shows it; a watch that ends shows nothing.
  template <typename Look>
  Result<bool> Shown(const pb::WatchCreateRequest& create, Look look) {
    OneWatch watch(channel_, caller_);
    WP_ASSIGN_OR_RETURN(pb::WatchResponse response, watch.Create(create));
    while (!response.canceled()) {
      if (const std::optional<bool> shown = look(response)) return *shown;
      WP_ASSIGN_OR_RETURN(response, watch.Next());
    }
    compacted_ = response.compact_revision() > 0;
    return false;
  }
  Result<bool> FragmentsOnce() {
    const std::string large(kLargeValue, 'x');
    // A target that rejects values of this size has nothing to split.
    const Result<std::int64_t> first = Put("large/1", large);
    if (!first.has_value()) return first.error();
    WP_ASSIGN_OR_RETURN(const std::int64_t second, Put("large/2", large));
    pb::WatchCreateRequest create = CreateOf("large/");
    create.set_range_end(EndOf(create.key()));
    create.set_start_revision(*first);
    create.set_fragment(true);
    return Shown(create, [=](const pb::WatchResponse& response) -> std::optional<bool> {
      if (response.fragment()) return true;
      const int events = response.events_size();
      if (events > 0 && response.events(events - 1).kv().mod_revision() >= second) return false;
      return std::nullopt;
    });
  }
  Result<bool> PreviousValuesOnce() {
    // Two updates, so that a target with wrong previous values is not taken for one without any.
    const Result<std::int64_t> first = Put("previous", "first");
    if (!first.has_value()) return first.error();
    WP_ASSIGN_OR_RETURN(const std::int64_t second, Put("previous", "second"));
    WP_ASSIGN_OR_RETURN(const std::int64_t third, Put("previous", "third"));
    pb::WatchCreateRequest create = CreateOf("previous");
    create.set_start_revision(second);
    create.set_prev_kv(true);
    return Shown(create, [=](const pb::WatchResponse& response) -> std::optional<bool> {
      for (const auto& event : response.events()) {
        if (!event.prev_kv().value().empty()) return true;
        if (event.kv().mod_revision() >= third) return false;
      }
      return std::nullopt;
    });
  }
  Result<bool> SlowWatcherGauge() {
    const Result<Metrics> metrics = target_.ReadMetrics();
    return metrics.has_value() && metrics->contains(kSlowWatchers);
  }

  pb::WatchCreateRequest CreateOf(const std::string& name) const {
    pb::WatchCreateRequest create;
    create.set_key(prefix_ + name);
    return create;
  }
  Result<std::int64_t> Put(const std::string& name, const std::string& value) {
    pb::PutRequest request;
    request.set_key(prefix_ + name);
    request.set_value(value);
    wrote_ = true;
    WP_ASSIGN_OR_RETURN(const pb::PutResponse response,
                        Call(channel_, caller_, request, &pb::KV::Stub::Put));
    return response.header().revision();
  }

  Target& target_;
  const Stated& stated_;
  const Caller caller_;
  const std::string prefix_;
  const std::shared_ptr<grpc::Channel> channel_;  // also kept by stubs: gRPC's own sharing
  std::map<Capability, Status> refusals_;
  bool wrote_ = false;
  bool compacted_ = false;
};

}  // namespace

Result<Capabilities> ProbeCapabilities(Target& target, const Capabilities& wanted,
                                       Deadline deadline, const ProbeOptions& options) {
  Prober prober(target, deadline, options);
  Capabilities offered;
  Status trouble;
  for (const Capability capability : wanted) {
    const Result<bool> offers = prober.Offers(capability);
    if (!offers.has_value()) {
      trouble = offers.error().WithContext("asking {} for {}", target.endpoint().Named(),
                                           Name(capability));
      break;
    }
    if (*offers) offered.insert(capability);
  }
  prober.CleanUp();
  if (!trouble.ok()) return trouble;
  if (options.refusals != nullptr) *options.refusals = prober.refusals();
  return offered;
}

bool IsAnswer(StatusCode code) {
  return code != StatusCode::kOk && code != StatusCode::kUnavailable &&
         code != StatusCode::kDeadlineExceeded && code != StatusCode::kCancelled;
}

bool IsRefusal(StatusCode code) {
  return code == StatusCode::kUnimplemented || code == StatusCode::kUnknown ||
         code == StatusCode::kInvalidArgument;
}

}  // namespace watchproof
