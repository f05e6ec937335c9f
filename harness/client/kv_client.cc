// SPDX-License-Identifier: Apache-2.0
#include "harness/client/kv_client.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>

#include "fixtures/protos/rpc.grpc.pb.h"
#include "fixtures/protos/rpc_lease.grpc.pb.h"
#include "harness/base/mutex.h"
#include "harness/client/channel.h"

namespace watchproof {

using etcdserverpb::KV;
using etcdserverpb::Lease;

namespace {

etcdserverpb::PutRequest PutOf(const WriteOp& write) {
  etcdserverpb::PutRequest put;
  put.set_key(write.key);
  put.set_value(write.value);
  put.set_lease(write.lease);
  put.set_prev_kv(write.previous);
  put.set_ignore_value(write.keeps_value);
  put.set_ignore_lease(write.keeps_lease);
  return put;
}

etcdserverpb::DeleteRangeRequest DeletionOf(const WriteOp& write) {
  etcdserverpb::DeleteRangeRequest deletion;
  deletion.set_key(write.key);
  deletion.set_range_end(write.range_end);
  deletion.set_prev_kv(write.previous);
  return deletion;
}
etcdserverpb::TxnRequest TxnOf(const std::vector<WriteOp>& writes) {
  etcdserverpb::TxnRequest request;
  for (const WriteOp& write : writes) {
    etcdserverpb::RequestOp& operation = *request.add_success();
    switch (write.kind) {
      case WriteOp::Kind::kPut:
        *operation.mutable_request_put() = PutOf(write);
        break;
      case WriteOp::Kind::kDelete:
        *operation.mutable_request_delete_range() = DeletionOf(write);
        break;
      case WriteOp::Kind::kRead:
        operation.mutable_request_range()->set_key(write.key);
        operation.mutable_request_range()->set_range_end(write.range_end);
        operation.mutable_request_range()->set_revision(write.revision.value);
        break;
      case WriteOp::Kind::kTxn:
        *operation.mutable_request_txn() = TxnOf(write.writes);
        break;
    }
  }
  return request;
}

}  // namespace

class KvClient::Impl {
 public:
  Impl(RecordingContext& context, const std::string& endpoint, const KvOptions& options)
      : context_(context),
        options_(options),
        channel_(MakeChannel(endpoint)),
        kv_(KV::NewStub(channel_)),
        lease_(Lease::NewStub(channel_)) {}

  template <typename Request, typename Response>
  using Rpc = grpc::Status (KV::Stub::*)(grpc::ClientContext*, const Request&, Response*);
  template <typename Request, typename Response>
  using LeaseRpc = grpc::Status (Lease::Stub::*)(grpc::ClientContext*, const Request&, Response*);

  template <typename Request, typename Response>
  Result<Revision> Call(Method method, const Request& request, Rpc<Request, Response> rpc) {
    WP_ASSIGN_OR_RETURN(const auto response, Record<Response>(method, *kv_, request, rpc));
    return Revision(response.header().revision());
  }
  template <typename Request, typename Response>
  Result<Response> Call(Method method, const Request& request, LeaseRpc<Request, Response> rpc) {
    return Record<Response>(method, *lease_, request, rpc);
  }
  // One request and one answer on a stream of its own.
  Result<etcdserverpb::LeaseKeepAliveResponse> KeepAlive(
      const etcdserverpb::LeaseKeepAliveRequest& request) {
    const auto exchange = [](Lease::Stub& stub, grpc::ClientContext* context,
                             const etcdserverpb::LeaseKeepAliveRequest& sent,
                             etcdserverpb::LeaseKeepAliveResponse* answer) {
      const auto stream = stub.LeaseKeepAlive(context);
      stream->Write(sent);
      stream->WritesDone();
      const bool answered = stream->Read(answer);
      const grpc::Status status = stream->Finish();
      if (answered || !status.ok()) return status;
      return grpc::Status(grpc::StatusCode::UNKNOWN, "the stream ended without an answer");
    };
    return Record<etcdserverpb::LeaseKeepAliveResponse>(Method::kLeaseKeepAlive, *lease_, request,
                                                        exchange);
  }
  template <typename Request, typename Response>
  Result<Response> Ask(const Request& request, Rpc<Request, Response> rpc) {
    Response response;
    const Status status = Send(*kv_, request, rpc, response);
    if (!status.ok()) return status;
    return response;
  }
  template <typename Request, typename Response>
  Result<Response> Ask(const Request& request, LeaseRpc<Request, Response> rpc) {
    Response response;
    const Status status = Send(*lease_, request, rpc, response);
    if (!status.ok()) return status;
    return response;
  }

