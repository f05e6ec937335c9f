// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/live/go_lines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace watchproof::explore {
namespace {

constexpr std::size_t kLongest = 40;
constexpr std::string_view kUnread = "bytes that cannot be read";

std::string InQuotes(std::string_view text) {
  std::string quoted;
  for (const char c : text.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte >= ' ' && byte <= '~' && c != '"' && c != '\\';
    quoted += plain ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
  }
  return fmt::format("\"{}\"{}", quoted,
                     text.size() > kLongest ? fmt::format("... ({} bytes)", text.size()) : "");
}

std::string KeyValueText(const KeyValueView& kv) {
  return fmt::format("{} = {} (create {}, mod {}, version {}, lease {})", InQuotes(kv.key),
                     InQuotes(kv.value), kv.create_revision, kv.mod_revision, kv.version, kv.lease);
}

std::string KeyValuesText(const std::vector<KeyValueView>& kvs) {
  std::string text;
  for (const KeyValueView& kv : kvs) text += "; " + KeyValueText(kv);
  return text;
}

std::string AnswerText(Method method, std::string_view answer);

std::string TextOf(const PutResponseView& put) {
  return fmt::format("revision {}{}", put.header.revision,
                     put.has_previous ? "; before: " + KeyValueText(put.previous) : "");
}
std::string TextOf(const RangeResponseView& range) {
  return fmt::format("revision {}, count {}, more {}{}", range.header.revision, range.count,
                     range.more, KeyValuesText(range.kvs));
}
std::string TextOf(const DeleteRangeResponseView& erased) {
  return fmt::format("revision {}, deleted {}{}", erased.header.revision, erased.deleted,
                     KeyValuesText(erased.previous));
}
std::string TextOf(const TxnResponseView& txn) {
  std::string text = fmt::format("revision {}, succeeded {}", txn.header.revision, txn.succeeded);
  for (const OperationView& one : txn.responses) {
    text += " [" + AnswerText(one.kind, one.body) + "]";
  }
  return text;
}
std::string TextOf(const CompactionResponseView& done) {
  return fmt::format("revision {}", done.header.revision);
}
std::string TextOf(const LeaseLeasesResponseView& answer) {
  std::vector<std::int64_t> ids;
  for (const LeaseRequestView& lease : answer.leases) ids.push_back(lease.id);
  std::ranges::sort(ids);
  return fmt::format("leases [{}]", fmt::join(ids, " "));
}

template <typename View>
std::string TextAs(std::string_view answer) {
  View view;
  return Parse(answer, view).ok() ? TextOf(view) : std::string(kUnread);
}

std::string LeaseText(Method method, std::string_view answer) {
  LeaseResponseView lease;
  if (!Parse(answer, lease).ok()) return std::string(kUnread);
  if (method != Method::kLeaseTimeToLive) {
    return fmt::format("lease {}, time {} s", lease.id, lease.ttl);
  }
  std::string keys;
  for (const std::string_view key : lease.keys) keys += " " + InQuotes(key);
  return fmt::format("lease {}, left {}, time {} s, keys{}", lease.id, lease.ttl > 0, lease.granted,
                     keys);
}

std::string AnswerText(Method method, std::string_view answer) {
  switch (method) {
    case Method::kPut:
      return TextAs<PutResponseView>(answer);
    case Method::kRange:
      return TextAs<RangeResponseView>(answer);
    case Method::kDeleteRange:
      return TextAs<DeleteRangeResponseView>(answer);
    case Method::kTxn:
      return TextAs<TxnResponseView>(answer);
    case Method::kLeaseLeases:
      return TextAs<LeaseLeasesResponseView>(answer);
    case Method::kLeaseGrant:
    case Method::kLeaseKeepAlive:
    case Method::kLeaseTimeToLive:
      return LeaseText(method, answer);
    default:
      break;
  }
  return TextAs<CompactionResponseView>(answer);
}

std::string EventText(const EventView& event) {
  const std::string type = event.type == 0   ? "put"
                           : event.type == 1 ? "delete"
                                             : fmt::format("{}", event.type);
  return fmt::format("{} {}{}", type, KeyValueText(event.kv),
                     event.has_previous ? "; before: " + KeyValueText(event.previous) : "");
}

}  // namespace

std::vector<StreamLine> StreamLines::Of(const WatchResponseView& response) {
  std::vector<StreamLine> lines;
  const auto add = [&](const std::string& text) {
    lines.push_back({.text = fmt::format("watch {}: {}", response.watch_id, text),
                     .watch = response.watch_id,
                     .header = response.header.revision});
  };
  const bool canceled = response.canceled || response.compact_revision > 0;
  const std::string why = fmt::format("canceled, compact revision {}: {}",
                                      response.compact_revision, response.cancel_reason);
  if (response.created) {
    add(canceled ? "created, but " + why : "created");
    lines.back().created = true;
  } else if (canceled) {
    add(why);
  }
  if (canceled) lines.back().canceled = true;
  std::int64_t& last = last_[response.watch_id];
  if (!response.events.empty() && response.events.front().kv.mod_revision == last) {
    add("another message, of the same revision");
  }
  for (const EventView& event : response.events) {
    last = event.kv.mod_revision;
    add(EventText(event));
  }
  if (response.fragment) {
    last = 0;
    add("a fragment ends");
  }
  if (lines.empty()) {
    add(fmt::format("progress {}", response.header.revision));
    lines.back().progress = true;
  }
  return lines;
}

std::string AnswerLine(const Entry& ended) {
  if (ended.code == StatusCode::kOk) return AnswerText(ended.method, ended.payload.view());
  return fmt::format("error {}: {}", static_cast<int>(ended.code), ended.text);
}

}  // namespace watchproof::explore
