// SPDX-License-Identifier: Apache-2.0
#include "harness/client/kv_client.h"

#include <algorithm>

#include "harness/history/wire.h"
#include "harness/history/wire_writer.h"

namespace watchproof {
namespace {

// An answer as a view, which looks into its bytes.
template <typename View>
struct Decoded {
  Bytes bytes;
  View view;
};
template <typename View>
Result<Decoded<View>> Decode(const Result<Bytes>& bytes) {
  if (!bytes.has_value()) return bytes.error();
  Decoded<View> answer{*bytes, {}};
  WP_RETURN_IF_ERROR(Parse(answer.bytes.view(), answer.view));
  return answer;
}

Result<Revision> RevisionOf(const Result<Bytes>& answer, std::string_view path) {
  if (!answer.has_value()) return answer.error();
  HeaderView header;
  if (!ParseHeader(answer->view(), header).ok()) {
    return Fail(StatusCode::kDataLoss, "{} bytes that are no answer to {}", answer->view().size(),
                path);
  }
  return Revision(header.revision);
}

}  // namespace

KvClient::KvClient(Recorder& recorder, const std::string& endpoint, const KvOptions& options)
    : recorder_(recorder),
      options_(options),
      calls_(options.connection ? options.connection : MakeChannel(endpoint), options.limits) {}

Result<Bytes> KvClient::Record(Method method, const Message& request) {
  return calls_.Call(recorder_, method, request.bytes(), options_.name);
}

Result<Revision> KvClient::Call(Method method, const Message& request) {
  return RevisionOf(Record(method, request), InfoOf(method).path);
}

Result<Revision> KvClient::ReadInParts(const ReadRequest& read) {
  return RevisionOf(
      calls_.ReadInParts(recorder_, ToMessage(read).bytes(), options_.name + std::string(kInParts)),
      kRangeStreamPath);
}

// A deletion returns the revision of the store if there is no such key. The key's revision is known
// from the last write; if that was wrong, it is read again.
Result<Revision> KvClient::WriteAsKubernetes(const std::string& key, const KvRequest& change,
                                             bool deletes) {
  std::int64_t known = KnownRevision(key);
  if (deletes && known == 0) {
    WP_ASSIGN_OR_RETURN(known, ReadRevision(key));
  }
  // Among many writers of one key one succeeds each time, but not always the same one.
  const Deadline deadline = Within(options_.limits.each);
  while (!deadline.expired()) {
    if (deletes && known == 0) return Revision(latest_.load());
    TxnRequest request{.compares = {{.key = key, .target = CompareTarget::kMod, .number = known}},
                       .success = {change}};
    // A failed creation reads nothing.
    if (known > 0) request.failure.emplace_back(ReadRequest{.key = key});
    WP_ASSIGN_OR_RETURN(const auto answer,
                        Decode<TxnResponseView>(Record(Method::kTxn, ToMessage(request))));
    const std::int64_t revision = answer.view.header.revision;
    if (answer.view.succeeded) {
      Remember(key, deletes ? 0 : revision);
      return Revision(revision);
    }
    WP_ASSIGN_OR_RETURN(known, ReadRevision(key));
  }
  return Fail(StatusCode::kAborted, "key {} was written by others, again and again, for {} ms", key,
              deadline.budget().count());
}

Result<std::int64_t> KvClient::ReadRevision(const std::string& key) {
  WP_ASSIGN_OR_RETURN(const auto answer,
                      Decode<RangeResponseView>(
                          Record(Method::kRange, ToMessage(ReadRequest{.key = key, .limit = 1}))));
  latest_ = answer.view.header.revision;
  const std::int64_t revision = answer.view.kvs.empty() ? 0 : answer.view.kvs[0].mod_revision;
  Remember(key, revision);
  return revision;
}

std::int64_t KvClient::KnownRevision(const std::string& key) {
  MutexLock lock(mu_);
  const auto known = revisions_.find(key);
  return known == revisions_.end() ? 0 : known->second;
}

void KvClient::Remember(const std::string& key, std::int64_t revision) {
  MutexLock lock(mu_);
  revisions_[key] = revision;
}

Result<Revision> KvClient::Put(const std::string& key, const std::string& value,
                               std::int64_t lease) {
  const PutRequest put{.key = key, .value = value, .lease = lease};
  return options_.writes == WriteForm::kPlain ? Write(put) : WriteAsKubernetes(key, put, false);
}

Result<Revision> KvClient::Delete(const std::string& key, const std::string& range_end) {
  const DeleteRequest deletion{.key = key, .range_end = range_end};
  const bool plain = options_.writes == WriteForm::kPlain || !range_end.empty();
  return plain ? Write(deletion) : WriteAsKubernetes(key, deletion, true);
}

Result<Revision> KvClient::Send(const KvRequest& request) {
  struct Sender {
    KvClient& kv;
    Result<Revision> operator()(const PutRequest& put) { return kv.Write(put); }
    Result<Revision> operator()(const DeleteRequest& deletion) { return kv.Write(deletion); }
    Result<Revision> operator()(const ReadRequest& read) { return kv.Read(read); }
    Result<Revision> operator()(const TxnRequest& txn) { return kv.Transact(txn); }
  };
  return std::visit(Sender{*this}, request);
}

Result<Revision> KvClient::Swap(const std::string& key, std::int64_t version,
                                const std::string& value) {
  return Transact({.compares = {{.key = key, .number = version}},
                   .success = {PutRequest{.key = key, .value = value}},
                   .failure = {ReadRequest{.key = key}}});
}

Result<Revision> KvClient::Compact(Revision at, Answer answer) {
  return Call(Method::kCompact, CompactionAt(at, answer == Answer::kPhysical));
}

Result<Revision> KvClient::ReadUnjudged(const ReadRequest& read) {
  WP_ASSIGN_OR_RETURN(const auto answer, Decode<RangeResponseView>(
                                             calls_.Ask(Method::kRange, ToMessage(read).bytes())));
  return Revision(answer.view.header.revision);
}

Result<std::int64_t> KvClient::Count(const std::string& key, const std::string& range_end) {
  const Message request =
      ToMessage(ReadRequest{.key = key, .range_end = range_end, .count_only = true});
  WP_ASSIGN_OR_RETURN(const auto answer,
                      Decode<RangeResponseView>(calls_.Ask(Method::kRange, request.bytes())));
  return answer.view.count;
}

Result<std::int64_t> KvClient::CreateRevision(const std::string& key) {
  WP_ASSIGN_OR_RETURN(const auto answer, Decode<RangeResponseView>(Record(
                                             Method::kRange, ToMessage(ReadRequest{.key = key}))));
  return answer.view.kvs.empty() ? -1 : answer.view.kvs[0].create_revision;
}

Result<Revision> KvClient::Head() {
  return Read({.key = std::string("\0", 1), .count_only = true});
}

Result<std::int64_t> KvClient::Grant(std::chrono::seconds ttl, std::int64_t id) {
  WP_ASSIGN_OR_RETURN(const auto answer, Decode<LeaseResponseView>(Record(
                                             Method::kLeaseGrant, GrantOf(id, ttl.count()))));
  return answer.view.id;
}

Result<Revision> KvClient::Revoke(std::int64_t lease) {
  return Call(Method::kLeaseRevoke, LeaseOf(lease));
}

Status KvClient::ListLeases() {
  return StatusOf(Decode<LeaseLeasesResponseView>(Record(Method::kLeaseLeases, Message())));
}

Status KvClient::TimeToLive(std::int64_t lease) {
  return StatusOf(Decode<LeaseResponseView>(Record(Method::kLeaseTimeToLive, TimeToLiveOf(lease))));
}

Result<std::chrono::seconds> KvClient::TimeLeft(std::int64_t lease) {
  WP_ASSIGN_OR_RETURN(const auto answer, Decode<LeaseResponseView>(calls_.Ask(
                                             Method::kLeaseTimeToLive, LeaseOf(lease).bytes())));
  return std::chrono::seconds(answer.view.ttl);
}

Status KvClient::KeepAlive(std::int64_t lease) {
  WP_ASSIGN_OR_RETURN(const auto answer,
                      Decode<LeaseResponseView>(Record(Method::kLeaseKeepAlive, LeaseOf(lease))));
  if (answer.view.ttl > 0) return {};
  return Fail(StatusCode::kNotFound, "lease {} has ended", lease);
}

Result<bool> KvClient::HasLease(std::int64_t lease) {
  WP_ASSIGN_OR_RETURN(const auto answer,
                      Decode<LeaseLeasesResponseView>(calls_.Ask(Method::kLeaseLeases, "")));
  return std::ranges::any_of(answer.view.leases,
                             [lease](const LeaseRequestView& one) { return one.id == lease; });
}

Result<bool> KvClient::HasKeysOn(std::int64_t lease, const std::string& key,
                                 const std::string& range_end) {
  // Whole, not keys_only: a store may then leave the lease out, too.
  WP_ASSIGN_OR_RETURN(
      const auto answer,
      Decode<RangeResponseView>(calls_.Ask(
          Method::kRange, ToMessage(ReadRequest{.key = key, .range_end = range_end}).bytes())));
  return std::ranges::any_of(answer.view.kvs,
                             [lease](const KeyValueView& kv) { return kv.lease == lease; });
}

}  // namespace watchproof
