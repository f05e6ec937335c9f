// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/server/watch_wire.h"

#include <algorithm>
#include <cstdint>
#include <protozero/buffer_string.hpp>
#include <protozero/varint.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "embedded_store/server/convert.h"
#include "fixtures/protos/rpc.pb.h"

namespace watchproof::store {
namespace {

namespace pb = etcdserverpb;

// Upper bound of the head of a reply with events.
constexpr std::size_t kHeadReserve = 128;

// Appends protobuf fields to a string. A field with its default value is left out, as proto3 does.
class FieldWriter {
 public:
  explicit FieldWriter(std::string& out) : out_(out) {}

  void Number(int field, std::int64_t value) {
    if (value == 0) return;
    protozero::add_varint_to_buffer(&out_, static_cast<std::uint64_t>(field) << 3);
    protozero::add_varint_to_buffer(&out_, static_cast<std::uint64_t>(value));
  }
  void Bytes(int field, std::string_view bytes) {
    if (bytes.empty()) return;
    Length(field, bytes.size());
    out_.append(bytes);
  }
  // Tag and length of a length-delimited field; its content follows.
  void Length(int field, std::size_t size) {
    protozero::add_varint_to_buffer(&out_, static_cast<std::uint64_t>(field) << 3 | 2);
    protozero::add_varint_to_buffer(&out_, size);
  }

  static std::size_t NumberSize(int field, std::int64_t value) {
    if (value == 0) return 0;
    return VarintSize(static_cast<std::uint64_t>(field) << 3) +
           VarintSize(static_cast<std::uint64_t>(value));
  }
  static std::size_t LengthSize(int field, std::size_t size) {
    return VarintSize(static_cast<std::uint64_t>(field) << 3 | 2) + VarintSize(size) + size;
  }
  static std::size_t BytesSize(int field, std::string_view bytes) {
    return bytes.empty() ? 0 : LengthSize(field, bytes.size());
  }

 private:
  static std::size_t VarintSize(std::uint64_t value) {
    return static_cast<std::size_t>(protozero::length_of_varint(value));
  }

