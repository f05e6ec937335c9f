// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/live/go_requests.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>
#include <vector>

#include "harness/history/wire.h"

namespace watchproof::explore {
namespace {

constexpr std::size_t kLongEnd = 24;
constexpr const char* kUnreadable = "// a request that cannot be read";

std::string Escape(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += byte >= ' ' && byte <= '~' ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
  }
  return '"' + escaped + '"';
}

// A composite literal of Go; fields without a value are left out.
class Literal {
 public:
  explicit Literal(std::string type) : text_("&pb." + std::move(type) + "{") {}
  Literal& Set(std::string_view field, const std::string& expression) {
    if (!std::exchange(first_, false)) text_ += ", ";
    text_ += fmt::format("{}: {}", field, expression);
    return *this;
  }
  Literal& Text(std::string_view field, std::string_view text) {
    return text.empty() ? *this : Set(field, fmt::format("[]byte({})", GoString(text)));
  }
  Literal& Number(std::string_view field, std::int64_t number) {
    return number == 0 ? *this : Set(field, fmt::format("{}", number));
  }
  Literal& Flag(std::string_view field, bool set) { return set ? Set(field, "true") : *this; }
  // "[]*pb.Compare{...}"; left out if it has no elements.
  Literal& List(std::string_view field, std::string_view type,
                const std::vector<std::string>& elements) {
    return elements.empty()
               ? *this
               : Set(field, fmt::format("[]{}{{{}}}", type, fmt::join(elements, ", ")));
  }
  std::string str() const { return text_ + "}"; }

 private:
  std::string text_;
  bool first_ = true;
};

Literal LiteralOf(const PutRequestView& put) {
  return Literal("PutRequest")
      .Text("Key", put.key)
      .Text("Value", put.value)
      .Number("Lease", put.lease)
      .Flag("PrevKv", put.prev_kv)
      .Flag("IgnoreValue", put.ignore_value)
      .Flag("IgnoreLease", put.ignore_lease);
}

Literal LiteralOf(const RangeRequestView& range) {
  Literal literal("RangeRequest");
  literal.Text("Key", range.key)
      .Text("RangeEnd", range.range_end)
      .Number("Limit", range.limit)
      .Number("Revision", range.revision);
  if (range.sort_order != 0) {
    literal.Set("SortOrder", fmt::format("pb.RangeRequest_SortOrder({})", range.sort_order));
  }
  if (range.sort_target != 0) {
    literal.Set("SortTarget", fmt::format("pb.RangeRequest_SortTarget({})", range.sort_target));
  }
  return literal.Flag("Serializable", range.serializable)
      .Flag("KeysOnly", range.keys_only)
      .Flag("CountOnly", range.count_only)
      .Number("MinModRevision", range.min_mod)
      .Number("MaxModRevision", range.max_mod)
      .Number("MinCreateRevision", range.min_create)
      .Number("MaxCreateRevision", range.max_create);
}

Literal LiteralOf(const DeleteRangeRequestView& erase) {
  return Literal("DeleteRangeRequest")
      .Text("Key", erase.key)
      .Text("RangeEnd", erase.range_end)
      .Flag("PrevKv", erase.prev_kv);
}

Literal LiteralOf(const TxnRequestView& txn);

template <typename View>
std::string OperationAs(std::string_view kind, std::string_view body) {
  View view;
  if (!Parse(body, view).ok()) return {};
  return fmt::format("{{Request: &pb.RequestOp_Request{0}{{Request{0}: {1}}}}}", kind,
                     LiteralOf(view).str());
}

std::vector<std::string> OperationsOf(const std::vector<OperationView>& operations) {
  std::vector<std::string> all;
  for (const auto& [kind, body] : operations) {
    if (kind == Method::kPut) all.push_back(OperationAs<PutRequestView>("Put", body));
    if (kind == Method::kRange) all.push_back(OperationAs<RangeRequestView>("Range", body));
    if (kind == Method::kTxn) all.push_back(OperationAs<TxnRequestView>("Txn", body));
    if (kind == Method::kDeleteRange) {
      all.push_back(OperationAs<DeleteRangeRequestView>("DeleteRange", body));
    }
  }
  return all;
}

std::string ConditionOf(std::string_view bytes) {
  static constexpr const char* kFields[] = {"Version", "CreateRevision", "ModRevision", "Value",
                                            "Lease"};
  CompareView compare;
  if (!Parse(bytes, compare).ok()) return {};
  const auto target = static_cast<std::size_t>(compare.target);
  if (target >= std::size(kFields)) return {};
  const std::int64_t numbers[] = {compare.version, compare.create_revision, compare.mod_revision, 0,
                                  compare.lease};
  const bool is_value = compare.target == static_cast<std::int64_t>(CompareTarget::kValue);
  const std::string with = is_value ? fmt::format("[]byte({})", GoString(compare.value))
                                    : fmt::format("{}", numbers[target]);
  return Literal("Compare")
      .Text("Key", compare.key)
      .Text("RangeEnd", compare.range_end)
      .Set("Target", fmt::format("pb.Compare_CompareTarget({})", compare.target))
      .Set("Result", fmt::format("pb.Compare_CompareResult({})", compare.result))
      .Set("TargetUnion", fmt::format("&pb.Compare_{0}{{{0}: {1}}}", kFields[target], with))
      .str();
}

Literal LiteralOf(const TxnRequestView& txn) {
  std::vector<std::string> conditions;
  for (const std::string_view compare : txn.compare) conditions.push_back(ConditionOf(compare));
  return Literal("TxnRequest")
      .List("Compare", "*pb.Compare", conditions)
      .List("Success", "*pb.RequestOp", OperationsOf(txn.success))
      .List("Failure", "*pb.RequestOp", OperationsOf(txn.failure));
}

Literal LiteralOf(const CompactionRequestView& compaction) {
  return Literal("CompactionRequest")
      .Number("Revision", compaction.revision)
      .Flag("Physical", compaction.physical);
}

Literal LiteralOf(const LeaseGrantRequestView& grant) {
  return Literal("LeaseGrantRequest").Number("ID", grant.id).Number("TTL", grant.ttl);
}

Literal LiteralOf(const WatchCreateView& create) {
  Literal literal("WatchCreateRequest");
  literal.Text("Key", create.key)
      .Text("RangeEnd", create.range_end)
      .Number("StartRevision", create.start_revision)
      .Number("WatchId", create.watch_id)
      .Flag("PrevKv", create.prev_kv)
      .Flag("ProgressNotify", create.progress_notify)
      .Flag("Fragment", create.fragment);
  std::vector<std::string> filters;
  if (create.no_put) filters.emplace_back("pb.WatchCreateRequest_NOPUT");
  if (create.no_delete) filters.emplace_back("pb.WatchCreateRequest_NODELETE");
  return literal.List("Filters", "pb.WatchCreateRequest_FilterType", filters);
}

template <typename View>
std::string CallOf(std::string_view function, std::string_view request) {
  View view;
  if (!Parse(request, view).ok()) return kUnreadable;
  return fmt::format("show({}(ctx, {}))", function, LiteralOf(view).str());
}

std::string LeaseCallOf(Method method, std::string_view request) {
  LeaseRequestView view;
  if (!Parse(request, view).ok()) return kUnreadable;
  const auto literal = [&view](const std::string& type) {
    return Literal(type).Number("ID", view.id);
  };
  if (method == Method::kLeaseKeepAlive) {
    return fmt::format("show(keepAlive({}))", literal("LeaseKeepAliveRequest").str());
  }
  if (method == Method::kLeaseRevoke) {
    return fmt::format("show(lease.LeaseRevoke(ctx, {}))", literal("LeaseRevokeRequest").str());
  }
  return fmt::format("show(lease.LeaseTimeToLive(ctx, {}))",
                     literal("LeaseTimeToLiveRequest").Flag("Keys", view.keys).str());
}

}  // namespace

