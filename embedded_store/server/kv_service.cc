// SPDX-License-Identifier: Apache-2.0
// etcd's KV service.
#include <boost/asio/post.hpp>

#include "embedded_store/mvcc/errors.h"
#include "embedded_store/server/services.h"
#include "fixtures/protos/rpc.grpc.pb.h"

namespace watchproof::store {
namespace {

class KvService final : public pb::KV::CallbackService {
 public:
  explicit KvService(ServiceParts& parts) : parts_(parts) {}

  Reactor* Range(Context* context, const pb::RangeRequest* request,
                 pb::RangeResponse* response) override {
    return Unary(context, parts_.backend, [&]() -> Result<Ticket> {
      WP_ASSIGN_OR_RETURN(const RangeQuery query, FromWire(*request));
      WP_RETURN_IF_ERROR(parts_.gate.Admit(*context, query));
      return Fill(parts_.store.Range(query), response);
    });
  }
  grpc::ServerWriteReactor<pb::RangeStreamResponse>* RangeStream(
      Context* context, const pb::RangeRequest* request) override {
    return StreamRange(parts_, [&]() -> Result<RangeQuery> {
      WP_ASSIGN_OR_RETURN(const RangeQuery query, FromWire(*request));
      WP_RETURN_IF_ERROR(parts_.gate.Admit(*context, query));
      return query;
    }());
  }
  Reactor* Put(Context* context, const pb::PutRequest* request,
               pb::PutResponse* response) override {
    return Change(context, *request, &MvccStore::Put, response);
  }
  Reactor* DeleteRange(Context* context, const pb::DeleteRangeRequest* request,
                       pb::DeleteRangeResponse* response) override {
    return Change(context, *request, &MvccStore::DeleteRange, response);
  }
  Reactor* Txn(Context* context, const pb::TxnRequest* request,
               pb::TxnResponse* response) override {
    return Change(context, *request, &MvccStore::Txn, response);
  }

  Reactor* Compact(Context* context, const pb::CompactionRequest* request,
                   pb::CompactionResponse* response) override {
    Reactor* reactor = context->DefaultReactor();
    Result<Ticket> compacted = Floor(*context, Revision{request->revision()}, response);
    const bool physical = compacted.has_value() && request->physical();
    if (compacted) {
      boost::asio::post(parts_.background, [this, physical, reactor] {
        parts_.store.FinishCompaction();
        if (physical) Finish(reactor, parts_.backend, Status());
      });
    }
    if (!physical) Finish(reactor, parts_.backend, compacted);
    return reactor;
  }

 private:
  template <typename Done, typename Response>
  static Result<Ticket> Fill(const Result<Done>& answer, Response* response) {
    if (!answer) return answer.error();
    ToWire(*answer, response);
    FillIdentity(response->mutable_header());
    return answer->ticket;
  }

  // Admitted by the caller's rights, by alarms and by the quota.
  template <typename Request, typename Op, typename Done, typename Response>
  Reactor* Change(Context* context, const Request& request,
                  Result<Done> (MvccStore::*change)(const Op&), Response* response) {
    return Unary(context, parts_.backend, [&]() -> Result<Ticket> {
      if (request.ByteSizeLong() > kMaxRequestBytes) return ErrRequestTooLarge();
      WP_ASSIGN_OR_RETURN(const Op op, FromWire(request));
      WP_RETURN_IF_ERROR(parts_.gate.Admit(*context, op));
      WP_RETURN_IF_ERROR(parts_.alarms.AdmitGrowth(CostOf(op)));
      return Fill((parts_.store.*change)(op), response);
    });
  }

  Result<Ticket> Floor(const Context& context, Revision floor, pb::CompactionResponse* response) {
    WP_RETURN_IF_ERROR(parts_.gate.AdmitRoot(context));
    WP_ASSIGN_OR_RETURN(const CompactAnswer answer, parts_.store.Compact(floor));
    FillHeader(answer.revision, response->mutable_header());
    return answer.ticket;
  }

  ServiceParts& parts_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeKvService(ServiceParts& parts) {
  return std::make_unique<KvService>(parts);
}

}  // namespace watchproof::store
