// SPDX-License-Identifier: Apache-2.0
#include "harness/results/result.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "harness/history/json_fields.h"

namespace watchproof {
namespace {

// In the order of Verdict.
constexpr std::string_view kVerdicts[] = {"pass", "fail", "inconclusive", "unsupported",
                                          "harness_error"};

}  // namespace

std::string_view Name(Verdict verdict) { return kVerdicts[static_cast<std::size_t>(verdict)]; }

std::optional<Verdict> FindVerdict(std::string_view name) {
  const auto found = std::ranges::find(kVerdicts, name);
  if (found == std::end(kVerdicts)) return std::nullopt;
  return static_cast<Verdict>(found - std::begin(kVerdicts));
}

// The usual quantiles are added for readers that do not know the buckets.
void to_json(Json& json, const Histogram& histogram) {
  json = {{"count", histogram.count()},
          {"p50", histogram.Quantile(0.5)},
          {"p99", histogram.Quantile(0.99)},
          {"max", histogram.highest()},
          {"buckets", histogram.Buckets()}};
}

void from_json(const Json& json, Histogram& histogram) {
  using Buckets = std::vector<std::pair<std::int64_t, std::uint64_t>>;
  histogram = Histogram::Restore(json.at("buckets").get<Buckets>(), json.at("max"));
}

void Fields(auto& field, Recovery& recovery) {
  field.Required("fault", recovery.fault);
  field("us", recovery.microseconds);
}

void Fields(auto& field, Footprint& footprint) {
  field.Required("fault", footprint.fault);
  field.Required("before", footprint.before);
  field("bytes", footprint.bytes);
}

void Fields(auto& field, LagCourse& course) {
  field("step_us", course.step_us);
  field("events", course.events);
  field("p50_us", course.p50_us);
  field("p99_us", course.p99_us);
  field("spread_us", course.spread_us);
  field("waiting", course.waiting);
}

void Fields(auto& field, Lag& lag) {
  field("delivery_us", lag.delivery_us);
  field("watcher_p99_us", lag.watcher_p99_us);
  field("stream_spread_us", lag.stream_spread_us);
  field("revisions_behind", lag.revisions_behind);
  field("recoveries", lag.recoveries);
  field("footprints", lag.footprints);
  field("course", lag.course);
}

void Fields(auto& field, Exercise& exercise) {
  field("watches_asked", exercise.watches_asked);
  field("watches_created", exercise.watches_created);
  field("events_expected", exercise.events_expected);
  field("events_delivered", exercise.events_delivered);
  field("promises_asked", exercise.promises_asked);
  field("promises_answered", exercise.promises_answered);
  field("asked", exercise.asked);
  field("opportunities", exercise.opportunities);
}

void Fields(auto& field, FindingRecord& finding) {
  field.Required("guarantee", finding.guarantee);
  field("promise", finding.promise);
  field("clause", finding.clause);
  field("impact", finding.impact);
  field("watch", finding.watch);
  field("expected", finding.expected);
  field("observed", finding.observed);
  field("signature", finding.signature);
  field("resembles", finding.resembles);
  field("meanwhile", finding.meanwhile);
  field("evidence", finding.evidence);
  field("messages", finding.messages);
  field("level", finding.level);
  field("standing", finding.standing);
}

void Fields(auto& field, Overlap& overlap) {
  field("calls", overlap.calls);
  field("lost", overlap.lost);
  field("responses", overlap.responses);
  auto lines = std::pair(overlap.first_line, overlap.last_line);
  field("lines", lines);
  std::tie(overlap.first_line, overlap.last_line) = lines;
}

void Fields(auto& field, ReceiptRecord& receipt) {
  field.Required("fault", receipt.fault);
  field.Required("fired", receipt.fired);
  field("required", receipt.required);
  field("armed_at", receipt.armed_at);
  field("healed_at", receipt.healed_at);
  field("measured", receipt.measured);
  field("overlapped", receipt.overlap);
  field("text", receipt.text);
}

void Fields(auto& field, CallsRecord& calls) {
  field("judged", calls.judged);
  field("undecided", calls.undecided);
}

void Fields(auto& field, LayerCounts& counts) {
  field.Required("layer", counts.layer);
  field("counted", counts.counted);
}

void Fields(auto& field, ConsumerRecord& consumer) {
  field("name", consumer.name);
  auto verdict = std::string(Name(consumer.verdict));
  field("verdict", verdict);
  consumer.verdict = FindVerdict(verdict).value_or(Verdict::kHarnessError);
  field("reason", consumer.reason);
  field("wrong_below", consumer.wrong_below);
  field("findings", consumer.findings);
  field("counts", consumer.counts);
}

void Fields(auto& field, UndecidedTry& one) {
  field.Required("seed", one.seed);
  field("seconds", one.seconds);
  field("reason", one.reason);
}

void Fields(auto& field, Measured& one) {
  field.Required("of", one.of);
  field.Required("beside", one.beside);
  field.Required("with", one.with);
  field.Required("without", one.without);
}

void Fields(auto& field, AttemptResult& result) {
  field.Required("case", result.case_name);
  field.Required("target", result.target);
  field("target_version", result.target_version);
  field("api_version", result.api_version);
  field.Required("seed", result.seed);
  field.Required("attempt", result.attempt);
  auto verdict = std::string(Name(result.verdict));
  field.Required("verdict", verdict);
  result.verdict = FindVerdict(verdict).value_or(Verdict::kHarnessError);
  field("known", result.known);
  field("declared", result.declared);
  field("target_failed", result.target_failed);
  field("upstream", result.upstream);
  field("bugs", result.bugs);
  field("started", result.started);
  field("seconds", result.seconds);
  field("reason", result.reason);
  field("undecided_tries", result.undecided_tries);
  field("findings", result.findings);
  field("notes", result.notes);
  field("receipts", result.receipts);
  field("calls", result.calls);
  field("exercise", result.exercise);
  field("lag", result.lag);
  field.IfAny("measured", result.measured);
  field("folder", result.folder);
  field("missing", result.missing);
  field("hindered", result.hindered);
  field("counts", result.counts);
  field("consumer", result.consumer);
  auto besides = std::string(result.besides ? Name(*result.besides) : "");
  field("besides", besides);
  result.besides = FindVerdict(besides);
  field("besides_reason", result.besides_reason);
  field("standing", result.standing);
}

bool SetApart(AttemptResult& result) {
  if (result.verdict != Verdict::kFail || !result.besides) return false;
  result.verdict = *std::exchange(result.besides, std::nullopt);
  result.reason = std::exchange(result.besides_reason, {});
  result.standing = std::exchange(result.findings, {});
  return true;
}

std::string ToJsonLine(const AttemptResult& result) {
  Json json{{"schema", kResultSchema}};
  json.update(Json(result));
  if (result.consumer.name.empty()) json.erase("consumer");
  if (result.counts.empty()) json.erase("counts");
  if (result.bugs.empty()) json.erase("bugs");
  if (!result.hindered) json.erase("hindered");
  if (result.undecided_tries.empty()) json.erase("undecided_tries");
  if (!result.besides) json.erase("besides");
  if (result.besides_reason.empty()) json.erase("besides_reason");
  if (result.standing.empty()) json.erase("standing");
  return DumpJson(json);
}

Result<AttemptResult> ParseResultLine(std::string_view line) {
  const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    return Fail(StatusCode::kInvalidArgument, "not a result line: expected one JSON object");
  }
  BasicFieldReader reader(json);
  int schema = 0;
  reader.Required("schema", schema);
  if (!reader.wrong() && schema != kResultSchema) {
    return Fail(StatusCode::kUnimplemented, "result line of schema {}; this build reads schema {}",
                schema, kResultSchema);
  }
  AttemptResult result;
  Fields(reader, result);
  if (reader.wrong()) {
    return Fail(StatusCode::kInvalidArgument,
                "not a result line: the field {} is missing or does not fit", *reader.wrong());
  }
  if (const auto verdict = json.at("verdict").get<std::string>(); !FindVerdict(verdict)) {
    return Fail(StatusCode::kInvalidArgument, "result line with the unknown verdict {}", verdict);
  }
  return result;
}

}  // namespace watchproof