std::string GoString(std::string_view text) {
  const std::size_t other = text.empty() ? text.npos : text.find_last_not_of(text.back());
  const std::size_t kept = other == text.npos ? 0 : other + 1;
  const std::size_t left = text.size() - kept;
  if (left < kLongEnd) return Escape(text);
  const std::string end = fmt::format("strings.Repeat({}, {})", Escape(text.substr(kept, 1)), left);
  return kept == 0 ? end : Escape(text.substr(0, kept)) + " + " + end;
}

std::string GoStatement(Method method, std::string_view request) {
  switch (method) {
    case Method::kPut:
      return CallOf<PutRequestView>("kv.Put", request);
    case Method::kDeleteRange:
      return CallOf<DeleteRangeRequestView>("kv.DeleteRange", request);
    case Method::kTxn:
      return CallOf<TxnRequestView>("kv.Txn", request);
    case Method::kRange:
      return CallOf<RangeRequestView>("kv.Range", request);
    case Method::kCompact:
      return CallOf<CompactionRequestView>("kv.Compact", request);
    case Method::kLeaseGrant:
      return CallOf<LeaseGrantRequestView>("lease.LeaseGrant", request);
    case Method::kLeaseLeases:
      return "show(lease.LeaseLeases(ctx, &pb.LeaseLeasesRequest{}))";
    case Method::kLeaseRevoke:
    case Method::kLeaseKeepAlive:
    case Method::kLeaseTimeToLive:
      return LeaseCallOf(method, request);
    default:
      break;
  }
  return kUnreadable;
}

std::string GoStatement(StreamId stream, std::string_view request) {
  WatchRequestView view;
  if (!Parse(request, view).ok()) return kUnreadable;
  switch (view.kind) {
    case WatchRequestKind::kCreate:
      return fmt::format("create({}, {})", stream.value, LiteralOf(view.create).str());
    case WatchRequestKind::kCancel:
      return fmt::format("cancel({}, {})", stream.value, view.cancel_id);
    case WatchRequestKind::kProgress:
      return fmt::format("askProgress({})", stream.value);
    case WatchRequestKind::kNone:
      break;
  }
  return kUnreadable;
}

}  // namespace watchproof::explore
