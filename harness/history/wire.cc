// SPDX-License-Identifier: Apache-2.0
#include "harness/history/wire.h"

#include <protozero/pbf_reader.hpp>
#include <type_traits>
#include <utility>

namespace watchproof {

using protozero::pbf_reader;
using protozero::pbf_wire_type;

// All but the functions of wire.h throw protozero::exception where a message is malformed.

static std::string_view BytesOf(pbf_reader& field) {
  const protozero::data_view view = field.get_view();
  return {view.data(), view.size()};
}

// Calls `field` with the reader at each field of the message; it consumes the field.
template <typename OnField>
static void EachField(std::string_view message, OnField&& field) {
  pbf_reader reader(message.data(), message.size());
  while (reader.next()) field(reader);
}

// Into places of each kind. A field of another wire type leaves its place as it is.
template <typename Place>
static void Put(pbf_reader& field, Place& to) {
  constexpr bool kNumber = std::is_integral_v<Place>;
  if (!field.has_wire_type(kNumber ? pbf_wire_type::varint : pbf_wire_type::length_delimited)) {
    field.skip();
  } else if constexpr (std::is_same_v<Place, bool>) {
    to = field.get_uint64() != 0;
  } else if constexpr (kNumber) {
    to = static_cast<Place>(field.get_uint64());
  } else if constexpr (std::is_same_v<Place, std::string_view>) {
    to = BytesOf(field);
  } else {
    Read(BytesOf(field), to);
  }
}
template <typename Element>
static void Put(pbf_reader& field, std::vector<Element>& to) {
  if (!field.has_wire_type(pbf_wire_type::length_delimited)) return field.skip();
  Put(field, to.emplace_back());
}
// A message that may be absent.
template <typename View>
static void Put(pbf_reader& field, View& to, bool& present) {
  present |= field.has_wire_type(pbf_wire_type::length_delimited);
  Put(field, to);
}

// The field of this number, and where it goes.
template <std::uint32_t kNumber, typename... Places>
static auto At(Places&... places) {
  return [&places...](pbf_reader& field) {
    if (field.tag() != kNumber) return false;
    Put(field, places...);
    return true;
  };
}
// The field of this number, and the function to call with it, which consumes it.
template <std::uint32_t kNumber, typename OnField>
static auto On(OnField on_field) {
  return [on_field](pbf_reader& field) {
    if (field.tag() != kNumber) return false;
    on_field(field);
    return true;
  };
}
// Hands each field of the message to the reader of its number, if there is one.
template <typename... Known>
static void ReadFields(std::string_view message, const Known&... known) {
  EachField(message, [&](pbf_reader& field) {
    if (!(known(field) || ...)) field.skip();
  });
}

// Each adds what the message holds to a new or cleared view. What most of a recording consists of,
// header, event and response, is read by a switch, for which the compiler makes better code than
// for ReadFields.

static void Read(std::string_view message, HeaderView& out) {
  EachField(message, [&](pbf_reader& f) {
    switch (f.tag()) {
      case 1:
        return Put(f, out.cluster_id);
      case 2:
        return Put(f, out.member_id);
      case 3:
        return Put(f, out.revision);
      case 4:
        return Put(f, out.raft_term);
      default:
        return f.skip();
    }
  });
}

static void Read(std::string_view message, KeyValueView& out) {
  EachField(message, [&](pbf_reader& f) {
    switch (f.tag()) {
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
        return f.skip();
    }
  });
}

static void Read(std::string_view message, EventView& out) {
  EachField(message, [&](pbf_reader& f) {
    switch (f.tag()) {
      case 1:
        return Put(f, out.type);
      case 2:
        return Put(f, out.kv);
      case 3:
        return Put(f, out.previous, out.has_previous);
      default:
        return f.skip();
    }
  });
}

static void Read(std::string_view message, WatchCreateView& out) {
  const auto flags = [&out](pbf_reader& field) {
    const auto tag = static_cast<int>(field.tag());
    for (const WatchOption& option : kWatchOptions) {
      if (tag != option.field || tag == kFiltersField) continue;
      Put(field, out.*option.flag);
      return true;
    }
    return false;
  };
  // Repeated enums come packed or one by one.
  const auto filters = [&out](pbf_reader& field) {
    const auto set = [&out](std::uint64_t filter) {
      for (const WatchOption& option : kWatchOptions) {
        if (std::cmp_equal(option.filter, filter)) out.*option.flag = true;
      }
    };
    if (field.has_wire_type(pbf_wire_type::varint)) return set(field.get_uint64());
    if (!field.has_wire_type(pbf_wire_type::length_delimited)) return field.skip();
    for (const std::uint64_t filter : field.get_packed_uint64()) set(filter);
  };
  ReadFields(message, At<1>(out.key), At<2>(out.range_end), At<3>(out.start_revision),
             On<kFiltersField>(filters), At<7>(out.watch_id), flags);
}

static void Read(std::string_view message, WatchRequestView& out) {
  EachField(message, [&](pbf_reader& f) {
    const bool known = f.tag() <= 3 && f.has_wire_type(pbf_wire_type::length_delimited);
    if (!known) return f.skip();
    static constexpr WatchRequestKind kKinds[] = {
        WatchRequestKind::kCreate, WatchRequestKind::kCancel, WatchRequestKind::kProgress};
    out.kind = kKinds[f.tag() - 1];
    const std::string_view body = BytesOf(f);
    if (out.kind == WatchRequestKind::kCreate) Read(body, out.create);
    if (out.kind == WatchRequestKind::kCancel) ReadFields(body, At<1>(out.cancel_id));
  });
}

static void Read(std::string_view message, WatchResponseView& out) {
  EachField(message, [&](pbf_reader& f) {
    switch (f.tag()) {
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
        return f.skip();
    }
  });
}

// RequestOp and ResponseOp number their kinds alike, and as the methods are numbered.
static void Read(std::string_view message, OperationView& out) {
  EachField(message, [&](pbf_reader& f) {
    const bool known = f.tag() <= 4 && f.has_wire_type(pbf_wire_type::length_delimited);
    if (!known) return f.skip();
    out.kind = static_cast<Method>(f.tag());
    out.body = BytesOf(f);
  });
}

static void Read(std::string_view message, RangeRequestView& out) {
  ReadFields(message, At<1>(out.key), At<2>(out.range_end), At<3>(out.limit), At<4>(out.revision),
             At<5>(out.sort_order), At<6>(out.sort_target), At<7>(out.serializable),
             At<8>(out.keys_only), At<9>(out.count_only), At<10>(out.min_mod), At<11>(out.max_mod),
             At<12>(out.min_create), At<13>(out.max_create));
}
static void Read(std::string_view message, RangeResponseView& out) {
  ReadFields(message, At<1>(out.header), At<2>(out.kvs), At<3>(out.more), At<4>(out.count));
}
static void Read(std::string_view message, PutRequestView& out) {
  ReadFields(message, At<1>(out.key), At<2>(out.value), At<3>(out.lease), At<4>(out.prev_kv),
             At<5>(out.ignore_value), At<6>(out.ignore_lease));
}
static void Read(std::string_view message, PutResponseView& out) {
  ReadFields(message, At<1>(out.header), At<2>(out.previous, out.has_previous));
}
static void Read(std::string_view message, DeleteRangeRequestView& out) {
  ReadFields(message, At<1>(out.key), At<2>(out.range_end), At<3>(out.prev_kv));
}
static void Read(std::string_view message, DeleteRangeResponseView& out) {
  ReadFields(message, At<1>(out.header), At<2>(out.deleted), At<3>(out.previous));
}
static void Read(std::string_view message, CompareView& out) {
  ReadFields(message, At<1>(out.result), At<2>(out.target), At<3>(out.key), At<4>(out.version),
             At<5>(out.create_revision), At<6>(out.mod_revision), At<7>(out.value),
             At<8>(out.lease), At<64>(out.range_end));
}
static void Read(std::string_view message, TxnRequestView& out) {
  ReadFields(message, At<1>(out.compare), At<2>(out.success), At<3>(out.failure));
}
static void Read(std::string_view message, TxnResponseView& out) {
  ReadFields(message, At<1>(out.header), At<2>(out.succeeded), At<3>(out.responses));
}
static void Read(std::string_view message, CompactionRequestView& out) {
  ReadFields(message, At<1>(out.revision), At<2>(out.physical));
}
static void Read(std::string_view message, CompactionResponseView& out) {
  ReadFields(message, At<1>(out.header));
}
static void Read(std::string_view message, LeaseGrantRequestView& out) {
  ReadFields(message, At<1>(out.ttl), At<2>(out.id));
}
static void Read(std::string_view message, LeaseRequestView& out) {
  ReadFields(message, At<1>(out.id), At<2>(out.keys));
}
static void Read(std::string_view message, LeaseResponseView& out) {
  ReadFields(message, At<1>(out.header), At<2>(out.id), At<3>(out.ttl), At<4>(out.granted),
             At<5>(out.keys));
}
static void Read(std::string_view message, LeaseLeasesResponseView& out) {
  ReadFields(message, At<2>(out.leases));
}
static void Read(std::string_view message, OperatorRequestView& out) {
  ReadFields(message, On<1>([&out](pbf_reader& field) {
               return field.has_wire_type(pbf_wire_type::varint) ? Put(field, out.action)
                                                                 : Put(field, out.name);
             }));
}
static void Read(std::string_view message, RangeStreamResponseView& out) {
  ReadFields(message, At<1>(out.range_response));
}
static void Read(std::string_view message, UsersRequestView& out) {
  ReadFields(message, At<1>(out.name), At<2>(out.second), At<3>(out.range_end));
}
static void Read(std::string_view message, UserAddOptionsView& out) {
  ReadFields(message, At<1>(out.no_password));
}
static void Read(std::string_view message, PermissionView& out) {
  ReadFields(message, At<1>(out.type), At<2>(out.key), At<3>(out.range_end));
}
static void Read(std::string_view message, NamesResponseView& out) {
  ReadFields(message, At<2>(out.names));
}
static void Read(std::string_view message, ClaimRequestView& out) {
  ReadFields(message, At<1>(out.name), At<2>(out.lease), At<3>(out.value));
}
static void Read(std::string_view message, LeaderKeyView& out) {
  ReadFields(message, At<1>(out.name), At<2>(out.key), At<3>(out.created), At<4>(out.lease));
}
static void Read(std::string_view message, LockResponseView& out) {
  ReadFields(message, At<2>(out.key));
}
static void Read(std::string_view message, CampaignResponseView& out) {
  ReadFields(message, At<2>(out.leader));
}
static void Read(std::string_view message, ResignRequestView& out) {
  ReadFields(message, At<1>(out.leader));
}
static void Read(std::string_view message, ProclaimRequestView& out) {
  ReadFields(message, At<1>(out.leader), At<2>(out.value));
}
static void Read(std::string_view message, LeaderResponseView& out) {
  ReadFields(message, At<2>(out.kv));
}
static void Read(std::string_view message, AuthenticateResponseView& out) {
  ReadFields(message, At<2>(out.token));
}
static void Read(std::string_view message, AuthStatusResponseView& out) {
  ReadFields(message, At<1>(out.header), At<2>(out.enabled), At<3>(out.revision));
}
static void Read(std::string_view message, DowngradeInfoView& out) {
  ReadFields(message, At<1>(out.enabled), At<2>(out.target));
}
static void Read(std::string_view message, HashResponseView& out) {
  ReadFields(message, At<2>(out.hash));
}
static void Read(std::string_view message, DowngradeResponseView& out) {
  ReadFields(message, At<2>(out.version));
}
static void Read(std::string_view message, StatusResponseView& out) {
  ReadFields(message, At<1>(out.header), At<2>(out.version), At<3>(out.size), At<4>(out.leader),
             At<5>(out.index), At<6>(out.term), At<7>(out.applied), At<8>(out.errors),
             At<9>(out.in_use), At<10>(out.is_learner), At<11>(out.storage), At<12>(out.quota),
             At<13>(out.downgrade));
}
static void Read(std::string_view message, AlarmView& out) {
  ReadFields(message, At<1>(out.member), At<2>(out.kind));
}
static void Read(std::string_view message, AlarmRequestView& out) {
  ReadFields(message, At<1>(out.action), At<2>(out.member), At<3>(out.kind));
}
static void Read(std::string_view message, AlarmResponseView& out) {
  ReadFields(message, At<2>(out.alarms));
}
static void Read(std::string_view message, HashKvRequestView& out) {
  ReadFields(message, At<1>(out.revision));
}
static void Read(std::string_view message, HashKvResponseView& out) {
  ReadFields(message, At<1>(out.header), At<3>(out.compacted), At<4>(out.hashed));
}
static void Read(std::string_view message, MemberView& out) {
  ReadFields(message, At<1>(out.id), At<2>(out.name), At<3>(out.peer_urls), At<4>(out.client_urls),
             At<5>(out.is_learner));
}
static void Read(std::string_view message, MemberListResponseView& out) {
  ReadFields(message, At<1>(out.header), At<2>(out.members));
}
static void Read(std::string_view message, MemberAddResponseView& out) {
  ReadFields(message, At<1>(out.header), At<2>(out.added), At<3>(out.members));
}
static void Read(std::string_view message, SnapshotResponseView& out) {
  ReadFields(message, At<2>(out.remaining), At<3>(out.blob), At<4>(out.version));
}

std::optional<FieldExtent> FirstField(std::string_view message) try {
  pbf_reader reader(message.data(), message.size());
  if (!reader.next()) return std::nullopt;
  const std::uint32_t number = reader.tag();
  reader.skip();
  return FieldExtent{.number = number, .size = message.size() - reader.length()};
} catch (const protozero::exception&) {
  return std::nullopt;
}

void WatchResponseView::Clear() {
  std::vector<EventView> memory = std::move(events);
  memory.clear();
  *this = WatchResponseView();
  events = std::move(memory);
}

Status Parse(std::string_view begin, std::string_view rest, WatchResponseView& out) try {
  out.Clear();
  Read(begin, out);
  Read(rest, out);
  return Status();
} catch (const protozero::exception&) {
  return Fail(StatusCode::kDataLoss, "{} bytes that are not a WatchResponse",
              begin.size() + rest.size());
}

template <typename View>
Status Parse(std::string_view message, View& out) try {
  if constexpr (std::is_same_v<View, WatchResponseView>) {
    out.Clear();
  } else {
    out = View();
  }
  Read(message, out);
  return Status();
} catch (const protozero::exception&) {
  return Fail(StatusCode::kDataLoss, "{} bytes that are not a {}", message.size(), View::kMessage);
}
template Status Parse(std::string_view, WatchRequestView&);
template Status Parse(std::string_view, WatchResponseView&);
template Status Parse(std::string_view, RangeRequestView&);
template Status Parse(std::string_view, RangeResponseView&);
template Status Parse(std::string_view, PutRequestView&);
template Status Parse(std::string_view, PutResponseView&);
template Status Parse(std::string_view, DeleteRangeRequestView&);
template Status Parse(std::string_view, DeleteRangeResponseView&);
template Status Parse(std::string_view, CompareView&);
template Status Parse(std::string_view, TxnRequestView&);
template Status Parse(std::string_view, TxnResponseView&);
template Status Parse(std::string_view, CompactionRequestView&);
template Status Parse(std::string_view, CompactionResponseView&);
template Status Parse(std::string_view, LeaseGrantRequestView&);
template Status Parse(std::string_view, LeaseRequestView&);
template Status Parse(std::string_view, LeaseResponseView&);
template Status Parse(std::string_view, LeaseLeasesResponseView&);
template Status Parse(std::string_view, OperatorRequestView&);
template Status Parse(std::string_view, RangeStreamResponseView&);
template Status Parse(std::string_view, UsersRequestView&);
template Status Parse(std::string_view, UserAddOptionsView&);
template Status Parse(std::string_view, PermissionView&);
template Status Parse(std::string_view, NamesResponseView&);
template Status Parse(std::string_view, ClaimRequestView&);
template Status Parse(std::string_view, LockResponseView&);
template Status Parse(std::string_view, CampaignResponseView&);
template Status Parse(std::string_view, ResignRequestView&);
template Status Parse(std::string_view, ProclaimRequestView&);
template Status Parse(std::string_view, LeaderResponseView&);
template Status Parse(std::string_view, AuthenticateResponseView&);
template Status Parse(std::string_view, AuthStatusResponseView&);
template Status Parse(std::string_view, HashResponseView&);
template Status Parse(std::string_view, DowngradeResponseView&);
template Status Parse(std::string_view, StatusResponseView&);
template Status Parse(std::string_view, AlarmRequestView&);
template Status Parse(std::string_view, AlarmResponseView&);
template Status Parse(std::string_view, HashKvRequestView&);
template Status Parse(std::string_view, HashKvResponseView&);
template Status Parse(std::string_view, MemberListResponseView&);
template Status Parse(std::string_view, MemberAddResponseView&);
template Status Parse(std::string_view, SnapshotResponseView&);

Status ParseHeader(std::string_view message, HeaderView& out) {
  CompactionResponseView response;  // nothing but a header
  WP_RETURN_IF_ERROR(Parse(message, response));
  out = response.header;
  return Status();
}

}  // namespace watchproof
