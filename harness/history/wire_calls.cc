// SPDX-License-Identifier: Apache-2.0
// The requests and responses of the KV service.
#include "harness/history/wire_read.h"

namespace watchproof {
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
      case 5:
        Set(f, out.sort_order);
        break;
      case 6:
        Set(f, out.sort_target);
        break;
      case 7:
        Set(f, out.serializable);
        break;
      case 8:
        Set(f, out.keys_only);
        break;
      case 9:
        Set(f, out.count_only);
        break;
      case 10:
      case 11:
      case 12:
      case 13:
        out.filtered |= f.is_varint() && f.flag();
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

bool Read(std::string_view message, CompareView& out) {
  return EachField(message, [&](const FieldScanner& f) {
    switch (f.number()) {
      case 1:
        Set(f, out.result);
        break;
      case 2:
        Set(f, out.target);
        break;
      case 3:
        Set(f, out.key);
        break;
      case 4:
        Set(f, out.version);
        break;
      case 5:
        Set(f, out.create_revision);
        break;
      case 6:
        Set(f, out.mod_revision);
        break;
      case 7:
        Set(f, out.value);
        break;
      case 8:
        Set(f, out.lease);
        break;
      case 64:
        Set(f, out.range_end);
        break;
      default:
        break;
    }
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
Status Parse(std::string_view message, CompareView& out) {
  return ParseFresh(message, out, "Compare");
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
