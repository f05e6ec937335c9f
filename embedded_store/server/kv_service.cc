// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/server/kv_service.h"

#include "embedded_store/mvcc/errors.h"
#include "embedded_store/server/convert.h"
#include "embedded_store/server/finish.h"

namespace watchproof::store {
namespace pb = etcdserverpb;
namespace {

template <typename Request>
bool TooLarge(const Request& request) {
  return request.ByteSizeLong() > kMaxRequestBytes;
}

}  // namespace

grpc::ServerUnaryReactor* KvService::Refused(grpc::CallbackServerContext* context,
                                             const Status& status) {
  return Finish(context, backend_, backend_.staged(), status);
}

template <typename Answer, typename Response>
grpc::ServerUnaryReactor* KvService::Answered(grpc::CallbackServerContext* context,
                                              const Result<Answer>& answer, Response* response) {
  if (!answer) return Refused(context, answer.error());
  ToWire(*answer, response);
  FillIdentity(response->mutable_header());
  return Finish(context, backend_, answer->ticket, Status());
}

grpc::ServerUnaryReactor* KvService::Range(grpc::CallbackServerContext* context,
                                           const pb::RangeRequest* request,
                                           pb::RangeResponse* response) {
  const Result<RangeQuery> query = FromWire(*request);
  if (!query) return Refused(context, query.error());
  return Answered(context, store_.Range(*query), response);
}

grpc::ServerUnaryReactor* KvService::Put(grpc::CallbackServerContext* context,
                                         const pb::PutRequest* request, pb::PutResponse* response) {
  if (TooLarge(*request)) return Refused(context, ErrRequestTooLarge());
  return Answered(context, store_.Put(FromWire(*request)), response);
}

grpc::ServerUnaryReactor* KvService::DeleteRange(grpc::CallbackServerContext* context,
                                                 const pb::DeleteRangeRequest* request,
                                                 pb::DeleteRangeResponse* response) {
  if (TooLarge(*request)) return Refused(context, ErrRequestTooLarge());
  return Answered(context, store_.DeleteRange(FromWire(*request)), response);
}

grpc::ServerUnaryReactor* KvService::Txn(grpc::CallbackServerContext* context,
                                         const pb::TxnRequest* request, pb::TxnResponse* response) {
  if (TooLarge(*request)) return Refused(context, ErrRequestTooLarge());
  const Result<TxnOp> txn = FromWire(*request);
  if (!txn) return Refused(context, txn.error());
  return Answered(context, store_.Txn(*txn), response);
}

grpc::ServerUnaryReactor* KvService::Compact(grpc::CallbackServerContext* context,
                                             const pb::CompactionRequest* request,
                                             pb::CompactionResponse* response) {
  const Result<CompactAnswer> answer = store_.Compact(Revision{request->revision()});
  if (!answer) return Refused(context, answer.error());
  FillHeader(answer->revision, response->mutable_header());
  if (!request->physical()) {
    background_.Post([this] { ForgetRest(); });
    return Finish(context, backend_, answer->ticket, Status());
  }
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  background_.Post([this, reactor] {
    ForgetRest();
    Finish(reactor, backend_, backend_.staged(), Status());
  });
  return reactor;
}

void KvService::ForgetRest() {
  // Each step is written before the next one is made, so that writers share the disk with it.
  while (store_.CompactStep()) {
    if (!AwaitSafe(backend_, backend_.staged()).ok()) return;
  }
}

grpc::ServerUnaryReactor* MaintenanceService::Status(grpc::CallbackServerContext* context,
                                                     const pb::StatusRequest*,
                                                     pb::StatusResponse* response) {
  const Revision current = store_.current();
  FillHeader(current, response->mutable_header());
  response->set_version(version_);
  // One member, which leads itself; its log is as long as its history.
  response->set_leader(response->header().member_id());
  response->set_raftterm(response->header().raft_term());
  response->set_raftindex(static_cast<std::uint64_t>(current.value));
  response->set_raftappliedindex(static_cast<std::uint64_t>(current.value));
  return Finish(context, backend_, backend_.staged(), watchproof::Status());
}

}  // namespace watchproof::store