  void SetToken(const std::string& token) { token_ = token; }
  const std::string& token() const { return token_; }
  WriteForm writes() const { return options_.writes; }

  // Without `put` the key is deleted; returns the revision of the store if there is no such key.
  // The key's revision is known from the last write; if that was wrong, it is read again.
  Result<Revision> WriteAsKubernetes(const std::string& key, const etcdserverpb::PutRequest* put) {
    std::int64_t known = KnownRevision(key);
    if (put == nullptr && known == 0) {
      WP_ASSIGN_OR_RETURN(known, ReadRevision(key));
    }
    // Among many writers of one key one succeeds each time, but not always the same one.
    const Deadline deadline = Within(options_.call_limit);
    while (!deadline.expired()) {
      if (put == nullptr && known == 0) return Revision(latest_.load());
      const etcdserverpb::TxnRequest request = IfUnchanged(key, known, put);
      WP_ASSIGN_OR_RETURN(
          const etcdserverpb::TxnResponse response,
          Record<etcdserverpb::TxnResponse>(Method::kTxn, *kv_, request, &KV::Stub::Txn));
      if (response.succeeded()) {
        Remember(key, put == nullptr ? 0 : response.header().revision());
        return Revision(response.header().revision());
      }
      WP_ASSIGN_OR_RETURN(known, ReadRevision(key));
    }
    return Fail(StatusCode::kAborted, "key {} was written by others, again and again, for {} ms",
                key, deadline.budget().count());
  }

 private:
  static etcdserverpb::TxnRequest IfUnchanged(const std::string& key, std::int64_t revision,
                                              const etcdserverpb::PutRequest* put) {
    etcdserverpb::TxnRequest request;
    auto* compare = request.add_compare();
    compare->set_key(key);
    compare->set_target(etcdserverpb::Compare::MOD);
    compare->set_result(etcdserverpb::Compare::EQUAL);
    compare->set_mod_revision(revision);
    if (put != nullptr) {
      *request.add_success()->mutable_request_put() = *put;
    } else {
      request.add_success()->mutable_request_delete_range()->set_key(key);
    }
    // A failed creation reads nothing.
    if (revision > 0) request.add_failure()->mutable_request_range()->set_key(key);
    return request;
  }

  Result<std::int64_t> ReadRevision(const std::string& key) {
    etcdserverpb::RangeRequest request;
    request.set_key(key);
    request.set_limit(1);
    WP_ASSIGN_OR_RETURN(
        const etcdserverpb::RangeResponse response,
        Record<etcdserverpb::RangeResponse>(Method::kRange, *kv_, request, &KV::Stub::Range));
    latest_ = response.header().revision();
    const std::int64_t revision = response.kvs_size() > 0 ? response.kvs(0).mod_revision() : 0;
    Remember(key, revision);
    return revision;
  }
  std::int64_t KnownRevision(const std::string& key) {
    MutexLock lock(mu_);
    const auto known = revisions_.find(key);
    return known == revisions_.end() ? 0 : known->second;
  }
  void Remember(const std::string& key, std::int64_t revision) {
    MutexLock lock(mu_);
    revisions_[key] = revision;
  }

  template <typename Response, typename Stub, typename Request, typename Rpc>
  Result<Response> Record(Method method, Stub& stub, const Request& request, Rpc rpc) {
    const CallId call = context_.NextCall();
    Recorder& recorder = context_.recorder();
    recorder.Append({.kind = EntryKind::kCallStarted,
                     .method = method,
                     .call = call,
                     .at = recorder.Now(),
                     .payload = Bytes::Take(request.SerializeAsString()),
                     .text = options_.name});
    Response response;
    const Status status = Send(stub, request, rpc, response);
    recorder.Append({.kind = EntryKind::kCallEnded,
                     .method = method,
                     .code = status.code(),
                     .call = call,
                     .at = recorder.Now(),
                     .payload = status.ok() ? Bytes::Take(response.SerializeAsString()) : Bytes(),
                     .text = status.message()});
    if (!status.ok()) return status;
    return response;
  }

