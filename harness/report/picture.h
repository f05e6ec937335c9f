// SPDX-License-Identifier: Apache-2.0
// What an attempt looked like, as lanes over time: one description, from which the page and the SVG
// are made.
//
//   WP_ASSIGN_OR_RETURN(const Picture picture,
//                       ReadPicture({.file = file, .evidence = {{21, 55}, {60}}}));
//   out << ToSvg(picture, caption);   out << ToTrace(picture, caption);
//   out << DumpJson(ToJson(picture));
//
// A lane for each fault, writer and stream, for each disk on which a fault acted, for each layer of
// a consumer, and for the watches that the evidence is about (without evidence: the first ones);
// the other watches of a stream share its lane. Of calls that do not write those are shown that are
// evidence. Several findings share a picture. The picture shows, it does not judge: what a watch
// missed, or received twice, is found by comparing it with the replay of the calls. Threads:
// functions without state. Ownership: values.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/deadline.h"
#include "harness/base/status.h"
#include "harness/base/units.h"
#include "harness/history/entry.h"
#include "harness/history/json_fields.h"

namespace watchproof {

enum class ItemKind {
  kFault,
  kMember,  // its process ended, or does not answer
  kOpened,
  kClosed,
  kWrite,
  kDelete,
  kOtherWrite,  // of keys that no watch of the picture is about
  kLostWrite,   // without an answer
  kCompaction,
  kCall,  // any other, in the evidence
  kAsked,
  kCreated,
  kEvents,
  kProgressAsked,
  kProgress,
  kErrCompacted,
  kCancelled,
  kMissing,   // expected, and never delivered
  kRepeated,  // delivered before
  kLate,      // after a later one
  kForeign,   // below the start, not in the range, or no such change was made
  kDriver,    // what the run says of itself
  // What a layer of a consumer did; its events, bookmarks and watches are as those above.
  kListed,
  kHolds,
  kFailed,
  kTombstone,
  // What a disk did, as in DiskActivity.
  kSync,
  kHeldCall,
  kRefusedCall,
  kForgotten,
  kUnfinished,
  kTakenBack,
  kKilled,
  kStarted,
};
// How a kind is shown.
struct ItemStyle {
  enum class Weight { kRoutine, kPlain, kWrong };
  std::string_view name;    // for the page and the SVG: "missing"
  std::string_view label;   // of "{revisions}", "{times}", "{of}" and "{text}"; see LabelOf
  std::string_view joined;  // after the number of some in one: "writes"; empty: they are not joined
  // In the SVG: shapes are "dot", "ring", "gap", "tick", "diamond", "square", "cross" and "bar"; of
  // a disk "block", "open" and "hatched", as long as they last, and "line", over its whole lane.
  std::string_view colour;
  std::string_view shape;
  std::string_view legend;
  Weight weight = Weight::kPlain;
};
const ItemStyle& StyleOf(ItemKind kind);
inline std::string_view Name(ItemKind kind) { return StyleOf(kind).name; }
// Whether it shows that something is wrong.
inline bool IsDeviation(ItemKind kind) { return StyleOf(kind).weight == ItemStyle::Weight::kWrong; }

// One message or call, or several neighbours of one kind.
struct PictureItem {
  ItemKind kind{};
  Duration at{};
  Duration until{};  // as `at`: a moment
  Revision first{};  // 0: none
  Revision last{};
  Line line{};  // of the first message
  std::size_t count = 1;
  std::size_t cited = 0;        // the number of the line of evidence, from 1; 0: it is none
  std::size_t cited_until = 0;  // likewise, of the line where it ends
  std::string text;
  std::string of =
      {};  // in brief; neighbours of another are not joined: "log"; of a call what it asks for
  Duration longest{};  // of those that are joined
};

// A few characters to stand beside it: "compact 64", "2–67 missing"; may be empty.
std::string LabelOf(const PictureItem& item);
inline bool IsCited(const PictureItem& item) { return item.cited + item.cited_until > 0; }
// Its label may be left out where there is no room.
inline bool IsRoutine(const PictureItem& item) {
  return !IsCited(item) && StyleOf(item.kind).weight == ItemStyle::Weight::kRoutine;
}

struct PictureStep {
  Duration at{};
  Revision revision{};
};

enum class LaneKind { kFault, kMember, kDisk, kWriter, kStream, kWatch, kLayer };
std::string_view Name(LaneKind kind);

struct PictureLane {
  LaneKind kind{};
  std::string name;
  std::vector<PictureItem> items;     // by time
  std::vector<PictureStep> position;  // of a watch: the lowest revision not yet delivered
};

struct CitedLine {
  Line line{};
  Duration at{};
  std::string text;
  bool wrong = false;  // the first wrong moment of a finding: the last line of its evidence
};

struct Picture {
  std::string case_name;
  std::string target;    // "etcd 3.4.23"; empty: unknown
  bool passive = false;  // a proxy recorded what others did
  std::vector<PictureLane> lanes;
  std::vector<PictureStep> head;    // of the store, as far as answers reported it
  std::vector<PictureStep> floor;   // of compaction, as acknowledged
  std::vector<CitedLine> evidence;  // finding by finding, each line once
  Duration from{};
  Duration until{};
  // Where a moment stands from 0 to 1 when pauses are shortened: between these points on a line.
  std::vector<std::pair<Duration, double>> pace;
};

struct PictureRequest {
  std::filesystem::path file;
  std::vector<std::vector<std::uint64_t>> evidence = {};  // lines, of each finding
  std::size_t most = 80;  // items of a lane; neighbours are joined beyond
};
// A damaged recording is shown as far as it can be read. Errors name the file.
Result<Picture> ReadPicture(const PictureRequest& request);

// The place of a moment between the points of `pace`.
double PlaceOf(const Picture& picture, Duration at);
std::int64_t Micros(Duration at);

// As in the schema of the page; times in microseconds.
Json ToJson(const Picture& picture);

// With the lanes: what they show, in words.
struct PictureCaption {
  std::string title;
  std::vector<std::pair<std::string, std::string>> rows;  // "expected", "a revision of ..."
};
// For an issue: light background, no script, readable without anything else.
std::string ToSvg(const Picture& picture, const PictureCaption& caption);
// For a viewer of traces such as Perfetto: the same lanes as Chrome's trace events.
std::string ToTrace(const Picture& picture, const PictureCaption& caption);

}  // namespace watchproof
