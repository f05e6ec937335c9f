// SPDX-License-Identifier: Apache-2.0
// Chrome's trace events, which Perfetto opens. Of a run: one track per attempt; faults overlap and
// are therefore asynchronous. Of a picture: a track per lane, in the order of the lanes.
#include <algorithm>
#include <cmath>

#include "harness/history/json_fields.h"
#include "harness/report/formats.h"
#include "harness/report/picture.h"
#include "harness/report/text.h"

namespace watchproof {
namespace {

std::int64_t MicrosOf(double seconds) { return std::llround(seconds * 1e6); }

std::string ToTrace(const RunRecord& record) {
  Json events = Json::array();
  events.push_back({{"name", "process_name"},
                    {"ph", "M"},
                    {"pid", 1},
                    {"args", {{"name", "watchproof " + record.id}}}});
  int track = 0;
  int fault_id = 0;
  for (const AttemptSummary& attempt : record.attempts) {
    const AttemptResult& result = attempt.result;
    const AttemptRow row = RowOf(record, attempt);
    ++track;
    events.push_back({{"name", "thread_name"},
                      {"ph", "M"},
                      {"pid", 1},
                      {"tid", track},
                      {"args", {{"name", result.case_name + " on " + row.label}}}});
    events.push_back({{"name", result.case_name},
                      {"cat", "attempt"},
                      {"ph", "X"},
                      {"ts", MicrosOf(attempt.begin)},
                      {"dur", MicrosOf(result.seconds)},
                      {"pid", 1},
                      {"tid", track},
                      {"args",
                       {{"outcome", StyleOf(row.outcome).name},
                        {"target", result.target},
                        {"seed", result.seed},
                        {"reason", result.reason}}}});
    for (const ReceiptRecord& receipt : result.receipts) {
      ++fault_id;
      for (const bool start : {true, false}) {
        const double at = start ? receipt.armed_at : receipt.healed_at;
        events.push_back({{"name", receipt.fault},
                          {"cat", "fault"},
                          {"ph", start ? "b" : "e"},
                          {"id", fault_id},
                          {"ts", MicrosOf(attempt.begin + at)},
                          {"pid", 1},
                          {"tid", track},
                          {"args", {{"fired", receipt.fired}, {"text", receipt.text}}}});
      }
    }
  }
  const Json trace{{"displayTimeUnit", "ms"}, {"traceEvents", events}};
  return DumpJson(trace) + "\n";
}

const FormatRegistration kTrace{{.file = "trace.json", .render = &ToTrace}};

class Trace {
 public:
  void Add(const PictureLane& lane) {
    std::string name = lane.name;
    std::replace(name.begin(), name.end(), '\n', ' ');
    if (lane.kind == LaneKind::kFault) name = "fault " + name;
    used_.clear();
    for (const PictureItem& item : lane.items) {
      const std::string label = LabelOf(item);
      const std::string_view kind = watchproof::Name(item.kind);
      Json args{{"text", item.text}};
      if (item.first.value != 0) args["first_revision"] = item.first.value;
      if (item.last > item.first) args["last_revision"] = item.last.value;
      if (item.line.value > 0) args["line"] = item.line.value;
      if (item.cited > 0) args["evidence"] = item.cited;
      if (item.cited_until > 0) args["evidence_until"] = item.cited_until;
      Json event{{"name", IsDeviation(item.kind) || item.kind == ItemKind::kFault || label.empty()
                              ? (label.empty() ? std::string(kind) : label)
                              : fmt::format("{}: {}", kind, label)},
                 {"cat", kind},
                 {"ph", item.until > item.at ? "X" : "i"},
                 {"ts", Micros(item.at)},
                 {"pid", 1},
                 {"tid", TrackFor(item, name)},
                 {"args", std::move(args)}};
      if (item.until > item.at) {
        event["dur"] = Micros(item.until) - Micros(item.at);
      } else {
        event["s"] = "t";
      }
      events_.push_back(std::move(event));
    }
    if (!lane.position.empty()) AddCounter(name + " waits for", lane.position);
  }

  void AddCounter(const std::string& name, const std::vector<PictureStep>& steps) {
    for (const PictureStep& step : steps) {
      events_.push_back({{"name", name},
                         {"ph", "C"},
                         {"ts", Micros(step.at)},
                         {"pid", 1},
                         {"args", {{"revision", step.revision.value}}}});
    }
  }

  void AddMoment(const std::string& name, const CitedLine& cited) {
    events_.push_back({{"name", name},
                       {"cat", "evidence"},
                       {"ph", "i"},
                       {"s", "p"},
                       {"ts", Micros(cited.at)},
                       {"pid", 1},
                       {"args", {{"line", cited.line.value}, {"text", cited.text}}}});
  }

  void Name(std::string_view what, int track, const std::string& name) {
    events_.push_back(
        {{"name", what}, {"ph", "M"}, {"pid", 1}, {"tid", track}, {"args", {{"name", name}}}});
  }
  Json Finish() { return std::move(events_); }

 private:
  // The first track of a lane that is free; slices of one track must not overlap.

  int TrackFor(const PictureItem& item, const std::string& lane) {
    for (auto& [track, until] : used_) {
      if (until > item.at) continue;
      until = item.until;
      return track;
    }
    used_.emplace_back(++tracks_, item.until);
    Name("thread_name", tracks_, lane);
    events_.push_back({{"name", "thread_sort_index"},
                       {"ph", "M"},
                       {"pid", 1},
                       {"tid", tracks_},
                       {"args", {{"sort_index", tracks_}}}});
    return tracks_;
  }

  Json events_ = Json::array();
  int tracks_ = 0;
  std::vector<std::pair<int, Duration>> used_;  // by the current lane, and until when
};

}  // namespace

std::string ToTrace(const Picture& picture, const PictureCaption& caption) {
  Trace trace;
  trace.Name("process_name", 0, caption.title);
  for (const PictureLane& lane : picture.lanes) trace.Add(lane);
  trace.AddCounter("revision of the store", picture.head);
  trace.AddCounter("compaction floor", picture.floor);
  for (std::size_t i = 0; i < picture.evidence.size(); ++i) {
    trace.AddMoment(
        picture.evidence[i].wrong ? "first wrong moment" : fmt::format("evidence {}", i + 1),
        picture.evidence[i]);
  }
  Json about = Json::object();
  for (const auto& [name, text] : caption.rows) about[name] = CleanText(text);
  return DumpJson({{"displayTimeUnit", "ms"},
                   {"otherData", std::move(about)},
                   {"traceEvents", trace.Finish()}}) +
         "\n";
}

}  // namespace watchproof