  template <typename Stub, typename Request, typename Rpc, typename Response>
  Status Send(Stub& stub, const Request& request, Rpc rpc, Response& response) {
    grpc::ClientContext context;
    const Duration left = std::max<Duration>(options_.until - Clock::now(), 1s);
    const auto limit =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::min(options_.call_limit, left));
    context.set_deadline(std::chrono::system_clock::now() + limit);
    context.set_wait_for_ready(true);
    if (!token_.empty()) context.AddMetadata("token", token_);
    return FromRpcStatus(std::invoke(rpc, stub, &context, request, &response));
  }

  RecordingContext& context_;
  const KvOptions options_;
  const std::shared_ptr<grpc::Channel> channel_;  // also kept by the stubs: gRPC's own sharing
  const std::unique_ptr<KV::Stub> kv_;
  const std::unique_ptr<Lease::Stub> lease_;
  std::string token_;
  std::atomic<std::int64_t> latest_ = 0;  // of the store, as of the last read of a key
  Mutex mu_;
  std::map<std::string, std::int64_t> revisions_ GUARDED_BY(mu_);  // of keys; 0: not there
};

KvClient::KvClient(RecordingContext& context, const std::string& endpoint, const KvOptions& options)
    : impl_(std::make_unique<Impl>(context, endpoint, options)) {}
KvClient::~KvClient() = default;

void KvClient::SetToken(const std::string& token) { impl_->SetToken(token); }
const std::string& KvClient::token() const { return impl_->token(); }

Result<Revision> KvClient::Put(const std::string& key, const std::string& value,
                               std::int64_t lease) {
  etcdserverpb::PutRequest request;
  request.set_key(key);
  request.set_value(value);
  request.set_lease(lease);
  if (impl_->writes() == WriteForm::kKubernetes) return impl_->WriteAsKubernetes(key, &request);
  return impl_->Call(Method::kPut, request, &KV::Stub::Put);
}

Result<Revision> KvClient::Delete(const std::string& key, const std::string& range_end) {
  if (impl_->writes() == WriteForm::kKubernetes && range_end.empty()) {
    return impl_->WriteAsKubernetes(key, nullptr);
  }
  etcdserverpb::DeleteRangeRequest request;
  request.set_key(key);
  request.set_range_end(range_end);
  return impl_->Call(Method::kDeleteRange, request, &KV::Stub::DeleteRange);
}

Result<Revision> KvClient::Write(const WriteOp& write) {
  if (write.kind == WriteOp::Kind::kPut) {
    return impl_->Call(Method::kPut, PutOf(write), &KV::Stub::Put);
  }
  return impl_->Call(Method::kDeleteRange, DeletionOf(write), &KV::Stub::DeleteRange);
}

Result<Revision> KvClient::Transact(const std::vector<WriteOp>& writes) {
  return impl_->Call(Method::kTxn, TxnOf(writes), &KV::Stub::Txn);
}

Result<Revision> KvClient::Swap(const std::string& key, std::int64_t version,
                                const std::string& value) {
  etcdserverpb::TxnRequest request;
  auto* compare = request.add_compare();
  compare->set_key(key);
  compare->set_target(etcdserverpb::Compare::VERSION);
  compare->set_result(etcdserverpb::Compare::EQUAL);
  compare->set_version(version);
  auto* put = request.add_success()->mutable_request_put();
  put->set_key(key);
  put->set_value(value);
  request.add_failure()->mutable_request_range()->set_key(key);
  return impl_->Call(Method::kTxn, request, &KV::Stub::Txn);
}

Result<Revision> KvClient::Compact(Revision at, Answer answer) {
  etcdserverpb::CompactionRequest request;
  request.set_revision(at.value);
  request.set_physical(answer == Answer::kPhysical);
  return impl_->Call(Method::kCompact, request, &KV::Stub::Compact);
}