  std::string& out_;
};

std::size_t KeyValueSize(const KeyValue& kv) {
  using K = mvccpb::KeyValue;
  using W = FieldWriter;
  return W::BytesSize(K::kKeyFieldNumber, kv.key) +
         W::NumberSize(K::kCreateRevisionFieldNumber, kv.create.value) +
         W::NumberSize(K::kModRevisionFieldNumber, kv.mod.value) +
         W::NumberSize(K::kVersionFieldNumber, kv.version) +
         W::BytesSize(K::kValueFieldNumber, kv.value) +
         W::NumberSize(K::kLeaseFieldNumber, kv.lease);
}

void WriteKeyValue(int field, const KeyValue& kv, std::size_t size, FieldWriter& out) {
  using K = mvccpb::KeyValue;
  out.Length(field, size);
  out.Bytes(K::kKeyFieldNumber, kv.key);
  out.Number(K::kCreateRevisionFieldNumber, kv.create.value);
  out.Number(K::kModRevisionFieldNumber, kv.mod.value);
  out.Number(K::kVersionFieldNumber, kv.version);
  out.Bytes(K::kValueFieldNumber, kv.value);
  out.Number(K::kLeaseFieldNumber, kv.lease);
}

// As a field of the response. Sizes come first on the wire, so they are computed first.
void WriteEvent(const PendingEvent& event, FieldWriter& out) {
  using E = mvccpb::Event;
  using W = FieldWriter;
  const Change& change = *event.change;
  const ChangePtr previous = event.previous.lock();
  const int type = change.kind == ChangeKind::kPut ? E::PUT : E::DELETE;
  const std::size_t kv = KeyValueSize(change.kv);
  const std::size_t before = previous ? KeyValueSize(previous->kv) : 0;
  const std::size_t size = W::NumberSize(E::kTypeFieldNumber, type) +
                           W::LengthSize(E::kKvFieldNumber, kv) +
                           (previous ? W::LengthSize(E::kPrevKvFieldNumber, before) : 0);
  out.Length(pb::WatchResponse::kEventsFieldNumber, size);
  out.Number(E::kTypeFieldNumber, type);
  WriteKeyValue(E::kKvFieldNumber, change.kv, kv, out);
  if (previous) WriteKeyValue(E::kPrevKvFieldNumber, previous->kv, before, out);
}

// A slice that owns the string, so that nothing is copied.
grpc::Slice Adopt(std::string bytes) {
  auto* owned = new std::string(std::move(bytes));
  return grpc::Slice(
      owned->data(), owned->size(), [](void* data) { delete static_cast<std::string*>(data); },
      owned);
}

std::shared_ptr<const EncodedEvents> Encode(const EventBatch& batch) {
  auto encoded = std::make_shared<EncodedEvents>();
  std::string bytes;
  bytes.reserve(batch.bytes() + batch.bytes() / 8 + 16 * batch.events().size());
  FieldWriter out(bytes);
  encoded->ends.reserve(batch.events().size());
  for (const PendingEvent& event : batch.events()) {
    WriteEvent(event, out);
    encoded->ends.push_back(bytes.size());
  }
  encoded->bytes = Adopt(std::move(bytes));
  return encoded;
}

std::shared_ptr<const EncodedEvents> EncodedOnce(const BatchPtr& batch) {
  if (!batch) return nullptr;
  auto encoded = batch->encoded();
  return encoded ? encoded : batch->KeepEncoded(Encode(*batch));
}

// The first fields of every header.
const std::string& Identity() {
  static const std::string identity = [] {
    pb::ResponseHeader header;
    FillIdentity(&header);
    return header.SerializeAsString();
  }();
  return identity;
}

// Everything but the events, which may follow: the order of fields means nothing.
std::string Head(const WatchReply& reply, bool fragment) {
  using R = pb::WatchResponse;
  constexpr int kRevision = pb::ResponseHeader::kRevisionFieldNumber;
  const std::string& identity = Identity();
  std::string head;
  FieldWriter out(head);
  out.Length(R::kHeaderFieldNumber,
             identity.size() + FieldWriter::NumberSize(kRevision, reply.revision.value));
  head += identity;
  out.Number(kRevision, reply.revision.value);
  out.Number(R::kWatchIdFieldNumber, reply.watch.value);
  out.Number(R::kCreatedFieldNumber, reply.created);
  out.Number(R::kCanceledFieldNumber, reply.canceled);
  out.Number(R::kCompactRevisionFieldNumber, reply.compacted.value);
  out.Bytes(R::kCancelReasonFieldNumber, reply.reason);
  out.Number(R::kFragmentFieldNumber, fragment);
  return head;
}

}  // namespace

WireReply::WireReply(WatchReply reply, std::size_t most_bytes, const Hooks& hooks)
    : reply_(std::move(reply)),
      most_bytes_(most_bytes),
      hooks_(hooks),
      events_(EncodedOnce(reply_.batch)) {}

std::size_t WireReply::EndOfPart(std::size_t begin) const {
  const auto& ends = events_->ends;
  if (!reply_.may_fragment) {
    const bool cut = begin == 0 && ends.size() > 1 && hooks_.reply_cut == ReplyCut::kBetweenEvents;
    return cut ? ends.size() / 2 : ends.size();
  }
  const std::size_t start = begin == 0 ? 0 : ends[begin - 1];
  const auto above = std::upper_bound(ends.begin() + static_cast<std::ptrdiff_t>(begin), ends.end(),
                                      start + most_bytes_ - kHeadReserve);
  return std::max(begin + 1, static_cast<std::size_t>(above - ends.begin()));
}

std::optional<grpc::ByteBuffer> WireReply::Next() {
  if (std::exchange(done_, true)) return std::nullopt;
  if (!events_) {
    const grpc::Slice head(Head(reply_, false));
    return grpc::ByteBuffer(&head, 1);
  }
  const std::size_t end = EndOfPart(sent_);
  done_ = end == events_->ends.size();
  const bool fragments = reply_.may_fragment && (sent_ > 0 || !done_);
  if (fragments && done_ && hooks_.last_part == LastPart::kDropped) return std::nullopt;
  const std::size_t from = sent_ == 0 ? 0 : events_->ends[sent_ - 1];
  const grpc::Slice parts[] = {grpc::Slice(Head(reply_, fragments && !done_)),
                               events_->bytes.sub(from, events_->ends[end - 1])};
  sent_ = end;
  return grpc::ByteBuffer(parts, 2);
}

}  // namespace watchproof::store
