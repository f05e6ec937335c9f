// SPDX-License-Identifier: Apache-2.0
#include "harness/driver/result.h"

#include <nlohmann/json.hpp>

namespace watchproof {
namespace {

// Keeps the order of the fields, so that a line reads from the case to the evidence.
using Json = nlohmann::ordered_json;

struct VerdictRow {
  Verdict verdict;
  std::string_view name;
  std::string_view explain;
};

constexpr VerdictRow kVerdicts[] = {
    {Verdict::kPass, "pass",
     "The guarantees held, and the scenario took place as planned: the faults took effect, the "
     "load "
     "was reached, the recording is complete and every watch reached a final state."},
    {Verdict::kFail, "fail",
     "At least one finding: the recording shows that the target broke a promise. A failure that "
     "the manifest expects for that release is known: it stays a failure, but does not turn the "
     "exit code."},
    {Verdict::kInconclusive, "inconclusive",
     "Too little evidence for pass or fail: a fault took no effect, the load was too low, the "
     "recording is incomplete or the outcome of a write stayed unknown. Never counted as a pass."},
    {Verdict::kUnsupported, "unsupported",
     "The target does not offer a capability that the case needs, so there was nothing to judge."},
    {Verdict::kHarnessError, "harness_error",
     "An error of watchproof or of the machine, not of the target: the case crashed, hung, or "
     "ended "
     "without a result, or the target could not be started. Proves nothing about any guarantee."},
};

const VerdictRow& Row(Verdict verdict) { return kVerdicts[static_cast<std::size_t>(verdict)]; }

Json ToJson(const FindingRecord& finding) {
  return Json{{"guarantee", finding.guarantee}, {"promise", finding.promise},
              {"impact", finding.impact},       {"watch", finding.watch},
              {"expected", finding.expected},   {"observed", finding.observed},
              {"signature", finding.signature}, {"meanwhile", finding.meanwhile},
              {"evidence", finding.evidence},   {"messages", finding.messages},
              {"level", finding.level}};
}

Json ToJson(const ReceiptRecord& receipt) {
  return Json{{"fault", receipt.fault},
              {"fired", receipt.fired},
              {"required", receipt.required},
              {"armed_at", receipt.armed_at},
              {"healed_at", receipt.healed_at},
              {"measured", receipt.measured},
              {"overlapped",
               {{"calls", receipt.overlap.calls},
                {"lost", receipt.overlap.lost},
                {"responses", receipt.overlap.responses},
                {"lines", {receipt.overlap.first_line, receipt.overlap.last_line}}}},
              {"text", receipt.text}};
}

FindingRecord ReadFinding(const Json& json) {
  return {.guarantee = json.at("guarantee"),
          .promise = json.value("promise", ""),
          .impact = json.value("impact", ""),
          .watch = json.value("watch", ""),
          .expected = json.value("expected", ""),
          .observed = json.value("observed", ""),
          .signature = json.value("signature", ""),
          .meanwhile = json.value("meanwhile", ""),
          .evidence = json.value("evidence", std::vector<std::uint64_t>{}),
          .messages = json.value("messages", std::vector<std::string>{}),
          .level = json.value("level", "must")};
}

Overlap ReadOverlap(const Json& json) {
  const auto lines = json.value("lines", std::vector<std::uint64_t>{0, 0});
  return {.calls = json.value("calls", std::uint64_t{0}),
          .lost = json.value("lost", std::uint64_t{0}),
          .responses = json.value("responses", std::uint64_t{0}),
          .first_line = lines.at(0),
          .last_line = lines.at(1)};
}

ReceiptRecord ReadReceipt(const Json& json) {
  return {.fault = json.at("fault"),
          .fired = json.at("fired"),
          .required = json.value("required", true),
          .armed_at = json.value("armed_at", 0.0),
          .healed_at = json.value("healed_at", 0.0),
          .measured = json.value("measured", std::map<std::string, std::int64_t>{}),
          .overlap = ReadOverlap(json.value("overlapped", Json::object())),
          .text = json.value("text", "")};
}

// The usual quantiles are added for readers that do not know the buckets.
Json ToJson(const Histogram& histogram) {
  return Json{{"count", histogram.count()},
              {"p50", histogram.Quantile(0.5)},
              {"p99", histogram.Quantile(0.99)},
              {"max", histogram.highest()},
              {"buckets", histogram.Buckets()}};
}

Json ToJson(const Lag& lag) {
  Json json{{"delivery_us", ToJson(lag.delivery_us)},
            {"watcher_p99_us", ToJson(lag.watcher_p99_us)},
            {"stream_spread_us", ToJson(lag.stream_spread_us)},
            {"revisions_behind", ToJson(lag.revisions_behind)},
            {"recoveries", Json::array()},
            {"footprints", Json::array()}};
  for (const Recovery& recovery : lag.recoveries) {
    json["recoveries"].push_back(
        {{"fault", recovery.fault}, {"us", ToJson(recovery.microseconds)}});
  }
  for (const Footprint& footprint : lag.footprints) {
    json["footprints"].push_back({{"fault", footprint.fault},
                                  {"before", footprint.before},
                                  {"bytes", ToJson(footprint.bytes)}});
  }
  return json;
}

Json ToJson(const Exercise& exercise) {
  return Json{{"watches_asked", exercise.watches_asked},
              {"watches_created", exercise.watches_created},
              {"events_expected", exercise.events_expected},
              {"events_delivered", exercise.events_delivered},
              {"promises_asked", exercise.promises_asked},
              {"promises_answered", exercise.promises_answered},
              {"opportunities", exercise.opportunities}};
}

Exercise ReadExercise(const Json& json) {
  const auto number = [&json](const char* name) { return json.value(name, std::uint64_t{0}); };
  return {.watches_asked = number("watches_asked"),
          .watches_created = number("watches_created"),
          .events_expected = number("events_expected"),
          .events_delivered = number("events_delivered"),
          .promises_asked = number("promises_asked"),
          .promises_answered = number("promises_answered"),
          .opportunities = json.value("opportunities", std::map<std::string, std::uint64_t>{})};
}

Histogram ReadHistogram(const Json& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end()) return {};
  using Buckets = std::vector<std::pair<std::int64_t, std::uint64_t>>;
  return Histogram::Restore(found->at("buckets").get<Buckets>(), found->at("max"));
}

Lag ReadLag(const Json& json) {
  Lag lag{.delivery_us = ReadHistogram(json, "delivery_us"),
          .watcher_p99_us = ReadHistogram(json, "watcher_p99_us"),
          .stream_spread_us = ReadHistogram(json, "stream_spread_us"),
          .revisions_behind = ReadHistogram(json, "revisions_behind")};
  for (const Json& recovery : json.value("recoveries", Json::array())) {
    lag.recoveries.push_back({recovery.at("fault"), ReadHistogram(recovery, "us")});
  }
  for (const Json& footprint : json.value("footprints", Json::array())) {
    lag.footprints.push_back(
        {footprint.at("fault"), footprint.at("before"), ReadHistogram(footprint, "bytes")});
  }
  return lag;
}

CallsRecord ReadCalls(const Json& json) {
  return {.judged = json.value("judged", std::uint64_t{0}),
          .undecided = json.value("undecided", std::vector<std::string>{})};
}

// Throws what the library throws; the one caller turns that into a Status.
AttemptResult ReadResult(const Json& json, Verdict verdict) {
  AttemptResult result{.case_name = json.at("case"),
                       .target = json.at("target"),
                       .target_version = json.value("target_version", ""),
                       .seed = json.at("seed"),
                       .attempt = json.at("attempt"),
                       .verdict = verdict,
                       .known = json.value("known", false),
                       .declared = json.value("declared", false),
                       .target_failed = json.value("target_failed", false),
                       .upstream = json.value("upstream", std::vector<int>{}),
                       .started = json.value("started", ""),
                       .seconds = json.value("seconds", 0.0),
                       .reason = json.value("reason", ""),
                       .findings = {},
                       .receipts = {},
                       .calls = ReadCalls(json.value("calls", Json::object())),
                       .exercise = ReadExercise(json.value("exercise", Json::object())),
                       .lag = ReadLag(json.value("lag", Json::object())),
                       .folder = json.value("folder", ""),
                       .missing = json.value("missing", std::vector<std::string>{})};
  for (const Json& finding : json.value("findings", Json::array())) {
    result.findings.push_back(ReadFinding(finding));
  }
  for (const Json& note : json.value("notes", Json::array())) {
    result.notes.push_back(ReadFinding(note));
  }
  for (const Json& receipt : json.value("receipts", Json::array())) {
    result.receipts.push_back(ReadReceipt(receipt));
  }
  return result;
}

}  // namespace

