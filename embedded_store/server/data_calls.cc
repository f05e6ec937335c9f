// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/server/data_calls.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "embedded_store/backend/snapshot.h"
#include "embedded_store/mvcc/errors.h"
#include "embedded_store/mvcc/store_hash.h"
#include "embedded_store/server/convert.h"
#include "embedded_store/server/finish.h"

namespace watchproof::store {
namespace pb = etcdserverpb;
namespace {

constexpr std::size_t kPieceBytes = 32 * 1024;

}  // namespace

// Sends piece after piece, each when the one before it has left.
class DataCalls::SnapshotCall final : public grpc::ServerWriteReactor<pb::SnapshotResponse> {
 public:
  SnapshotCall(DataCalls& calls, const Status& refusal) : calls_(calls) {
    {
      MutexLock lock(calls_.mu_);
      ++calls_.snapshots_;
    }
    if (!refusal.ok()) {
      Finish(ToGrpc(refusal));
      return;
    }
    auto reader = calls_.store_.Read();
    if (!reader) {
      Finish(ToGrpc(reader.error()));
      return;
    }
    left_ = calls_.store_.sizes().in_use.value;
    snapshot_.emplace(*std::move(reader));
    Result<std::string> first = snapshot_->Next(kPieceBytes);
    if (!first) {
      Finish(ToGrpc(first.error()));
      return;
    }
    ahead_ = *std::move(first);
    SendNext();
  }

 private:
  void OnWriteDone(bool ok) override {
    if (ok) return SendNext();
    Finish(grpc::Status(grpc::StatusCode::CANCELLED, "the client has gone"));
  }
  void OnDone() override {
    snapshot_.reset();
    DataCalls& calls = calls_;
    delete this;
    MutexLock lock(calls.mu_);
    --calls.snapshots_;
    calls.idle_.NotifyAll();
  }
  void SendNext() {
    if (ahead_.empty()) return Finish(grpc::Status());
    Result<std::string> following = snapshot_->Next(kPieceBytes);
    if (!following) return Finish(ToGrpc(following.error()));
    // The stream is not as long as the data it is made of, so this is a guess until the last piece.
    left_ = std::max<std::int64_t>(left_ - static_cast<std::int64_t>(ahead_.size()), 1);
    response_.set_remaining_bytes(following->empty() ? 0 : static_cast<std::uint64_t>(left_));
    FillIdentity(response_.mutable_header());
    response_.set_blob(std::exchange(ahead_, *std::move(following)));
    StartWrite(&response_);
  }

  DataCalls& calls_;
  std::optional<store::Snapshot> snapshot_;
  std::string ahead_;  // the piece after the one that is being written
  std::int64_t left_ = 0;
  pb::SnapshotResponse response_;
};

grpc::ServerWriteReactor<pb::SnapshotResponse>* DataCalls::Snapshot(const Status& refusal) {
  return new SnapshotCall(*this, refusal);
}

void DataCalls::AwaitIdle() {
  MutexLock lock(mu_);
  while (snapshots_ > 0) idle_.Wait(mu_);
}

grpc::ServerUnaryReactor* DataCalls::Defragment(grpc::CallbackServerContext* context,
                                                pb::DefragmentResponse* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  background_.Post([this, reactor, response] {
    const Status done = backend_.Defragment();
    FillHeader(store_.current(), response->mutable_header());
    Finish(reactor, backend_, done);
  });
  return reactor;
}

Result<DataCalls::Content> DataCalls::ReadSettled() {
  while (true) {
    store_.FinishCompaction();
    const Revision floor = store_.compacted();
    WP_ASSIGN_OR_RETURN(std::unique_ptr<BackendReader> reader, store_.Read());
    // One that came in between may have erased a part.
    if (store_.compacted() == floor) return Content{.reader = std::move(reader), .floor = floor};
  }
}

grpc::ServerUnaryReactor* DataCalls::Hash(grpc::CallbackServerContext* context,
                                          pb::HashResponse* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  background_.Post([this, reactor, response] {
    FillHeader(store_.current(), response->mutable_header());
    const Result<Content> content = ReadSettled();
    const Result<std::uint32_t> hash = content ? HashAll(*content->reader) : content.error();
    if (hash) response->set_hash(*hash);
    Finish(reactor, backend_, hash ? Status() : hash.error());
  });
  return reactor;
}

grpc::ServerUnaryReactor* DataCalls::HashKv(grpc::CallbackServerContext* context,
                                            const pb::HashKVRequest& request,
                                            pb::HashKVResponse* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  background_.Post([this, reactor, at = Revision{request.revision()}, response] {
    const Status filled = FillHashKv(at, *response);
    Finish(reactor, backend_, filled);
  });
  return reactor;
}

Status DataCalls::FillHashKv(Revision at, pb::HashKVResponse& response) {
  const Revision current = store_.current();
  FillHeader(current, response.mutable_header());
  if (at.value <= 0) at = current;
  if (at > current) return ErrFutureRevision();
  // The data is read as far as it is safe, and the sum is of everything up to here.
  WP_RETURN_IF_ERROR(AwaitSafe(backend_, backend_.staged()));
  Result<Content> content = ReadSettled();
  if (!content) return content.error();
  if (at < content->floor) return ErrCompacted();
  const Result<std::uint32_t> hash = HashChanges(*content->reader, at);
  if (!hash) return hash.error();
  response.set_hash(*hash);
  response.set_compact_revision(content->floor.value);
  return {};
}

}  // namespace watchproof::store
