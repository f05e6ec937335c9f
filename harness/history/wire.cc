// SPDX-License-Identifier: Apache-2.0
#include "harness/history/wire.h"

#include <utility>

#include "harness/history/wire_read.h"

namespace watchproof {
bool Read(std::string_view message, HeaderView& out) {
  return EachField(message, [&](const FieldScanner& f) {
    switch (f.number()) {
      case 1:
        Set(f, out.cluster_id);
        break;
      case 2:
        Set(f, out.member_id);
        break;
      case 3:
        Set(f, out.revision);
        break;
      case 4:
        Set(f, out.raft_term);
        break;
      default:
        break;
    }
    return true;
  });
}

bool Read(std::string_view message, KeyValueView& out) {
  return EachField(message, [&](const FieldScanner& f) {
    switch (f.number()) {
      case 1:
        Set(f, out.key);
        break;
      case 2:
        Set(f, out.create_revision);
        break;
      case 3:
        Set(f, out.mod_revision);
        break;
      case 4:
        Set(f, out.version);
        break;
      case 5:
        Set(f, out.value);
        break;
      case 6:
        Set(f, out.lease);
        break;
      default:
        break;
    }
    return true;
  });
}

bool Read(std::string_view message, EventView& out) {
  return EachField(message, [&](const FieldScanner& f) {
    switch (f.number()) {
      case 1:
        Set(f, out.type);
        return true;
      case 2:
        return ReadNested(f, out.kv);
      case 3:
        out.has_previous |= f.is_bytes();
        return ReadNested(f, out.previous);
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
  // Both values fit one byte; anything longer is a filter we do not know.
  bool within_long_varint = false;
  for (const char c : field.bytes()) {
    const bool continues = (static_cast<unsigned char>(c) & 0x80u) != 0;
    if (!continues && !within_long_varint) set(static_cast<unsigned char>(c));
    within_long_varint = continues;
  }
  return !within_long_varint;
}

bool Read(std::string_view message, WatchCreateView& out) {
  return EachField(message, [&](const FieldScanner& f) {
    switch (f.number()) {
      case 1:
        Set(f, out.key);
        break;
      case 2:
        Set(f, out.range_end);
        break;
      case 3:
        Set(f, out.start_revision);
        break;
      case 4:
        Set(f, out.progress_notify);
        break;
      case 5:
        return ReadFilters(f, out);
      case 6:
        Set(f, out.prev_kv);
        break;
      case 7:
        Set(f, out.watch_id);
        break;
      case 8:
        Set(f, out.fragment);
        break;
      default:
        break;
    }
    return true;
  });
}

static bool ReadCancel(std::string_view message, std::int64_t& id) {
  return EachField(message, [&](const FieldScanner& f) {
    if (f.number() == 1) Set(f, id);
    return true;
  });
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
        return ReadNested(f, out.header);
      case 2:
        Set(f, out.watch_id);
        break;
      case 3:
        Set(f, out.created);
        break;
      case 4:
        Set(f, out.canceled);
        break;
      case 5:
        Set(f, out.compact_revision);
        break;
      case 6:
        Set(f, out.cancel_reason);
        break;
      case 7:
        Set(f, out.fragment);
        break;
      case 11:
        return Append(f, out.events);
      default:
        break;
    }
    return true;
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
