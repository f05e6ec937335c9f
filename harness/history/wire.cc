// SPDX-License-Identifier: Apache-2.0
#include "harness/history/wire.h"

#include <utility>

#include "harness/history/wire_read.h"

namespace watchproof {

// What most of a recording consists of, header, event and response, is read by a switch, for which
// the compiler makes better code than for ReadFields.
bool Read(std::string_view message, HeaderView& out) {
  return EachField(message, [&](const FieldScanner& f) {
    switch (f.number()) {
      case 1:
        return Put(f, out.cluster_id);
      case 2:
        return Put(f, out.member_id);
      case 3:
        return Put(f, out.revision);
      case 4:
        return Put(f, out.raft_term);
      default:
        return true;
    }
  });
}

bool Read(std::string_view message, KeyValueView& out) {
  return EachField(message, [&](const FieldScanner& f) {
    switch (f.number()) {
      case 1:
        return Put(f, out.key);
      case 2:
        return Put(f, out.create_revision);
      case 3:
        return Put(f, out.mod_revision);
      case 4:
        return Put(f, out.version);
      case 5:
        return Put(f, out.value);
      case 6:
        return Put(f, out.lease);
      default:
        return true;
    }
  });
}

bool Read(std::string_view message, EventView& out) {
  return EachField(message, [&](const FieldScanner& f) {
    switch (f.number()) {
      case 1:
        return Put(f, out.type);
      case 2:
        return Put(f, out.kv);
      case 3:
        out.has_previous |= f.is_bytes();
        return Put(f, out.previous);
      default:
        return true;
    }
  });
}

// Repeated enums come packed or one by one.
static bool ReadFilters(const FieldScanner& field, WatchCreateView& out) {
  const auto set = [&out](std::uint64_t filter) {
    out.no_put |= filter == 0;
    out.no_delete |= filter == 1;
  };
  if (field.is_varint()) set(field.varint());
  if (!field.is_bytes()) return true;
  // Both values fit one byte; anything longer is an unknown filter.
  bool within_long_varint = false;
  for (const char c : field.bytes()) {
    const bool continues = (static_cast<unsigned char>(c) & 0x80u) != 0;
    if (!continues && !within_long_varint) set(static_cast<unsigned char>(c));
    within_long_varint = continues;
  }
  return !within_long_varint;
}

bool Read(std::string_view message, WatchCreateView& out) {
  return ReadFields(message, At<1>(out.key), At<2>(out.range_end), At<3>(out.start_revision),
                    At<4>(out.progress_notify),
                    On<5>([&out](const FieldScanner& f) { return ReadFilters(f, out); }),
                    At<6>(out.prev_kv), At<7>(out.watch_id), At<8>(out.fragment));
}

static bool ReadCancel(std::string_view message, std::int64_t& id) {
  return ReadFields(message, At<1>(id));
}

bool Read(std::string_view message, WatchRequestView& out) {
  return EachField(message, [&](const FieldScanner& f) {
    if (!f.is_bytes()) return true;
    switch (f.number()) {
      case 1:
        out.kind = WatchRequestKind::kCreate;
        return Read(f.bytes(), out.create);
      case 2:
        out.kind = WatchRequestKind::kCancel;
        return ReadCancel(f.bytes(), out.cancel_id);
      case 3:
        out.kind = WatchRequestKind::kProgress;
        return true;
      default:
        return true;
    }
  });
}

bool Read(std::string_view message, WatchResponseView& out) {
  return EachField(message, [&](const FieldScanner& f) {
    switch (f.number()) {
      case 1:
        return Put(f, out.header);
      case 2:
        return Put(f, out.watch_id);
      case 3:
        return Put(f, out.created);
      case 4:
        return Put(f, out.canceled);
      case 5:
        return Put(f, out.compact_revision);
      case 6:
        return Put(f, out.cancel_reason);
      case 7:
        return Put(f, out.fragment);
      case 11:
        return Put(f, out.events);
      default:
        return true;
    }
  });
}

bool FieldScanner::Malformed() {
  malformed_ = true;
  return false;
}

bool FieldScanner::ReadVarint(std::uint64_t& value) {
  std::uint64_t result = 0;
  for (unsigned shift = 0; shift < 64 && at_ != end_; shift += 7) {
    const auto byte = static_cast<unsigned char>(*at_++);
    result |= static_cast<std::uint64_t>(byte & 0x7fu) << shift;
    if ((byte & 0x80u) == 0) {
      value = result;
      return true;
    }
  }
  return Malformed();
}

bool FieldScanner::Next() {
  if (malformed_ || at_ == end_) return false;
  std::uint64_t tag = 0;
  if (!ReadVarint(tag)) return false;
  if (tag > UINT32_MAX || (tag >> 3) == 0) return Malformed();
  number_ = static_cast<std::uint32_t>(tag >> 3);
  type_ = static_cast<std::uint32_t>(tag & 7);
  const auto left = static_cast<std::uint64_t>(end_ - at_);
  std::uint64_t length = 0;
  switch (type_) {
    case 0:
      return ReadVarint(varint_);
    case 1:
      length = 8;
      break;
    case 5:
      length = 4;
      break;
    case 2:
      if (!ReadVarint(length)) return false;
      if (length > static_cast<std::uint64_t>(end_ - at_)) return Malformed();
      bytes_ = {at_, static_cast<std::size_t>(length)};
      break;
    default:
      return Malformed();
  }
  if (type_ != 2 && length > left) return Malformed();
  at_ += length;
  return true;
}

void WatchResponseView::Clear() {
  std::vector<EventView> memory = std::move(events);
  memory.clear();
  *this = WatchResponseView();
  events = std::move(memory);
}

Status Parse(std::string_view message, WatchRequestView& out) {
  return ParseFresh(message, out, "WatchRequest");
}
Status Parse(std::string_view message, WatchResponseView& out) { return Parse(message, {}, out); }
Status Parse(std::string_view begin, std::string_view rest, WatchResponseView& out) {
  out.Clear();
  if (Read(begin, out) && Read(rest, out)) return Status();
  return Fail(StatusCode::kDataLoss, "{} bytes that are not a WatchResponse",
              begin.size() + rest.size());
}
}  // namespace watchproof
