// SPDX-License-Identifier: Apache-2.0
#include "harness/report/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "harness/report/text.h"

namespace watchproof {
namespace {

Json ToJson(const std::vector<PictureStep>& steps) {
  Json json = Json::array();
  for (const PictureStep& step : steps) json.push_back({Micros(step.at), step.revision.value});
  return json;
}

std::string RevisionsOf(const PictureItem& item) {
  if (item.first.value == 0) return {};
  if (item.last <= item.first) return fmt::format("{}", item.first);
  return fmt::format("{}–{}", item.first, item.last);
}

Json ToJson(const PictureItem& item) {
  Json json{{"kind", Name(item.kind)}, {"at", Micros(item.at)}};
  if (item.until > item.at) json["until"] = Micros(item.until);
  if (item.first.value != 0) json["first"] = item.first.value;
  if (item.last > item.first) json["last"] = item.last.value;
  if (item.count > 1) json["count"] = item.count;
  if (item.cited > 0) json["cited"] = item.cited;
  if (item.line.value > 0) json["line"] = item.line.value;
  if (const std::string label = LabelOf(item); !label.empty()) json["label"] = label;
  if (IsRoutine(item)) json["routine"] = true;
  if (!item.text.empty()) json["text"] = item.text;
  return json;
}

}  // namespace

std::int64_t Micros(Duration at) {
  return std::chrono::duration_cast<std::chrono::microseconds>(at).count();
}

std::string_view Name(ItemKind kind) {
  static constexpr std::string_view kNames[] = {
      "fault",     "member",      "opened",         "closed",   "write",
      "delete",    "other_write", "lost_write",     "compact",  "asked",
      "created",   "events",      "progress_asked", "progress", "err_compacted",
      "cancelled", "missing",     "repeated",       "late",     "foreign",
      "driver",    "listed",      "holds",          "failed",   "tombstone"};
  return kNames[static_cast<int>(kind)];
}

std::string_view Name(LaneKind kind) {
  static constexpr std::string_view kNames[] = {"fault",  "member", "writer",
                                                "stream", "watch",  "layer"};
  return kNames[static_cast<int>(kind)];
}

bool IsDeviation(ItemKind kind) {
  return kind == ItemKind::kMissing || kind == ItemKind::kRepeated || kind == ItemKind::kLate ||
         kind == ItemKind::kForeign;
}

std::string LabelOf(const PictureItem& item) {
  const std::string revisions = RevisionsOf(item);
  const std::string times = item.count > 1 ? fmt::format(" ×{}", item.count) : "";
  switch (item.kind) {
    case ItemKind::kFault:
    case ItemKind::kMember:
      return item.text;
    case ItemKind::kCompaction:
      return "compact " + revisions;
    case ItemKind::kAsked:
      return revisions.empty() ? "asks from now on" : "asks from " + revisions;
    case ItemKind::kCreated:
      return "created" + times;
    case ItemKind::kProgressAsked:
      return "asks for progress" + times;
    case ItemKind::kProgress:
      return "progress " + revisions + times;
    case ItemKind::kErrCompacted:
      return "ErrCompacted " + revisions + times;
    case ItemKind::kCancelled:
      return "ended" + times;
    case ItemKind::kMissing:
      return revisions + " missing";
    case ItemKind::kRepeated:
      return revisions + " again" + times;
    case ItemKind::kLate:
      return revisions + " late" + times;
    case ItemKind::kForeign:
      return revisions + " foreign";
    case ItemKind::kLostWrite:
      return "no answer";
    case ItemKind::kDelete:
      return "delete " + revisions;
    case ItemKind::kDriver:
      return Shorten(item.text, 40, Charset::kUtf8);
    case ItemKind::kListed:
      return (revisions.empty() ? "list" : "list " + revisions) + times;
    case ItemKind::kHolds:
      return "holds " + revisions;
    case ItemKind::kFailed:
      return Shorten(item.text, 60, Charset::kUtf8);
    case ItemKind::kTombstone:
      return "unknown last state" + times;
    case ItemKind::kOpened:
    case ItemKind::kClosed:
      return std::string(Name(item.kind)) + times;
    default:
      return revisions;
  }
}

bool IsRoutine(const PictureItem& item) {
  switch (item.kind) {
    case ItemKind::kOpened:
    case ItemKind::kClosed:
    case ItemKind::kWrite:
    case ItemKind::kDelete:
    case ItemKind::kOtherWrite:
    case ItemKind::kEvents:
    case ItemKind::kCreated:
    case ItemKind::kProgress:
    case ItemKind::kHolds:
      return item.cited == 0;
    default:
      return false;
  }
}

double PlaceOf(const Picture& picture, Duration at) {
  const auto& pace = picture.pace;
  const auto after = std::upper_bound(
      pace.begin(), pace.end(), at, [](Duration wanted, const std::pair<Duration, double>& point) {
        return wanted < point.first;
      });
  if (after == pace.begin()) return 0;
  if (after == pace.end()) return 1;
  const auto& [begin, first] = *std::prev(after);
  const auto& [end, last] = *after;
  const double share =
      static_cast<double>((at - begin).count()) / static_cast<double>((end - begin).count());
  return first + share * (last - first);
}

Json ToJson(const Picture& picture) {
  Json lanes = Json::array();
  for (const PictureLane& lane : picture.lanes) {
    Json items = Json::array();
    for (const PictureItem& item : lane.items) items.push_back(ToJson(item));
    Json json{{"kind", Name(lane.kind)}, {"name", lane.name}, {"items", std::move(items)}};
    if (!lane.position.empty()) json["position"] = ToJson(lane.position);
    lanes.push_back(std::move(json));
  }
  Json evidence = Json::array();
  for (const CitedLine& cited : picture.evidence) {
    evidence.push_back(
        {{"line", cited.line.value}, {"at", Micros(cited.at)}, {"text", cited.text}});
  }
  Json pace = Json::array();
  for (const auto& [at, place] : picture.pace) {
    pace.push_back({Micros(at), static_cast<double>(static_cast<int>(place * 1e4)) / 1e4});
  }
  return {{"from", Micros(picture.from)},
          {"until", Micros(picture.until)},
          {"head", ToJson(picture.head)},
          {"floor", ToJson(picture.floor)},
          {"evidence", evidence},
          {"pace", pace},
          {"lanes", lanes}};
}

}  // namespace watchproof
