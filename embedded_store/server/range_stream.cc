// SPDX-License-Identifier: Apache-2.0
// etcd's RangeStream: a range in pieces, all of them as of one revision, so that neither side holds
// the whole of a large one.
//
// Each piece is read when the one before it has left; a compaction meanwhile can therefore end the
// stream with ErrCompacted, as in etcd. Threads: gRPC's, and the backend's. Ownership: the call
// owns itself; it borrows the parts and is counted in their long_reads.
#include <algorithm>
#include <optional>
#include <utility>

#include "embedded_store/mvcc/errors.h"
#include "embedded_store/mvcc/txn_check.h"
#include "embedded_store/server/services.h"

namespace watchproof::store {
namespace {

constexpr std::int64_t kKeysOfFirstPiece = 10;

Status CheckStreamed(const RangeQuery& query) {
  WP_RETURN_IF_ERROR(CheckRequest(query));
  // As etcd refuses them: another target without an order is sorted all the same.
  const bool by_key = query.order == SortOrder::kAscend && query.target == SortTarget::kKey;
  if (query.order != SortOrder::kNone && !by_key) return ErrStreamSorted();
  return query.bounded() ? ErrStreamBounded() : Status();
}

class RangeStreamCall final : public grpc::ServerWriteReactor<pb::RangeStreamResponse> {
 public:
  RangeStreamCall(ServiceParts& parts, Result<RangeQuery> admitted) : parts_(parts) {
    parts_.long_reads.Enter();
    if (admitted) query_ = *std::move(admitted);
    const Status begun = admitted ? CheckStreamed(query_) : admitted.error();
    if (query_.limit > 0) left_ = query_.limit;
    if (begun.ok()) {
      SendNext();
    } else {
      Finish(ToGrpc(begun));
    }
  }

 private:
  void OnWriteDone(bool ok) override {
    if (!ok) return Finish(grpc::Status(grpc::StatusCode::CANCELLED, "the client has gone"));
    if (ended_) return Finish(grpc::Status());
    AdjustPiece(response_.ByteSizeLong());
    SendNext();
  }
  void OnDone() override {
    OpenCalls& open = parts_.long_reads;
    delete this;
    open.Leave();
  }

  void SendNext() {
    // Sorted pieces are not a sorted whole, so what is sorted goes in one.
    const bool whole = query_.target != SortTarget::kKey;
    query_.limit = whole ? left_.value_or(0) : std::min(piece_, left_.value_or(piece_));
    Result<RangeAnswer> read = parts_.store.Range(query_);
    if (!read) return Finish(ToGrpc(read.error()));
    Fill(*read);
    // What was read may still be on its way to the disk.
    parts_.backend.WhenSafe(read->ticket, [this](const Status& safe) {
      if (safe.ok()) return StartWrite(&response_);
      Finish(ToGrpc(safe));
    });
  }

  void Fill(const RangeAnswer& read) {
    if (!first_) {
      first_ = First{.revision = read.revision, .count = read.count};
      if (query_.at.value <= 0) query_.at = read.revision;
      query_.count_all = false;
    }
    const auto keys = static_cast<std::int64_t>(read.kvs.size());
    if (left_) *left_ -= keys;
    ended_ = !read.more || left_ == 0;
    response_.Clear();
    pb::RangeResponse& range = *response_.mutable_range_response();
    ToWire(read, &range);
    range.clear_header();
    range.clear_count();
    range.clear_more();
    if (!ended_) {
      // The next key there can be.
      query_.range.begin = read.kvs.back().key + '\0';
      return;
    }
    FillHeader(first_->revision, range.mutable_header());
    range.set_more(read.more);
    range.set_count(first_->count);
  }

  // Towards pieces of the size of the largest request.
  void AdjustPiece(std::size_t bytes) {
    if (bytes < kMaxRequestBytes / 2) piece_ *= 2;
    if (bytes > kMaxRequestBytes * 2) piece_ = std::max<std::int64_t>(piece_ / 2, 1);
  }

  struct First {
    Revision revision;
    std::int64_t count;  // of the whole range
  };

  ServiceParts& parts_;
  RangeQuery query_;                  // of the next piece
  std::optional<std::int64_t> left_;  // of the limit; none: there is no limit
  std::int64_t piece_ = kKeysOfFirstPiece;
  std::optional<First> first_;
  bool ended_ = false;
  pb::RangeStreamResponse response_;
};

}  // namespace

grpc::ServerWriteReactor<pb::RangeStreamResponse>* StreamRange(ServiceParts& parts,
                                                               Result<RangeQuery> admitted) {
  return new RangeStreamCall(parts, std::move(admitted));
}

}  // namespace watchproof::store
