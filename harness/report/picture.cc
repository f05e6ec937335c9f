// SPDX-License-Identifier: Apache-2.0
#include "harness/report/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "harness/report/text.h"

namespace watchproof {
namespace {

constexpr auto kRoutine = ItemStyle::Weight::kRoutine;
constexpr auto kWrong = ItemStyle::Weight::kWrong;
// In the order of the kinds.
constexpr ItemStyle kItemStyles[] = {
    {"fault", "{text}", "", "#9a6700", "bar", "fault"},
    {"member", "{text}", "", "#8250df", "cross", "process of the target"},
    {"opened", "opened{times}", "streams opened", "#57606a", "square", "stream opened or closed",
     kRoutine},
    {"closed", "closed{times}", "streams closed", "#57606a", "square", "stream opened or closed",
     kRoutine},
    {"write", "{revisions}", "writes", "#1b1f24", "tick", "write", kRoutine},
    {"delete", "delete {revisions}", "deletes", "#1b1f24", "tick", "write", kRoutine},
    {"other_write", "{revisions}", "writes of other keys", "#9aa3ad", "tick",
     "write of another key", kRoutine},
    {"lost_write", "no answer", "", "#9a6700", "ring", "write without an answer"},
    {"compact", "compact {revisions}", "", "#bc4c00", "diamond", "compaction"},
    {"call", "{of}", "", "#0969da", "square", "call that the evidence names"},
    {"asked", "asks from {revisions}", "create requests", "#0969da", "ring",
     "watch asked for, created"},
    {"created", "created{times}", "watches are created", "#0969da", "ring",
     "watch asked for, created", kRoutine},
    {"events", "{revisions}", "messages with events", "#0969da", "dot", "events", kRoutine},
    {"progress_asked", "asks for progress{times}", "requests for progress", "#1a7f37", "ring",
     "progress asked for"},
    {"progress", "progress {revisions}{times}", "progress answers", "#1a7f37", "square", "progress",
     kRoutine},
    {"err_compacted", "ErrCompacted {revisions}{times}", "times ErrCompacted", "#8250df", "diamond",
     "ErrCompacted"},
    {"cancelled", "ended{times}", "watches are cancelled", "#57606a", "cross", "watch ended"},
    {"missing", "{revisions} missing", "", "#cf222e", "gap", "missing", kWrong},
    {"repeated", "{revisions} again{times}", "messages with repeated events", "#cf222e", "cross",
     "repeated, late or foreign", kWrong},
    {"late", "{revisions} late{times}", "messages with late events", "#cf222e", "cross",
     "repeated, late or foreign", kWrong},
    {"foreign", "{revisions} foreign", "", "#cf222e", "cross", "repeated, late or foreign", kWrong},
    {"driver", "", "", "#57606a", "square", "the run itself"},
    {"listed", "list {revisions}{times}", "lists", "#0969da", "square", "list"},
    {"holds", "holds {revisions}", "states that it held", "#57606a", "ring", "what a layer holds",
     kRoutine},
    {"failed", "", "errors", "#bc4c00", "cross", "error"},
    {"tombstone", "unknown last state{times}", "deletions of unknown last state", "#8250df",
     "diamond", "deletion of unknown last state"},
    {"sync", "{of}{times}", "syncs", "#1b7c83", "block", "sync", kRoutine},
    {"held", "{of} held{times}", "held calls", "#9a6700", "block", "other call, held", kRoutine},
    {"refused", "{of} refused{times}", "refused calls", "#cf222e", "block", "refused by the disk",
     kRoutine},
    {"forgotten", "{of} forgotten{times}", "forgotten syncs", "#8250df", "block",
     "sync that kept nothing", kRoutine},
    {"unfinished", "{of} unfinished{times}", "unfinished calls", "#57606a", "open",
     "not carried out, the process ended", kRoutine},
    {"lost", "lost: {of}", "", "#bc4c00", "hatched", "taken back by a power failure"},
    {"killed", "killed: {of}", "", "#1b1f24", "line", "killed at a call"},
    {"started", "started again{times}", "starts", "#1a7f37", "square", "started again", kRoutine},
};
static_assert(std::size(kItemStyles) == static_cast<std::size_t>(ItemKind::kStarted) + 1);

std::string RevisionsOf(const PictureItem& item) {
  if (item.first.value == 0) return {};
  if (item.last <= item.first) return fmt::format("{}", item.first);
  return fmt::format("{}–{}", item.first, item.last);
}

}  // namespace

std::int64_t Micros(Duration at) {
  return std::chrono::duration_cast<std::chrono::microseconds>(at).count();
}

const ItemStyle& StyleOf(ItemKind kind) { return kItemStyles[static_cast<std::size_t>(kind)]; }

std::string_view Name(LaneKind kind) {
  static constexpr std::string_view kNames[] = {"fault",  "member", "disk", "writer",
                                                "stream", "watch",  "layer"};
  return kNames[static_cast<int>(kind)];
}

std::string LabelOf(const PictureItem& item) {
  const std::string revisions = RevisionsOf(item);
  const std::string times = item.count > 1 ? fmt::format(" ×{}", item.count) : "";
  if (item.kind == ItemKind::kDriver) return Shorten(item.text, 40, Charset::kUtf8);
  if (item.kind == ItemKind::kFailed) return Shorten(item.text, 60, Charset::kUtf8);
  if (item.kind == ItemKind::kAsked && revisions.empty()) return "asks from now on";
  if (item.kind == ItemKind::kListed && revisions.empty()) return "list" + times;
  return fmt::format(fmt::runtime(StyleOf(item.kind).label), fmt::arg("revisions", revisions),
                     fmt::arg("times", times), fmt::arg("of", item.of),
                     fmt::arg("text", item.text));
}

double PlaceOf(const Picture& picture, Duration at) {
  const auto& pace = picture.pace;
  const auto after = std::ranges::upper_bound(pace, at, {}, &std::pair<Duration, double>::first);
  if (after == pace.begin()) return 0;
  if (after == pace.end()) return 1;
  const auto& [begin, first] = *std::prev(after);
  const auto& [end, last] = *after;
  const double share =
      static_cast<double>((at - begin).count()) / static_cast<double>((end - begin).count());
  return first + share * (last - first);
}

void to_json(Json& json, const PictureStep& step) { json = {Micros(step.at), step.revision}; }
void to_json(Json& json, const PictureItem& item) {
  json = {{"kind", Name(item.kind)}, {"at", Micros(item.at)}};
  if (item.until > item.at) json["until"] = Micros(item.until);
  if (item.first.value != 0) json["first"] = item.first;
  if (item.last > item.first) json["last"] = item.last;
  if (item.count > 1) json["count"] = item.count;
  if (item.cited > 0) json["cited"] = item.cited;
  if (item.cited_until > 0) json["cited_until"] = item.cited_until;
  if (item.line.value > 0) json["line"] = item.line;
  if (const std::string label = LabelOf(item); !label.empty()) json["label"] = label;
  if (IsRoutine(item)) json["routine"] = true;
  if (!item.text.empty()) json["text"] = item.text;
}
void to_json(Json& json, const PictureLane& lane) {
  json = {{"kind", Name(lane.kind)}, {"name", lane.name}, {"items", lane.items}};
  if (!lane.position.empty()) json["position"] = lane.position;
}
void to_json(Json& json, const CitedLine& cited) {
  json = {{"line", cited.line}, {"at", Micros(cited.at)}, {"text", cited.text}};
  if (cited.wrong) json["wrong"] = true;
}

Json ToJson(const Picture& picture) {
  Json pace = Json::array();
  for (const auto& [at, place] : picture.pace) {
    pace.push_back({Micros(at), static_cast<double>(static_cast<int>(place * 1e4)) / 1e4});
  }
  return {{"from", Micros(picture.from)}, {"until", Micros(picture.until)}, {"head", picture.head},
          {"floor", picture.floor},       {"evidence", picture.evidence},   {"pace", pace},
          {"lanes", picture.lanes}};
}

}  // namespace watchproof
