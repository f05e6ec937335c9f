// SPDX-License-Identifier: Apache-2.0
#include "harness/history/dump.h"

#include <algorithm>
#include <optional>

#include "harness/history/json_fields.h"
#include "harness/history/reader.h"
#include "harness/history/wire.h"

namespace watchproof {
namespace {

constexpr std::size_t kLongestValue = 64;
// How many lines of the watch to show on either side of a line of evidence.
constexpr std::size_t kNeighbours = 3;

void AddValue(Json& json, std::string_view value) {
  json["value"] = value.substr(0, kLongestValue);
  if (value.size() > kLongestValue) json["value_bytes"] = value.size();
}

Json ToJson(const KeyValueView& kv) {
  Json json{{"key", kv.key}};
  if (kv.create_revision != 0) json["create_revision"] = kv.create_revision;
  json["mod_revision"] = kv.mod_revision;
  if (kv.version != 0) json["version"] = kv.version;
  if (!kv.value.empty()) AddValue(json, kv.value);
  if (kv.lease != 0) json["lease"] = kv.lease;
  return json;
}

Json ToJson(const WatchRequestView& request) {
  switch (request.kind) {
    case WatchRequestKind::kNone:
      return {{"empty", true}};
    case WatchRequestKind::kProgress:
      return {{"progress", true}};
    case WatchRequestKind::kCancel:
      return {{"cancel", request.cancel_id}};
    case WatchRequestKind::kCreate:
      break;
  }
  const WatchCreateView& create = request.create;
  Json json{{"key", create.key}};
  if (!create.range_end.empty()) json["range_end"] = create.range_end;
  json["start_revision"] = create.start_revision;
  if (create.watch_id != 0) json["watch_id"] = create.watch_id;
  for (const WatchOption& option : kWatchOptions) {
    if (create.*option.flag) json[std::string(option.name)] = true;
  }
  return {{"create", json}};
}

Json ToJson(const WatchResponseView& response) {
  Json json{{"watch_id", response.watch_id}, {"revision", response.header.revision}};
  if (response.created) json["created"] = true;
  if (response.canceled) json["canceled"] = true;
  if (response.compact_revision != 0) json["compact_revision"] = response.compact_revision;
  if (!response.cancel_reason.empty()) json["cancel_reason"] = response.cancel_reason;
  if (response.fragment) json["fragment"] = true;
  for (const EventView& event : response.events) {
    Json item{{"type", event.type == 0 ? "put" : "delete"}};
    item.update(ToJson(event.kv));
    if (event.has_previous) item["previous"] = ToJson(event.previous);
    json["events"].push_back(std::move(item));
  }
  return json;
}

// Calls are shown by what matters for a watch: the request and the resulting revision.
Json CallToJson(const Entry& entry) {
  Json json{{"call", entry.call.value}, {"method", InfoOf(entry.method).name}};
  if (entry.kind == EntryKind::kCallEnded) {
    if (entry.code != StatusCode::kOk) {
      json["error"] = entry.text;
      return json;
    }
    HeaderView header;
    if (ParseHeader(entry.payload.view(), header).ok()) json["revision"] = header.revision;
    LeaseResponseView granted;
    if (entry.method == Method::kLeaseGrant && Parse(entry.payload.view(), granted).ok()) {
      json["lease"] = granted.id;
    }
    return json;
  }
  if (!entry.text.empty()) json["client"] = entry.text;
  if (entry.method == Method::kPut) {
    PutRequestView put;
    if (Parse(entry.payload.view(), put).ok()) {
      json["key"] = put.key;
      AddValue(json, put.value);
      if (put.lease != 0) json["lease"] = put.lease;
    }
  } else if (entry.method == Method::kDeleteRange) {
    DeleteRangeRequestView erase;
    if (Parse(entry.payload.view(), erase).ok()) {
      json["key"] = erase.key;
      if (!erase.range_end.empty()) json["range_end"] = erase.range_end;
    }
  } else if (entry.method == Method::kRange) {
    RangeRequestView range;
    if (Parse(entry.payload.view(), range).ok()) {
      json["key"] = range.key;
      if (!range.range_end.empty()) json["range_end"] = range.range_end;
      if (range.revision != 0) json["at"] = range.revision;
      if (range.serializable) json["serializable"] = true;
    }
  } else if (entry.method == Method::kCompact) {
    CompactionRequestView compaction;
    if (Parse(entry.payload.view(), compaction).ok()) json["at"] = compaction.revision;
  } else if (entry.method == Method::kLeaseGrant) {
    LeaseGrantRequestView grant;
    if (Parse(entry.payload.view(), grant).ok()) json["ttl"] = grant.ttl;
  } else if (entry.method == Method::kLeaseRevoke || entry.method == Method::kLeaseKeepAlive ||
             entry.method == Method::kLeaseTimeToLive) {
    LeaseRequestView of;
    if (Parse(entry.payload.view(), of).ok()) json["lease"] = of.id;
  }
  return json;
}

template <typename View>
Json MessageToJson(const Status& parsed, const View& view) {
  return parsed.ok() ? ToJson(view) : Json{{"malformed", parsed.message()}};
}
Json RequestToJson(const Entry& entry) {
  WatchRequestView view;
  return MessageToJson(Parse(entry.payload.view(), view), view);
}
Json ResponseToJson(const Entry& entry) {
  WatchResponseView view;
  return MessageToJson(Parse(entry.payload.view(), entry.tail.view(), view), view);
}

Json ToJson(const NumberedEntry& line) {
  const Entry& entry = line.entry;
  Json json{{"line", line.line.value},
            {"at_ms", static_cast<double>(entry.at.count() / 1000) / 1000.0},
            {"kind", Name(entry.kind)}};
  if (entry.stream.value != 0) json["stream"] = entry.stream.value;
  switch (entry.kind) {
    case EntryKind::kRequestSent:
      json.update(RequestToJson(entry));
      break;
    case EntryKind::kResponseReceived:
      json.update(ResponseToJson(entry));
      break;
    case EntryKind::kCallStarted:
    case EntryKind::kCallEnded:
      json.update(CallToJson(entry));
      break;
    default:
      if (entry.code != StatusCode::kOk) json["code"] = watchproof::Name(entry.code);
      if (!entry.text.empty()) json["text"] = entry.text;
  }
  return json;
}

// One entry, in JSON, and the watch it concerns.
struct Reported {
  Line line;
  StreamId stream;
  std::int64_t watch = 0;
  Json json;
};

bool IsEvidence(const std::vector<std::vector<Line>>& evidence, Line line) {
  return std::any_of(evidence.begin(), evidence.end(), [&](const std::vector<Line>& lines) {
    return std::find(lines.begin(), lines.end(), line) != lines.end();
  });
}

// The evidence's own lines, then those of the same watches next to them.
Json Choose(const std::vector<Reported>& all, const std::vector<Line>& evidence) {
  std::vector<bool> chosen(all.size(), false);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (std::find(evidence.begin(), evidence.end(), all[i].line) == evidence.end()) continue;
    chosen[i] = true;
    const auto same = [&](std::size_t j) {
      return all[j].stream == all[i].stream && all[j].watch == all[i].watch;
    };
    std::size_t found = 0;
    for (std::size_t j = i; j-- > 0 && found < kNeighbours;) {
      if (same(j)) chosen[j] = ++found > 0;
    }
    found = 0;
    for (std::size_t j = i + 1; j < all.size() && found < kNeighbours; ++j) {
      if (same(j)) chosen[j] = ++found > 0;
    }
  }
  Json excerpt = Json::array();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (chosen[i]) excerpt.push_back(all[i].json);
  }
  return excerpt;
}

}  // namespace

