// SPDX-License-Identifier: Apache-2.0
// etcd's Maintenance service, for one member that leads itself.
//
// What goes over all of the data runs on the background thread, a snapshot on gRPC's, piece by
// piece.
#include <algorithm>
#include <boost/asio/post.hpp>
#include <optional>
#include <utility>

#include "embedded_store/backend/snapshot.h"
#include "embedded_store/mvcc/errors.h"
#include "embedded_store/mvcc/store_hash.h"
#include "embedded_store/server/services.h"
#include "fixtures/protos/rpc.grpc.pb.h"

namespace watchproof::store {
namespace {

constexpr std::size_t kPieceBytes = 32 * 1024;

using AlarmRow = watchproof::store::Alarm;

void ToWire(const AlarmRow& alarm, pb::AlarmMember* wire) {
  wire->set_memberid(alarm.member);
  wire->set_alarm(static_cast<pb::AlarmType>(alarm.kind));
}

// What etcd's clients show of an alarm.
std::string Text(const AlarmRow& alarm) {
  pb::AlarmMember wire;
  ToWire(alarm, &wire);
  return fmt::format("memberID:{} alarm:{} ", wire.memberid(), pb::AlarmType_Name(wire.alarm()));
}

std::vector<AlarmRow> Act(const pb::AlarmRequest& request, Alarms& alarms) {
  const AlarmRow alarm{.kind = static_cast<AlarmKind>(request.alarm()),
                       .member = request.memberid()};
  switch (request.action()) {
    case pb::AlarmRequest::ACTIVATE:
      return alarms.Activate(alarm);
    case pb::AlarmRequest::DEACTIVATE:
      return alarms.Deactivate(alarm);
    default:
      return alarms.Active(alarm.kind);
  }
}

// Sends piece after piece, each when the one before it has left.
class SnapshotCall final : public grpc::ServerWriteReactor<pb::SnapshotResponse> {
 public:
  SnapshotCall(ServiceParts& parts, const Status& admitted) : open_(parts.long_reads) {
    response_.set_version(parts.version.cluster().ToString());
    open_.Enter();
    const Status begun = admitted.ok() ? Begin(parts.store) : admitted;
    if (begun.ok()) {
      SendNext();
    } else {
      Finish(ToGrpc(begun));
    }
  }

 private:
  void OnWriteDone(bool ok) override {
    if (ok) return SendNext();
    Finish(grpc::Status(grpc::StatusCode::CANCELLED, "the client has gone"));
  }
  void OnDone() override {
    snapshot_.reset();
    OpenCalls& open = open_;
    delete this;
    open.Leave();
  }
  Status Begin(const MvccStore& store) {
    FillHeader(store.current(), response_.mutable_header());
    WP_ASSIGN_OR_RETURN(std::unique_ptr<BackendReader> reader, store.Read());
    snapshot_.emplace(std::move(reader));
    WP_ASSIGN_OR_RETURN(left_, snapshot_->Measure());
    WP_ASSIGN_OR_RETURN(ahead_, snapshot_->Next(kPieceBytes));
    return {};
  }
  void SendNext() {
    if (ahead_.empty()) return Finish(grpc::Status());
    Result<std::string> following = snapshot_->Next(kPieceBytes);
    if (!following) return Finish(ToGrpc(following.error()));
    left_ -= ahead_.size();
    response_.set_remaining_bytes(left_);
    response_.set_blob(std::exchange(ahead_, *std::move(following)));
    StartWrite(&response_);
  }

  OpenCalls& open_;
  std::optional<Snapshot> snapshot_;
  std::string ahead_;     // the piece after the one that is being written
  std::size_t left_ = 0;  // bytes that are not written yet
  pb::SnapshotResponse response_;
};

struct Content {
  std::unique_ptr<BackendReader> reader;
  Revision floor;
};

// With nothing left to forget below the floor. Blocks.
Result<Content> ReadSettled(MvccStore& store) {
  while (true) {
    store.FinishCompaction();
    const Revision floor = store.compacted();
    WP_ASSIGN_OR_RETURN(std::unique_ptr<BackendReader> reader, store.Read());
    // One that came in between may have erased a part.
    if (store.compacted() == floor) return Content{.reader = std::move(reader), .floor = floor};
  }
}

class MaintenanceService final : public pb::Maintenance::CallbackService {
 public:
  explicit MaintenanceService(ServiceParts& parts) : parts_(parts) {}

  Reactor* Alarm(Context* context, const pb::AlarmRequest* request,
                 pb::AlarmResponse* response) override {
    return Unary(context, parts_.backend, [&]() -> watchproof::Status {
      const bool asks = request->action() == pb::AlarmRequest::GET;
      WP_RETURN_IF_ERROR(asks ? parts_.gate.AdmitUser(*context) : parts_.gate.AdmitRoot(*context));
      if (!pb::AlarmRequest::AlarmAction_IsValid(request->action()) ||
          !pb::AlarmType_IsValid(request->alarm())) {
        return Fail(StatusCode::kInvalidArgument, "no such alarm or action");
      }
      for (const AlarmRow& alarm : Act(*request, parts_.alarms)) {
        ToWire(alarm, response->add_alarms());
      }
      FillHeader(parts_.store.current(), response->mutable_header());
      return {};
    });
  }

