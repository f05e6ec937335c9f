// SPDX-License-Identifier: Apache-2.0
#include "proxies/grpc/watch_scanner.h"

namespace watchproof::proxy {
namespace {

enum Name : int {
  kHeader,
  kRevision,
  kWatchId,
  kCreated,
  kCanceled,
  kCompactRevision,
  kFragment,
  kEvent,
  kKeyValue,
  kModRevision,
  kCreate,
};

// Numbers of the fields: etcd's rpc.proto and kv.proto.
constexpr FieldType kKeyValueFields[] = {{3, kModRevision}};
constexpr MessageType kKeyValueType(kKeyValueFields);
constexpr FieldType kEventFields[] = {{2, kKeyValue, &kKeyValueType}};
constexpr MessageType kEventType(kEventFields);
constexpr FieldType kHeaderFields[] = {{3, kRevision}};
constexpr MessageType kHeaderType(kHeaderFields);
constexpr FieldType kResponseFields[] = {{1, kHeader, &kHeaderType},
                                         {2, kWatchId},
                                         {3, kCreated},
                                         {4, kCanceled},
                                         {5, kCompactRevision},
                                         {7, kFragment},
                                         {11, kEvent, &kEventType}};
constexpr MessageType kResponseType(kResponseFields);
constexpr FieldType kCreateFields[] = {{3, kRevision}, {7, kWatchId}};
constexpr MessageType kCreateType(kCreateFields);
constexpr FieldType kRequestFields[] = {{1, kCreate, &kCreateType}};
constexpr MessageType kRequestType(kRequestFields);

}  // namespace

WatchScanner::WatchScanner(Side side)
    : fields_(side == Side::kResponses ? kResponseType : kRequestType) {}

std::span<const WatchOffset> WatchScanner::Feed(std::string_view piece) {
  offsets_.clear();
  for (const MessagePart& part : finder_.Feed(piece)) Scan(piece, part);
  if (finder_.lost()) {
    facts_ = {.readable = false};
    Offset(WatchOffset::Kind::kHead, piece.size());
  }
  return offsets_;
}

void WatchScanner::Scan(std::string_view piece, const MessagePart& part) {
  if (part.first) {
    fields_.Restart();
    facts_ = {.readable = !part.compressed};
    head_noted_ = false;
  }
  begin_ = part.begin;
  first_ = part.first;
  body_ = part.body;
  if (facts_.readable) {
    fields_.Feed(piece.substr(part.body, part.end - part.body), *this);
    facts_.readable = !fields_.lost();
  }
  if (!part.last) return;
  facts_.readable &= fields_.between_fields();
  NoteHeadOffset(part.end);
  Offset(WatchOffset::Kind::kEnd, part.end);
}

void WatchScanner::Offset(WatchOffset::Kind kind, std::size_t end) {
  offsets_.push_back(
      {.kind = kind, .begin = begin_, .end = end, .began_before = !first_, .facts = facts_});
}

void WatchScanner::NoteHeadOffset(std::size_t end) {
  if (head_noted_) return;
  head_noted_ = true;
  Offset(WatchOffset::Kind::kHead, end);
}

void WatchScanner::OnNumber(int name, std::int64_t value) {
  if (name == kRevision) facts_.revision = value;
  if (name == kWatchId) facts_.watch_id = value;
  if (name == kCreated) facts_.created = value != 0;
  if (name == kCanceled) facts_.canceled = value != 0;
  if (name == kCompactRevision) facts_.compact_revision = value;
  if (name == kFragment) facts_.fragment = value != 0;
  if (name == kModRevision) event_revision_ = value;
}

void WatchScanner::OnEnter(int name, std::size_t at) {
  if (name == kCreate) facts_.created = true;
  if (name == kEvent) {
    event_revision_ = 0;
    NoteHeadOffset(body_ + at);
  }
}

void WatchScanner::OnLeave(int name, std::size_t at) {
  if (name != kEvent) return;
  ++facts_.events;
  facts_.event_revision = event_revision_;
  Offset(WatchOffset::Kind::kEvent, body_ + at);
}

}  // namespace watchproof::proxy
