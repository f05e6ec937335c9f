// SPDX-License-Identifier: Apache-2.0
#include "harness/history/wire.h"

namespace watchproof {
namespace {

// Calls `field` with the scanner on each field of the message; false if it or a nested message is
// malformed.
template <typename OnField>
bool EachField(std::string_view message, OnField&& field) {
  FieldScanner scanner(message);
  while (scanner.Next()) {
    if (!field(scanner)) return false;
  }
  return !scanner.malformed();
}

void Set(const FieldScanner& field, std::int64_t& to) {
  if (field.is_varint()) to = field.integer();
}
void Set(const FieldScanner& field, std::uint64_t& to) {
  if (field.is_varint()) to = field.varint();
}
void Set(const FieldScanner& field, bool& to) {
  if (field.is_varint()) to = field.flag();
}
void Set(const FieldScanner& field, std::string_view& to) {
  if (field.is_bytes()) to = field.bytes();
}

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

// A nested message: read if the field is one, skipped otherwise.
template <typename View>
bool ReadNested(const FieldScanner& field, View& out) {
  return !field.is_bytes() || Read(field.bytes(), out);
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

bool Read(std::string_view message, OperationView& out);

template <typename View>
bool Append(const FieldScanner& field, std::vector<View>& out) {
  return !field.is_bytes() || Read(field.bytes(), out.emplace_back());
}

// Repeated enums come packed or one by one.
bool ReadFilters(const FieldScanner& field, WatchCreateView& out) {
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

bool ReadCancel(std::string_view message, std::int64_t& id) {
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

bool Read(std::string_view message, RangeRequestView& out) {
  return EachField(message, [&](const FieldScanner& f) {
    switch (f.number()) {
      case 1:
        Set(f, out.key);
        break;
      case 2:
        Set(f, out.range_end);
        break;
      case 3:
        Set(f, out.limit);
        break;
      case 4:
        Set(f, out.revision);
        break;
      default:
        break;
    }
    return true;
  });
}

bool Read(std::string_view message, RangeResponseView& out) {
  return EachField(message, [&](const FieldScanner& f) {
    switch (f.number()) {
      case 1:
        return ReadNested(f, out.header);
      case 2:
        return Append(f, out.kvs);
      case 3:
        Set(f, out.more);
        break;
      case 4:
        Set(f, out.count);
        break;
      default:
        break;
    }
    return true;
  });
}

bool Read(std::string_view message, PutRequestView& out) {
  return EachField(message, [&](const FieldScanner& f) {
    switch (f.number()) {
      case 1:
        Set(f, out.key);
        break;
      case 2:
        Set(f, out.value);
        break;
      case 3:
        Set(f, out.lease);
        break;
      case 4:
        Set(f, out.prev_kv);
        break;
      case 5:
        Set(f, out.ignore_value);
        break;
      case 6:
        Set(f, out.ignore_lease);
        break;
      default:
        break;
    }
    return true;
  });
}

bool Read(std::string_view message, PutResponseView& out) {
  return EachField(message, [&](const FieldScanner& f) {
    switch (f.number()) {
      case 1:
        return ReadNested(f, out.header);
      case 2:
        out.has_previous |= f.is_bytes();
        return ReadNested(f, out.previous);
      default:
        return true;
    }
  });
}

bool Read(std::string_view message, DeleteRangeRequestView& out) {
  return EachField(message, [&](const FieldScanner& f) {
    switch (f.number()) {
      case 1:
        Set(f, out.key);
        break;
      case 2:
        Set(f, out.range_end);
        break;
      case 3:
        Set(f, out.prev_kv);
        break;
      default:
        break;
    }
    return true;
  });
}

bool Read(std::string_view message, DeleteRangeResponseView& out) {
  return EachField(message, [&](const FieldScanner& f) {
    switch (f.number()) {
      case 1:
        return ReadNested(f, out.header);
      case 2:
        Set(f, out.deleted);
        return true;
      case 3:
        return Append(f, out.previous);
      default:
        return true;
    }
  });
}

// RequestOp and ResponseOp number their kinds alike.
bool Read(std::string_view message, OperationView& out) {
  return EachField(message, [&](const FieldScanner& f) {
    if (!f.is_bytes() || f.number() < 1 || f.number() > 4) return true;
    static constexpr OperationKind kKinds[] = {OperationKind::kRange, OperationKind::kPut,
                                               OperationKind::kDeleteRange, OperationKind::kTxn};
    out = {.kind = kKinds[f.number() - 1], .body = f.bytes()};
    return true;
  });
}

bool Read(std::string_view message, TxnRequestView& out) {
  return EachField(message, [&](const FieldScanner& f) {
    switch (f.number()) {
      case 1:
        if (f.is_bytes()) out.compare.push_back(f.bytes());
        return true;
      case 2:
        return Append(f, out.success);
      case 3:
        return Append(f, out.failure);
      default:
        return true;
    }
  });
}

bool Read(std::string_view message, TxnResponseView& out) {
  return EachField(message, [&](const FieldScanner& f) {
    switch (f.number()) {
      case 1:
        return ReadNested(f, out.header);
      case 2:
        Set(f, out.succeeded);
        return true;
      case 3:
        return Append(f, out.responses);
      default:
        return true;
    }
  });
}

bool Read(std::string_view message, CompactionRequestView& out) {
  return EachField(message, [&](const FieldScanner& f) {
    if (f.number() == 1) Set(f, out.revision);
    if (f.number() == 2) Set(f, out.physical);
    return true;
  });
}

bool Read(std::string_view message, CompactionResponseView& out) {
  return EachField(
      message, [&](const FieldScanner& f) { return f.number() != 1 || ReadNested(f, out.header); });
}

template <typename View>
Status Finish(bool read, std::string_view message, const char* name) {
  if (read) return Status();
  return Fail(StatusCode::kDataLoss, "{} bytes that are not a {}", message.size(), name);
}

template <typename View>
Status ParseFresh(std::string_view message, View& out, const char* name) {
  out = View();
  return Finish<View>(Read(message, out), message, name);
}

}  // namespace

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
Status Parse(std::string_view message, WatchResponseView& out) {
  out.Clear();
  return Finish<WatchResponseView>(Read(message, out), message, "WatchResponse");
}
Status Parse(std::string_view message, RangeRequestView& out) {
  return ParseFresh(message, out, "RangeRequest");
}
Status Parse(std::string_view message, RangeResponseView& out) {
  return ParseFresh(message, out, "RangeResponse");
}
Status Parse(std::string_view message, PutRequestView& out) {
  return ParseFresh(message, out, "PutRequest");
}
Status Parse(std::string_view message, PutResponseView& out) {
  return ParseFresh(message, out, "PutResponse");
}
Status Parse(std::string_view message, DeleteRangeRequestView& out) {
  return ParseFresh(message, out, "DeleteRangeRequest");
}
Status Parse(std::string_view message, DeleteRangeResponseView& out) {
  return ParseFresh(message, out, "DeleteRangeResponse");
}
Status Parse(std::string_view message, TxnRequestView& out) {
  return ParseFresh(message, out, "TxnRequest");
}
Status Parse(std::string_view message, TxnResponseView& out) {
  return ParseFresh(message, out, "TxnResponse");
}
Status Parse(std::string_view message, CompactionRequestView& out) {
  return ParseFresh(message, out, "CompactionRequest");
}
Status Parse(std::string_view message, CompactionResponseView& out) {
  return ParseFresh(message, out, "CompactionResponse");
}
Status ParseHeader(std::string_view message, HeaderView& out) {
  CompactionResponseView response;  // nothing but a header
  WP_RETURN_IF_ERROR(Parse(message, response));
  out = response.header;
  return Status();
}

}  // namespace watchproof