std::string DumpLine(const NumberedEntry& line) { return DumpJson(ToJson(line)); }

Result<std::vector<std::string>> ExcerptFor(const std::filesystem::path& file,
                                            const std::vector<std::vector<Line>>& evidence) {
  WP_ASSIGN_OR_RETURN(const auto reader, HistoryReader::Open(file));
  std::vector<Reported> all;
  WP_RETURN_IF_ERROR(reader->Each([&](const NumberedEntry& line) {
    const bool response = line.entry.kind == EntryKind::kResponseReceived;
    if (!response && !IsEvidence(evidence, line.line)) return true;
    Json json = ToJson(line);
    const std::int64_t watch = json.value("watch_id", std::int64_t{-1});
    all.push_back({line.line, line.entry.stream, watch, std::move(json)});
    return true;
  }));
  std::vector<std::string> excerpts;
  for (const std::vector<Line>& lines : evidence) excerpts.push_back(DumpJson(Choose(all, lines)));
  return excerpts;
}

bool WatchFilter::Concerns(const NumberedEntry& line) {
  const EntryKind kind = line.entry.kind;
  const bool frame = kind == EntryKind::kStreamOpened || kind == EntryKind::kStreamClosed;
  concerned_ = frame && line.entry.stream == stream_;
  parser_.Consume(line);
  return concerned_;
}

void WatchFilter::OnAsked(WatchIndex watch, const Asked& asked) {
  if (asked.stream != stream_ || asked.ordinal != ordinal_) return;
  wanted_ = watch;
  concerned_ = true;
}

void WatchFilter::OnAnnotation(const Annotation& annotation, Where) {
  const auto* next = std::get_if<Resumption>(&annotation);
  if (next == nullptr) return;
  concerned_ = (next->stream == stream_ && next->ordinal == ordinal_) ||
               (next->next_stream == stream_ && next->next_ordinal == ordinal_);
}

}  // namespace watchproof
