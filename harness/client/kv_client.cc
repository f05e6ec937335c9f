// SPDX-License-Identifier: Apache-2.0
#include "harness/client/kv_client.h"

#include <algorithm>

#include "harness/history/wire.h"
#include "harness/history/wire_writer.h"

namespace watchproof {
namespace {

Message Ranged(const std::string& key, const std::string& range_end = {}) {
  return Message().OptionalText(1, key).OptionalText(2, range_end);
}

Message PutOf(const WriteOp& write) {
  return Message()
      .OptionalText(1, write.key)
      .OptionalText(2, write.value)
      .Optional(3, write.lease)
      .Optional(4, write.previous)
      .Optional(5, write.keeps_value)
      .Optional(6, write.keeps_lease);
}

Message DeletionOf(const WriteOp& write) {
  return Ranged(write.key, write.range_end).Optional(3, write.previous);
}

// One operation of a transaction.
Message OperationOf(Method kind, const Message& body) {
  return Message().Nested(static_cast<std::uint32_t>(kind), body);
}

Message TxnOf(const std::vector<WriteOp>& writes) {
  Message request;
  for (const WriteOp& write : writes) {
    switch (write.kind) {
      case WriteOp::Kind::kPut:
        request.Nested(2, OperationOf(Method::kPut, PutOf(write)));
        break;
      case WriteOp::Kind::kDelete:
        request.Nested(2, OperationOf(Method::kDeleteRange, DeletionOf(write)));
        break;
      case WriteOp::Kind::kRead:
        request.Nested(
            2, OperationOf(Method::kRange,
                           Ranged(write.key, write.range_end).Optional(4, write.revision.value)));
        break;
      case WriteOp::Kind::kTxn:
        request.Nested(2, OperationOf(Method::kTxn, TxnOf(write.writes)));
        break;
    }
  }
  return request;
}

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

template <typename Value>
Status StatusOf(const Result<Value>& result) {
  return result.has_value() ? Status() : result.error();
}

}  // namespace

KvClient::KvClient(Recorder& recorder, const std::string& endpoint, const KvOptions& options)
    : recorder_(recorder), options_(options), calls_(MakeChannel(endpoint), options.limits) {}

Result<Bytes> KvClient::Record(Method method, const Message& request) {
  return calls_.Call(recorder_, method, request.bytes(), options_.name);
}

Result<Revision> KvClient::Call(Method method, const Message& request) {
  WP_ASSIGN_OR_RETURN(const Bytes answer, Record(method, request));
  HeaderView header;
  if (!ParseHeader(answer.view(), header).ok()) {
    return Fail(StatusCode::kDataLoss, "{} bytes that are no answer to {}", answer.view().size(),
                InfoOf(method).path);
  }
  return Revision(header.revision);
}

// A deletion returns the revision of the store if there is no such key. The key's revision is known
// from the last write; if that was wrong, it is read again.
Result<Revision> KvClient::WriteAsKubernetes(const std::string& key, const Message& change,
                                             bool deletes) {
  std::int64_t known = KnownRevision(key);
  if (deletes && known == 0) {
    WP_ASSIGN_OR_RETURN(known, ReadRevision(key));
  }
  // Among many writers of one key one succeeds each time, but not always the same one.
  const Deadline deadline = Within(options_.limits.each);
  while (!deadline.expired()) {
    if (deletes && known == 0) return Revision(latest_.load());
    constexpr auto kMod = static_cast<std::int64_t>(CompareTarget::kMod);
    Message request = Message()
                          .Nested(1, Message().Number(2, kMod).Text(3, key).Number(6, known))
                          .Nested(2, change);
    // A failed creation reads nothing.
    if (known > 0) request.Nested(3, OperationOf(Method::kRange, Ranged(key)));
    WP_ASSIGN_OR_RETURN(const auto answer, Decode<TxnResponseView>(Record(Method::kTxn, request)));
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
  WP_ASSIGN_OR_RETURN(const auto answer, Decode<RangeResponseView>(
                                             Record(Method::kRange, Ranged(key).Optional(3, 1))));
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
  const Message put = PutOf({.key = key, .value = value, .lease = lease});
  if (options_.writes == WriteForm::kPlain) return Call(Method::kPut, put);
  return WriteAsKubernetes(key, OperationOf(Method::kPut, put), /*deletes=*/false);
}

Result<Revision> KvClient::Delete(const std::string& key, const std::string& range_end) {
  const Message deletion = Ranged(key, range_end);
  if (options_.writes == WriteForm::kPlain || !range_end.empty()) {
    return Call(Method::kDeleteRange, deletion);
  }
  return WriteAsKubernetes(key, OperationOf(Method::kDeleteRange, deletion), /*deletes=*/true);
}

Result<Revision> KvClient::Write(const WriteOp& write) {
  if (write.kind == WriteOp::Kind::kPut) return Call(Method::kPut, PutOf(write));
  return Call(Method::kDeleteRange, DeletionOf(write));
}

Result<Revision> KvClient::Transact(const std::vector<WriteOp>& writes) {
  return Call(Method::kTxn, TxnOf(writes));
}

// Equal, and the version, are what a compare without a result and a target means.
Result<Revision> KvClient::Swap(const std::string& key, std::int64_t version,
                                const std::string& value) {
  const Message put = PutOf({.key = key, .value = value});
  return Call(Method::kTxn, Message()
                                .Nested(1, Message().Text(3, key).Number(4, version))
                                .Nested(2, OperationOf(Method::kPut, put))
                                .Nested(3, OperationOf(Method::kRange, Ranged(key))));
}

Result<Revision> KvClient::Compact(Revision at, Answer answer) {
  return Call(Method::kCompact,
              Message().Optional(1, at.value).Optional(2, answer == Answer::kPhysical));
}

Result<Revision> KvClient::Read(const ReadOptions& read) {
  constexpr int kDescend = 2;
  return Call(Method::kRange, Ranged(read.key, read.range_end)
                                  .Optional(3, read.limit)
                                  .Optional(4, read.revision.value)
                                  .Optional(5, read.descending ? kDescend : 0)
                                  .Optional(7, read.serializable)
                                  .Optional(8, read.keys_only)
                                  .Optional(9, read.count_only));
}

Result<std::int64_t> KvClient::Count(const std::string& key, const std::string& range_end) {
  const Message request = Ranged(key, range_end).Optional(9, 1);
  WP_ASSIGN_OR_RETURN(const auto answer,
                      Decode<RangeResponseView>(calls_.Ask(Method::kRange, request.bytes())));
  return answer.view.count;
}

Result<Revision> KvClient::Head() {
  return Read({.key = std::string("\0", 1), .count_only = true});
}

Result<std::int64_t> KvClient::Grant(std::chrono::seconds ttl) {
  const Message request = Message().Optional(1, ttl.count());
  WP_ASSIGN_OR_RETURN(const auto answer,
                      Decode<LeaseResponseView>(Record(Method::kLeaseGrant, request)));
  return answer.view.id;
}

Result<Revision> KvClient::Revoke(std::int64_t lease) {
  return Call(Method::kLeaseRevoke, Message().Optional(1, lease));
}

Status KvClient::ListLeases() {
  return StatusOf(Decode<LeaseLeasesResponseView>(Record(Method::kLeaseLeases, Message())));
}

Status KvClient::TimeToLive(std::int64_t lease) {
  return StatusOf(Decode<LeaseResponseView>(
      Record(Method::kLeaseTimeToLive, Message().Optional(1, lease).Optional(2, true))));
}

Result<std::chrono::seconds> KvClient::TimeLeft(std::int64_t lease) {
  const Message request = Message().Optional(1, lease);
  WP_ASSIGN_OR_RETURN(const auto answer, Decode<LeaseResponseView>(calls_.Ask(
                                             Method::kLeaseTimeToLive, request.bytes())));
  return std::chrono::seconds(answer.view.ttl);
}

Status KvClient::KeepAlive(std::int64_t lease) {
  const Message request = Message().Optional(1, lease);
  WP_ASSIGN_OR_RETURN(const auto answer,
                      Decode<LeaseResponseView>(Record(Method::kLeaseKeepAlive, request)));
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
  WP_ASSIGN_OR_RETURN(const auto answer, Decode<RangeResponseView>(calls_.Ask(
                                             Method::kRange, Ranged(key, range_end).bytes())));
  return std::ranges::any_of(answer.view.kvs,
                             [lease](const KeyValueView& kv) { return kv.lease == lease; });
}

}  // namespace watchproof
