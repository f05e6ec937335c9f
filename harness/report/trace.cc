// SPDX-License-Identifier: Apache-2.0
// Chrome's trace events, for Perfetto: one track per attempt; faults overlap and are therefore
// asynchronous.
#include <cmath>

#include "harness/history/json_fields.h"
#include "harness/report/formats.h"

namespace watchproof {
namespace {

std::int64_t Micros(double seconds) { return std::llround(seconds * 1e6); }

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
                      {"ts", Micros(attempt.begin)},
                      {"dur", Micros(result.seconds)},
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
                          {"ts", Micros(attempt.begin + at)},
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

}  // namespace

}  // namespace watchproof