Result<Revision> KvClient::Read(const ReadOptions& read) {
  etcdserverpb::RangeRequest request;
  request.set_key(read.key);
  request.set_range_end(read.range_end);
  request.set_limit(read.limit);
  request.set_serializable(read.serializable);
  request.set_revision(read.revision.value);
  request.set_count_only(read.count_only);
  request.set_keys_only(read.keys_only);
  if (read.descending) request.set_sort_order(etcdserverpb::RangeRequest::DESCEND);
  return impl_->Call(Method::kRange, request, &KV::Stub::Range);
}

Result<std::int64_t> KvClient::Count(const std::string& key, const std::string& range_end) {
  etcdserverpb::RangeRequest request;
  request.set_key(key);
  request.set_range_end(range_end);
  request.set_count_only(true);
  WP_ASSIGN_OR_RETURN(const auto answer, impl_->Ask(request, &KV::Stub::Range));
  return answer.count();
}

Result<Revision> KvClient::Head() {
  etcdserverpb::RangeRequest request;
  request.set_key(std::string("\0", 1));
  request.set_count_only(true);
  return impl_->Call(Method::kRange, request, &KV::Stub::Range);
}

Result<std::int64_t> KvClient::Grant(std::chrono::seconds ttl) {
  etcdserverpb::LeaseGrantRequest request;
  request.set_ttl(ttl.count());
  WP_ASSIGN_OR_RETURN(const auto granted,
                      impl_->Call(Method::kLeaseGrant, request, &Lease::Stub::LeaseGrant));
  return granted.id();
}

Result<Revision> KvClient::Revoke(std::int64_t lease) {
  etcdserverpb::LeaseRevokeRequest request;
  request.set_id(lease);
  WP_ASSIGN_OR_RETURN(const auto revoked,
                      impl_->Call(Method::kLeaseRevoke, request, &Lease::Stub::LeaseRevoke));
  return Revision(revoked.header().revision());
}

Status KvClient::ListLeases() {
  const auto list = impl_->Call(Method::kLeaseLeases, etcdserverpb::LeaseLeasesRequest(),
                                &Lease::Stub::LeaseLeases);
  return list.has_value() ? Status() : list.error();
}

Status KvClient::TimeToLive(std::int64_t lease) {
  etcdserverpb::LeaseTimeToLiveRequest request;
  request.set_id(lease);
  request.set_keys(true);
  const auto answer = impl_->Call(Method::kLeaseTimeToLive, request, &Lease::Stub::LeaseTimeToLive);
  return answer.has_value() ? Status() : answer.error();
}

Result<std::chrono::seconds> KvClient::TimeLeft(std::int64_t lease) {
  etcdserverpb::LeaseTimeToLiveRequest request;
  request.set_id(lease);
  WP_ASSIGN_OR_RETURN(const auto answer, impl_->Ask(request, &Lease::Stub::LeaseTimeToLive));
  return std::chrono::seconds(answer.ttl());
}

Status KvClient::KeepAlive(std::int64_t lease) {
  etcdserverpb::LeaseKeepAliveRequest request;
  request.set_id(lease);
  WP_ASSIGN_OR_RETURN(const auto answer, impl_->KeepAlive(request));
  if (answer.ttl() > 0) return {};
  return Fail(StatusCode::kNotFound, "lease {} has ended", lease);
}

Result<bool> KvClient::HasLease(std::int64_t lease) {
  WP_ASSIGN_OR_RETURN(const auto list,
                      impl_->Ask(etcdserverpb::LeaseLeasesRequest(), &Lease::Stub::LeaseLeases));
  return std::any_of(list.leases().begin(), list.leases().end(),
                     [lease](const auto& status) { return status.id() == lease; });
}

Result<bool> KvClient::HasKeysOn(std::int64_t lease, const std::string& key,
                                 const std::string& range_end) {
  etcdserverpb::RangeRequest request;
  request.set_key(key);
  request.set_range_end(range_end);
  // Whole, not keys_only: a store may then leave the lease out, too.
  WP_ASSIGN_OR_RETURN(const auto answer, impl_->Ask(request, &KV::Stub::Range));
  return std::any_of(answer.kvs().begin(), answer.kvs().end(),
                     [lease](const auto& kv) { return kv.lease() == lease; });
}

}  // namespace watchproof