  Reactor* Status(Context* context, const pb::StatusRequest*,
                  pb::StatusResponse* response) override {
    return Unary(context, parts_.backend, [&]() -> watchproof::Status {
      WP_RETURN_IF_ERROR(parts_.gate.AdmitUser(*context));
      const Revision current = parts_.store.current();
      FillHeader(current, response->mutable_header());
      response->set_version(parts_.version.server().ToString());
      response->set_storageversion(parts_.version.cluster().ToString());
      // One member, which leads itself; its log is as long as its history.
      response->set_leader(response->header().member_id());
      response->set_raftterm(response->header().raft_term());
      response->set_raftindex(static_cast<std::uint64_t>(current.value));
      response->set_raftappliedindex(static_cast<std::uint64_t>(current.value));
      const BackendSizes sizes = parts_.store.sizes();
      response->set_dbsize(sizes.total.value);
      response->set_dbsizeinuse(sizes.in_use.value);
      response->set_dbsizequota(parts_.alarms.quota());
      const auto target = parts_.version.downgrade();
      response->mutable_downgradeinfo()->set_enabled(target.has_value());
      if (target) response->mutable_downgradeinfo()->set_targetversion(target->ToString());
      for (const AlarmRow& alarm : parts_.alarms.Active(AlarmKind::kAny)) {
        response->add_errors(Text(alarm));
      }
      return {};
    });
  }

  // Only this member can lead, and it does.
  Reactor* MoveLeader(Context* context, const pb::MoveLeaderRequest* request,
                      pb::MoveLeaderResponse* response) override {
    return Unary(context, parts_.backend, [&]() -> watchproof::Status {
      WP_RETURN_IF_ERROR(parts_.gate.AdmitRoot(*context));
      if (request->targetid() != kMemberId) return ErrBadLeaderTransferee();
      FillHeader(parts_.store.current(), response->mutable_header());
      return {};
    });
  }
  Reactor* Downgrade(Context* context, const pb::DowngradeRequest* request,
                     pb::DowngradeResponse* response) override {
    return Unary(context, parts_.backend, [&]() -> watchproof::Status {
      WP_RETURN_IF_ERROR(parts_.gate.AdmitRoot(*context));
      // The version before the call takes effect.
      response->set_version(parts_.version.cluster().MajorMinor());
      FillHeader(parts_.store.current(), response->mutable_header());
      switch (request->action()) {
        case pb::DowngradeRequest::VALIDATE:
          return parts_.version.CheckDowngrade(request->version());
        case pb::DowngradeRequest::ENABLE:
          return parts_.version.EnableDowngrade(request->version());
        case pb::DowngradeRequest::CANCEL:
          parts_.version.CancelDowngrade();
          return {};
        default:
          return ErrUnknownMethod();
      }
    });
  }

  Reactor* Defragment(Context* context, const pb::DefragmentRequest*,
                      pb::DefragmentResponse* response) override {
    return InBackground(context, [this, response] {
      const watchproof::Status done = parts_.backend.Defragment();
      FillHeader(parts_.store.current(), response->mutable_header());
      return done;
    });
  }
  // The hash of everything in the data file.
  Reactor* Hash(Context* context, const pb::HashRequest*, pb::HashResponse* response) override {
    return InBackground(context, [this, response]() -> watchproof::Status {
      FillHeader(parts_.store.current(), response->mutable_header());
      WP_ASSIGN_OR_RETURN(const Content content, ReadSettled(parts_.store));
      WP_ASSIGN_OR_RETURN(const std::uint32_t hash, HashAll(*content.reader));
      response->set_hash(hash);
      return {};
    });
  }
  // The hash of the history up to a revision, as far as it is kept.
  Reactor* HashKV(Context* context, const pb::HashKVRequest* request,
                  pb::HashKVResponse* response) override {
    const Revision at{request->revision()};
    return InBackground(context, [this, at, response] { return FillHashKv(at, *response); });
  }

  grpc::ServerWriteReactor<pb::SnapshotResponse>* Snapshot(Context* context,
                                                           const pb::SnapshotRequest*) override {
    return new SnapshotCall(parts_, parts_.gate.AdmitRoot(*context));
  }

 private:
  // Runs `call` for root.
  template <typename Call>
  Reactor* InBackground(Context* context, const Call& call) {
    Reactor* reactor = context->DefaultReactor();
    if (const auto no = parts_.gate.AdmitRoot(*context); !no.ok()) {
      Finish(reactor, parts_.backend, no);
    } else {
      boost::asio::post(parts_.background,
                        [this, reactor, call] { Finish(reactor, parts_.backend, call()); });
    }
    return reactor;
  }

  watchproof::Status FillHashKv(Revision at, pb::HashKVResponse& response) {
    const Revision current = parts_.store.current();
    FillHeader(current, response.mutable_header());
    if (at.value <= 0) at = current;
    if (at > current) return ErrFutureRevision();
    // The data is read as far as it is safe, and the sum is of everything up to here.
    WP_RETURN_IF_ERROR(AwaitSafe(parts_.backend, parts_.backend.staged()));
    WP_ASSIGN_OR_RETURN(const Content content, ReadSettled(parts_.store));
    if (at < content.floor) return ErrCompacted();
    WP_ASSIGN_OR_RETURN(const std::uint32_t hash, HashChanges(*content.reader, at));
    response.set_hash(hash);
    response.set_compact_revision(content.floor.value);
    response.set_hash_revision(at.value);
    return {};
  }

  ServiceParts& parts_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeMaintenanceService(ServiceParts& parts) {
  return std::make_unique<MaintenanceService>(parts);
}

}  // namespace watchproof::store
