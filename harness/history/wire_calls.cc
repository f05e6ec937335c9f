// SPDX-License-Identifier: Apache-2.0
// The requests and responses of the KV service, and those of the lease service that are recorded.
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
  const auto filter = [&out](const FieldScanner& f) {
    out.filtered |= f.is_varint() && f.flag();
    return true;
  };
  return ReadFields(message, At<1>(out.key), At<2>(out.range_end), At<3>(out.limit),
                    At<4>(out.revision), At<5>(out.sort_order), At<6>(out.sort_target),
                    At<7>(out.serializable), At<8>(out.keys_only), At<9>(out.count_only),
                    On<10>(filter), On<11>(filter), On<12>(filter), On<13>(filter));
}

bool Read(std::string_view message, RangeResponseView& out) {
  return ReadFields(message, At<1>(out.header), At<2>(out.kvs), At<3>(out.more), At<4>(out.count));
}

bool Read(std::string_view message, PutRequestView& out) {
  return ReadFields(message, At<1>(out.key), At<2>(out.value), At<3>(out.lease), At<4>(out.prev_kv),
                    At<5>(out.ignore_value), At<6>(out.ignore_lease));
}

bool Read(std::string_view message, PutResponseView& out) {
  return ReadFields(message, At<1>(out.header), On<2>([&out](const FieldScanner& f) {
                      out.has_previous |= f.is_bytes();
                      return Put(f, out.previous);
                    }));
}

bool Read(std::string_view message, DeleteRangeRequestView& out) {
  return ReadFields(message, At<1>(out.key), At<2>(out.range_end), At<3>(out.prev_kv));
}

bool Read(std::string_view message, DeleteRangeResponseView& out) {
  return ReadFields(message, At<1>(out.header), At<2>(out.deleted), At<3>(out.previous));
}

bool Read(std::string_view message, CompareView& out) {
  return ReadFields(message, At<1>(out.result), At<2>(out.target), At<3>(out.key),
                    At<4>(out.version), At<5>(out.create_revision), At<6>(out.mod_revision),
                    At<7>(out.value), At<8>(out.lease), At<64>(out.range_end));
}

bool Read(std::string_view message, TxnRequestView& out) {
  return ReadFields(message, At<1>(out.compare), At<2>(out.success), At<3>(out.failure));
}

bool Read(std::string_view message, TxnResponseView& out) {
  return ReadFields(message, At<1>(out.header), At<2>(out.succeeded), At<3>(out.responses));
}

bool Read(std::string_view message, CompactionRequestView& out) {
  return ReadFields(message, At<1>(out.revision), At<2>(out.physical));
}

bool Read(std::string_view message, CompactionResponseView& out) {
  return ReadFields(message, At<1>(out.header));
}

bool Read(std::string_view message, LeaseGrantRequestView& out) {
  return ReadFields(message, At<1>(out.ttl));
}

bool Read(std::string_view message, LeaseGrantResponseView& out) {
  return ReadFields(message, At<2>(out.id));
}

bool Read(std::string_view message, LeaseRevokeRequestView& out) {
  return ReadFields(message, At<1>(out.id));
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
Status Parse(std::string_view message, LeaseGrantRequestView& out) {
  return ParseFresh(message, out, "LeaseGrantRequest");
}
Status Parse(std::string_view message, LeaseGrantResponseView& out) {
  return ParseFresh(message, out, "LeaseGrantResponse");
}
Status Parse(std::string_view message, LeaseRevokeRequestView& out) {
  return ParseFresh(message, out, "LeaseRevokeRequest");
}
Status ParseHeader(std::string_view message, HeaderView& out) {
  CompactionResponseView response;  // nothing but a header
  WP_RETURN_IF_ERROR(Parse(message, response));
  out = response.header;
  return Status();
}

}  // namespace watchproof
