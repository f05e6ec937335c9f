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

template <typename Change>
Status KvService::AdmitChange(grpc::CallbackServerContext* context, const Change& change) {
  WP_RETURN_IF_ERROR(gate_.Admit(*context, change));
  return alarms_.AdmitGrowth(CostOf(change));
}

template <typename Answer, typename Response>
grpc::ServerUnaryReactor* KvService::Answered(grpc::CallbackServerContext* context,
                                              const Result<Answer>& answer, Response* response) {
  if (!answer) return Finish(context, backend_, answer.error());
  ToWire(*answer, response);
  FillIdentity(response->mutable_header());
  return Finish(context, backend_, answer->ticket, Status());
}

grpc::ServerUnaryReactor* KvService::Range(grpc::CallbackServerContext* context,
                                           const pb::RangeRequest* request,
                                           pb::RangeResponse* response) {
  const Result<RangeQuery> query = FromWire(*request);
  if (!query) return Finish(context, backend_, query.error());
  if (const Status no = gate_.Admit(*context, *query); !no.ok())
    return Finish(context, backend_, no);
  return Answered(context, store_.Range(*query), response);
}

grpc::ServerUnaryReactor* KvService::Put(grpc::CallbackServerContext* context,
                                         const pb::PutRequest* request, pb::PutResponse* response) {
  if (TooLarge(*request)) return Finish(context, backend_, ErrRequestTooLarge());
  const PutOp put = FromWire(*request);
  if (const Status no = AdmitChange(context, put); !no.ok()) return Finish(context, backend_, no);
  return Answered(context, store_.Put(put), response);
}

grpc::ServerUnaryReactor* KvService::DeleteRange(grpc::CallbackServerContext* context,
                                                 const pb::DeleteRangeRequest* request,
                                                 pb::DeleteRangeResponse* response) {
  if (TooLarge(*request)) return Finish(context, backend_, ErrRequestTooLarge());
  const DeleteOp removal = FromWire(*request);
  if (const Status no = AdmitChange(context, removal); !no.ok())
    return Finish(context, backend_, no);
  return Answered(context, store_.DeleteRange(removal), response);
}

grpc::ServerUnaryReactor* KvService::Txn(grpc::CallbackServerContext* context,
                                         const pb::TxnRequest* request, pb::TxnResponse* response) {
  if (TooLarge(*request)) return Finish(context, backend_, ErrRequestTooLarge());
  const Result<TxnOp> txn = FromWire(*request);
  if (!txn) return Finish(context, backend_, txn.error());
  if (const Status no = AdmitChange(context, *txn); !no.ok()) return Finish(context, backend_, no);
  return Answered(context, store_.Txn(*txn), response);
}

grpc::ServerUnaryReactor* KvService::Compact(grpc::CallbackServerContext* context,
                                             const pb::CompactionRequest* request,
                                             pb::CompactionResponse* response) {
  if (const Status no = gate_.AdmitRoot(*context); !no.ok()) return Finish(context, backend_, no);
  const Result<CompactAnswer> answer = store_.Compact(Revision{request->revision()});
  if (!answer) return Finish(context, backend_, answer.error());
  FillHeader(answer->revision, response->mutable_header());
  if (!request->physical()) {
    background_.Post([this] { store_.FinishCompaction(); });
    return Finish(context, backend_, answer->ticket, Status());
  }
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  background_.Post([this, reactor] {
    store_.FinishCompaction();
    Finish(reactor, backend_, Status());
  });
  return reactor;
}

}  // namespace watchproof::store
