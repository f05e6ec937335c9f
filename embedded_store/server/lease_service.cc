// SPDX-License-Identifier: Apache-2.0
// etcd's Lease service.
//
// A keep-alive stream answers one request before it reads the next, so a client that reads nothing
// makes it hold one answer.
#include "embedded_store/server/services.h"
#include "fixtures/protos/rpc_lease.grpc.pb.h"

namespace watchproof::store {
namespace {

// One open keep-alive stream: read, renew, write, and again. Only one of read and write is ever in
// flight, and each is started by the completion of the other, so nothing here needs a lock.
class KeepAliveCall final
    : public grpc::ServerBidiReactor<pb::LeaseKeepAliveRequest, pb::LeaseKeepAliveResponse> {
 public:
  KeepAliveCall(ServiceParts& parts, const Context& context) : parts_(parts), context_(context) {
    StartRead(&request_);
  }
  void OnReadDone(bool ok) override {
    if (!ok) return Finish(grpc::Status::OK);  // the client has no more to ask
    const Status no = parts_.gate.AdmitLeases(context_, {request_.id()}, Right::kWrite);
    if (!no.ok()) return Finish(ToGrpc(no));
    const auto ttl = parts_.lessor.KeepAlive(request_.id(), Clock::now());
    response_.Clear();
    FillHeader(parts_.store.current(), response_.mutable_header());
    response_.set_id(request_.id());
    response_.set_ttl(ttl ? ttl->count() : 0);
    parts_.backend.WhenSafe(parts_.backend.staged(), [this](const Status& safe) {
      if (safe.ok()) return StartWrite(&response_);
      Finish(ToGrpc(safe));
    });
  }
  void OnWriteDone(bool ok) override {
    if (!ok) return Finish(grpc::Status::CANCELLED);
    StartRead(&request_);
  }
  void OnDone() override { delete this; }

 private:
  ServiceParts& parts_;
  const Context& context_;               // valid until the call ends
  pb::LeaseKeepAliveRequest request_;    // lent to gRPC while reading
  pb::LeaseKeepAliveResponse response_;  // lent to gRPC while writing
};

class LeaseService final : public pb::Lease::CallbackService {
 public:
  explicit LeaseService(ServiceParts& parts) : parts_(parts) {}

  Reactor* LeaseGrant(Context* context, const pb::LeaseGrantRequest* request,
                      pb::LeaseGrantResponse* response) override {
    return Unary(context, parts_.backend, [&]() -> Result<Ticket> {
      WP_RETURN_IF_ERROR(parts_.gate.AdmitUser(*context));
      WP_RETURN_IF_ERROR(parts_.alarms.AdmitGrowth(kCostOfLease));
      const LeaseRequest asked{.id = request->id(), .ttl = std::chrono::seconds(request->ttl())};
      WP_ASSIGN_OR_RETURN(const Granted granted, parts_.lessor.Grant(asked, Clock::now()));
      parts_.leases.Granted();
      FillHeader(granted.revision, response->mutable_header());
      response->set_id(granted.id);
      response->set_ttl(granted.ttl.count());
      return granted.ticket;
    });
  }

  Reactor* LeaseRevoke(Context* context, const pb::LeaseRevokeRequest* request,
                       pb::LeaseRevokeResponse* response) override {
    return Unary(context, parts_.backend, [&]() -> Result<Ticket> {
      WP_RETURN_IF_ERROR(parts_.gate.AdmitLeases(*context, {request->id()}, Right::kWrite));
      WP_ASSIGN_OR_RETURN(const DeleteAnswer revoked, parts_.lessor.Revoke(request->id()));
      FillHeader(revoked.revision, response->mutable_header());
      return revoked.ticket;
    });
  }

  grpc::ServerBidiReactor<pb::LeaseKeepAliveRequest, pb::LeaseKeepAliveResponse>* LeaseKeepAlive(
      Context* context) override {
    return new KeepAliveCall(parts_, *context);
  }

  Reactor* LeaseTimeToLive(Context* context, const pb::LeaseTimeToLiveRequest* request,
                           pb::LeaseTimeToLiveResponse* response) override {
    return Unary(context, parts_.backend, [&]() -> Status {
      // The keys of a lease are shown only to users with the right to read them.
      WP_RETURN_IF_ERROR(request->keys()
                             ? parts_.gate.AdmitLeases(*context, {request->id()}, Right::kRead)
                             : parts_.gate.AdmitUser(*context));
      const auto state = parts_.lessor.Find(request->id(), Clock::now());
      FillHeader(parts_.store.current(), response->mutable_header());
      response->set_id(request->id());
      response->set_ttl(state ? state->remaining.count() : -1);
      if (!state) return {};
      response->set_grantedttl(state->granted.count());
      if (request->keys()) response->mutable_keys()->Assign(state->keys.begin(), state->keys.end());
      return {};
    });
  }

  Reactor* LeaseLeases(Context* context, const pb::LeaseLeasesRequest*,
                       pb::LeaseLeasesResponse* response) override {
    return Unary(context, parts_.backend, [&]() -> Status {
      const std::vector<LeaseId> leases = parts_.lessor.List();
      WP_RETURN_IF_ERROR(parts_.gate.AdmitLeases(*context, leases, Right::kRead));
      FillHeader(parts_.store.current(), response->mutable_header());
      for (const LeaseId id : leases) response->add_leases()->set_id(id);
      return {};
    });
  }

 private:
  ServiceParts& parts_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeLeaseService(ServiceParts& parts) {
  return std::make_unique<LeaseService>(parts);
}

}  // namespace watchproof::store
