// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/server/lease_service.h"

#include "embedded_store/server/convert.h"
#include "embedded_store/server/finish.h"

namespace watchproof::store {
namespace pb = etcdserverpb;
namespace {

std::chrono::seconds Seconds(std::int64_t count) { return std::chrono::seconds(count); }

// One open keep-alive stream: read, renew, write, and again. Only one of read and write is ever in
// flight, and each is started by the completion of the other, so nothing here needs a lock.
class KeepAliveCall final
    : public grpc::ServerBidiReactor<pb::LeaseKeepAliveRequest, pb::LeaseKeepAliveResponse> {
 public:
  KeepAliveCall(Lessor& lessor, MvccStore& store, Backend& backend, const Gate& gate,
                const grpc::CallbackServerContext& context)
      : lessor_(lessor), store_(store), backend_(backend), gate_(gate), context_(context) {
    StartRead(&request_);
  }
  void OnReadDone(bool ok) override {
    if (!ok) return Finish(grpc::Status::OK);  // the client has no more to ask
    const Status no = gate_.AdmitLeases(context_, {request_.id()}, Right::kWrite);
    if (!no.ok()) return Finish(ToGrpc(no));
    const auto ttl = lessor_.KeepAlive(request_.id(), Clock::now());
    response_.Clear();
    FillHeader(store_.current(), response_.mutable_header());
    response_.set_id(request_.id());
    response_.set_ttl(ttl ? ttl->count() : 0);
    backend_.WhenSafe(backend_.staged(), [this](const Status& safe) {
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
  Lessor& lessor_;
  MvccStore& store_;
  Backend& backend_;
  const Gate& gate_;
  const grpc::CallbackServerContext& context_;  // valid until the call ends
  pb::LeaseKeepAliveRequest request_;           // lent to gRPC while reading
  pb::LeaseKeepAliveResponse response_;         // lent to gRPC while writing
};

}  // namespace

grpc::ServerUnaryReactor* LeaseService::LeaseGrant(grpc::CallbackServerContext* context,
                                                   const pb::LeaseGrantRequest* request,
                                                   pb::LeaseGrantResponse* response) {
  if (const Status no = gate_.AdmitUser(*context); !no.ok()) return Finish(context, backend_, no);
  if (const Status no = alarms_.AdmitGrowth(kCostOfLease); !no.ok()) {
    return Finish(context, backend_, no);
  }
  const auto granted =
      lessor_.Grant({.id = request->id(), .ttl = Seconds(request->ttl())}, Clock::now());
  if (!granted) return Finish(context, backend_, granted.error());
  thread_.Granted();
  FillHeader(granted->revision, response->mutable_header());
  response->set_id(granted->id);
  response->set_ttl(granted->ttl.count());
  return Finish(context, backend_, granted->ticket, Status());
}

grpc::ServerUnaryReactor* LeaseService::LeaseRevoke(grpc::CallbackServerContext* context,
                                                    const pb::LeaseRevokeRequest* request,
                                                    pb::LeaseRevokeResponse* response) {
  const Status no = gate_.AdmitLeases(*context, {request->id()}, Right::kWrite);
  if (!no.ok()) return Finish(context, backend_, no);
  const auto revoked = lessor_.Revoke(request->id());
  if (!revoked) return Finish(context, backend_, revoked.error());
  FillHeader(revoked->revision, response->mutable_header());
  return Finish(context, backend_, revoked->ticket, Status());
}

grpc::ServerBidiReactor<pb::LeaseKeepAliveRequest, pb::LeaseKeepAliveResponse>*
LeaseService::LeaseKeepAlive(grpc::CallbackServerContext* context) {
  return new KeepAliveCall(lessor_, store_, backend_, gate_, *context);
}

grpc::ServerUnaryReactor* LeaseService::LeaseTimeToLive(grpc::CallbackServerContext* context,
                                                        const pb::LeaseTimeToLiveRequest* request,
                                                        pb::LeaseTimeToLiveResponse* response) {
  // The keys of a lease are shown only to users with the right to read them.
  const Status no = request->keys() ? gate_.AdmitLeases(*context, {request->id()}, Right::kRead)
                                    : gate_.AdmitUser(*context);
  if (!no.ok()) return Finish(context, backend_, no);
  const auto state = lessor_.Find(request->id(), Clock::now());
  FillHeader(store_.current(), response->mutable_header());
  response->set_id(request->id());
  response->set_ttl(state ? state->remaining.count() : -1);
  if (state) {
    response->set_grantedttl(state->granted.count());
    if (request->keys()) response->mutable_keys()->Assign(state->keys.begin(), state->keys.end());
  }
  return Finish(context, backend_, Status());
}

grpc::ServerUnaryReactor* LeaseService::LeaseLeases(grpc::CallbackServerContext* context,
                                                    const pb::LeaseLeasesRequest*,
                                                    pb::LeaseLeasesResponse* response) {
  const std::vector<LeaseId> leases = lessor_.List();
  const Status no = gate_.AdmitLeases(*context, leases, Right::kRead);
  if (!no.ok()) return Finish(context, backend_, no);
  FillHeader(store_.current(), response->mutable_header());
  for (const LeaseId id : leases) response->add_leases()->set_id(id);
  return Finish(context, backend_, Status());
}

}  // namespace watchproof::store
