// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/server/kv_service.h"

#include "embedded_store/mvcc/errors.h"
#include "embedded_store/server/convert.h"

namespace watchproof::store {
namespace pb = etcdserverpb;
namespace {

grpc::ServerUnaryReactor* Finish(grpc::CallbackServerContext* context, const Status& status) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(ToGrpc(status));
  return reactor;
}

template <typename Answer, typename Response>
grpc::ServerUnaryReactor* Finish(grpc::CallbackServerContext* context, const Result<Answer>& answer,
                                 Response* response) {
  if (!answer) return Finish(context, answer.error());
  ToWire(*answer, response);
  FillIdentity(response->mutable_header());
  return Finish(context, Status());
}

template <typename Request>
bool TooLarge(const Request& request) {
  return request.ByteSizeLong() > kMaxRequestBytes;
}

}  // namespace

grpc::ServerUnaryReactor* KvService::Range(grpc::CallbackServerContext* context,
                                           const pb::RangeRequest* request,
                                           pb::RangeResponse* response) {
  const Result<RangeQuery> query = FromWire(*request);
  if (!query) return Finish(context, query.error());
  return Finish(context, store_.Range(*query), response);
}

grpc::ServerUnaryReactor* KvService::Put(grpc::CallbackServerContext* context,
                                         const pb::PutRequest* request, pb::PutResponse* response) {
  if (TooLarge(*request)) return Finish(context, ErrRequestTooLarge());
  const Result<PutAnswer> answer = store_.Put(FromWire(*request));
  if (answer) hub_.CommitMade();
  return Finish(context, answer, response);
}

grpc::ServerUnaryReactor* KvService::DeleteRange(grpc::CallbackServerContext* context,
                                                 const pb::DeleteRangeRequest* request,
                                                 pb::DeleteRangeResponse* response) {
  if (TooLarge(*request)) return Finish(context, ErrRequestTooLarge());
  const Result<DeleteAnswer> answer = store_.DeleteRange(FromWire(*request));
  if (answer && answer->deleted > 0) hub_.CommitMade();
  return Finish(context, answer, response);
}

grpc::ServerUnaryReactor* KvService::Txn(grpc::CallbackServerContext* context,
                                         const pb::TxnRequest* request, pb::TxnResponse* response) {
  if (TooLarge(*request)) return Finish(context, ErrRequestTooLarge());
  const Result<TxnOp> txn = FromWire(*request);
  if (!txn) return Finish(context, txn.error());
  const Result<TxnAnswer> answer = store_.Txn(*txn);
  if (answer) hub_.CommitMade();
  return Finish(context, answer, response);
}

grpc::ServerUnaryReactor* KvService::Compact(grpc::CallbackServerContext* context,
                                             const pb::CompactionRequest* request,
                                             pb::CompactionResponse* response) {
  const Result<Revision> current = store_.Compact(Revision{request->revision()});
  if (!current) return Finish(context, current.error());
  FillHeader(*current, response->mutable_header());
  return Finish(context, Status());
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
  return Finish(context, watchproof::Status());
}

}  // namespace watchproof::store