std::string_view Name(Verdict verdict) { return Row(verdict).name; }
std::string_view Explain(Verdict verdict) { return Row(verdict).explain; }

std::optional<Verdict> FindVerdict(std::string_view name) {
  for (const VerdictRow& row : kVerdicts) {
    if (row.name == name) return row.verdict;
  }
  return std::nullopt;
}

std::string ToJsonLine(const AttemptResult& result) {
  Json json{{"schema", kResultSchema},
            {"case", result.case_name},
            {"target", result.target},
            {"target_version", result.target_version},
            {"seed", result.seed},
            {"attempt", result.attempt},
            {"verdict", Name(result.verdict)},
            {"known", result.known},
            {"declared", result.declared},
            {"target_failed", result.target_failed},
            {"upstream", result.upstream},
            {"started", result.started},
            {"seconds", result.seconds},
            {"reason", result.reason},
            {"findings", Json::array()},
            {"notes", Json::array()},
            {"receipts", Json::array()},
            {"calls", {{"judged", result.calls.judged}, {"undecided", result.calls.undecided}}},
            {"exercise", ToJson(result.exercise)},
            {"lag", ToJson(result.lag)},
            {"folder", result.folder},
            {"missing", result.missing}};
  for (const FindingRecord& finding : result.findings) json["findings"].push_back(ToJson(finding));
  for (const FindingRecord& note : result.notes) json["notes"].push_back(ToJson(note));
  for (const ReceiptRecord& receipt : result.receipts) json["receipts"].push_back(ToJson(receipt));
  // Keys and values of a target may be any bytes; a result line is always valid UTF-8.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<AttemptResult> ParseResultLine(std::string_view line) {
  const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    return Fail(StatusCode::kInvalidArgument, "not a result line: expected one JSON object");
  }
  try {
    if (const int schema = json.at("schema"); schema != kResultSchema) {
      return Fail(StatusCode::kUnimplemented,
                  "result line of schema {}; this build reads schema {}", schema, kResultSchema);
    }
    const auto verdict = FindVerdict(json.at("verdict").get<std::string>());
    if (!verdict) {
      return Fail(StatusCode::kInvalidArgument, "result line with the unknown verdict {}",
                  json.at("verdict").dump());
    }
    return ReadResult(json, *verdict);
  } catch (const nlohmann::json::exception& error) {
    return Fail(StatusCode::kInvalidArgument, "not a result line: {}", error.what());
  }
}

}  // namespace watchproof
