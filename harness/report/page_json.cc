// SPDX-License-Identifier: Apache-2.0
#include "harness/report/page_json.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "harness/report/bugs_shown.h"
#include "harness/report/causes.h"
#include "harness/report/cost_curves.h"
#include "harness/report/database.h"
#include "harness/report/lag_table.h"
#include "harness/report/mutation.h"
#include "harness/report/picture.h"
#include "harness/report/rows.h"
#include "harness/report/text.h"

namespace watchproof {
namespace {

constexpr int kPageSchema = 1;
// A broken store breaks the same promise on every watch: a few findings show the pattern, the file
// has all.
constexpr std::size_t kFindings = 5;
// The most that all packed parts have together, so that the page stays easy to send; courses come
// first.
constexpr std::size_t kMostBytes = 7 << 20;
constexpr std::size_t kMostOfCourses = 3 << 20;

Json OutcomesJson() {
  Json all = Json::array();
  for (int i = 0; i < kOutcomes; ++i) {
    const OutcomeStyle& style = StyleOf(static_cast<Outcome>(i));
    all.push_back({{"name", style.name},
                   {"word", style.word},
                   {"symbol", style.symbol},
                   {"one", style.one},
                   {"many", style.many}});
  }
  return all;
}

Json TargetsJson(const RunRecord& record, const ReportRows& rows) {
  Json all = Json::array();
  for (std::size_t i = 0; i < record.targets.size(); ++i) {
    all.push_back({{"spec", record.targets[i].text}, {"label", rows.labels[i]}});
  }
  return all;
}

Json CasesJson(const RunRecord& record) {
  Json all = Json::array();
  for (const CaseSummary& summary : record.cases) {
    Json json{{"name", summary.name}};
    if (!summary.requirement.empty()) json["requirement"] = summary.requirement;
    if (!summary.level.empty()) json["level"] = summary.level;
    if (!summary.file.empty()) json["place"] = fmt::format("{}:{}", summary.file, summary.line);
    all.push_back(std::move(json));
  }
  return all;
}

Json TableJson(const Table& table) { return {{"head", table.head}, {"rows", table.rows}}; }

// What went wrong, by cause, each with the first attempt that shows it.
Json CausesJson(const ReportRows& rows) {
  Json all = Json::array();
  for (const Cause& cause : CausesOf(rows)) {
    all.push_back({{"outcome", StyleOf(cause.outcome).name},
                   {"text", CleanText(cause.text)},
                   {"first", cause.first - rows.attempts.data()},
                   {"attempts", cause.attempts.failed()},
                   {"cases", cause.cases},
                   {"targets", cause.labels}});
  }
  return all;
}

Json BugsJson(const std::vector<BugRow>& bugs) {
  Json all = Json::array();
  for (const BugRow& bug : bugs) {
    Json json{{"name", bug.name},
              {"impact", CleanText(bug.impact)},
              {"cases", bug.cases},
              {"targets", bug.labels}};
    if (!bug.name.empty()) json["cost"] = Name(bug.cost);
    if (!bug.fixed.empty()) json["fixed"] = bug.fixed;
    if (!bug.url.empty()) json["url"] = bug.url;
    all.push_back(std::move(json));
  }
  return all;
}

// How each case ended in each of the last runs beside this one, over all targets.
Json HistoryJson(const RunRecord& record) {
  constexpr int kMost = 20;
  Json all = Json::array();
  const std::filesystem::path run_dir = std::filesystem::path(record.folder).parent_path();
  for (const PastRun& past : PastRuns(run_dir, record.id, kMost)) {
    Json outcomes = Json::array();
    for (const CaseSummary& summary : record.cases) {
      const auto found = past.outcomes.find(summary.name);
      outcomes.push_back(found == past.outcomes.end() ? "" : found->second);
    }
    all.push_back({{"run", past.run}, {"outcomes", outcomes}});
  }
  return all;
}

Json RunJson(const RunRecord& record, const ReportRows& rows) {
  Json json{{"id", record.id},           {"folder", record.folder}, {"started", record.started},
            {"seconds", record.seconds}, {"seed", record.seed},     {"versions", record.versions},
            {"missing", rows.missing},   {"stale", record.stale}};
  if (!record.left_out.empty()) json["profile"] = LeftOutSentence(record);
  if (!record.interrupted.empty()) json["interrupted"] = record.interrupted;
  std::set<std::string> joined;
  for (const AttemptSummary& attempt : record.attempts) joined.insert(attempt.run);
  joined.erase("");
  if (!joined.empty()) json["joined"] = joined;
  return json;
}

Json ReceiptJson(const ReceiptRecord& receipt) {
  return {{"fault", receipt.fault},         {"fired", receipt.fired},
          {"required", receipt.required},   {"armed_at", receipt.armed_at},
          {"healed_at", receipt.healed_at}, {"text", receipt.text}};
}

Json NoteJson(const FindingRecord& note) {
  return {{"watch", note.watch}, {"usual", note.expected}, {"observed", note.observed}};
}

// What the faults did to the watches and to the memory of the target.
void AddToll(const Lag& lag, Json& json) {
  for (const Recovery& recovery : lag.recoveries) {
    const Histogram& us = recovery.microseconds;
    if (us.count() == 0) continue;
    json["recovery"].push_back({{"fault", recovery.fault},
                                {"watches", us.count()},
                                {"us", {us.Quantile(0.5), us.highest()}}});
  }
  for (const Footprint& footprint : lag.footprints) {
    json["memory"].push_back(
        {{"fault", footprint.fault}, {"bytes", {footprint.before, footprint.bytes.highest()}}});
  }
}

// What the matrix and the evidence for it need of an attempt.
Json AttemptJson(const RunRecord& record, const AttemptRow& row, std::size_t case_index,
                 std::size_t target_index) {
  Json json{{"case", case_index},
            {"target", target_index},
            {"attempt", row.attempt},
            {"outcome", StyleOf(row.outcome).name}};
  if (row.summary == nullptr) return json;
  const AttemptResult& result = row.summary->result;
  json["begin"] = row.summary->begin;
  json["seconds"] = result.seconds;
  json["repeat"] = row.repeat;
  if (!result.reason.empty()) json["reason"] = result.reason;
  if (!result.upstream.empty()) json["upstream"] = result.upstream;
  // If an attempt passed, nothing of it may be kept.
  std::error_code ignored;
  const std::filesystem::path folder = std::filesystem::path(record.folder) / result.folder;
  if (!result.folder.empty() && std::filesystem::exists(folder, ignored)) {
    json["folder"] = result.folder;
  }
  if (!result.missing.empty()) json["missing"] = result.missing;
  json["findings"] = result.findings.size();
  json["promises"] = {result.exercise.promises_asked, result.exercise.promises_answered};
  json["events"] = {result.exercise.events_expected, result.exercise.events_delivered};
  json["calls"] = result.calls.judged;
  if (!result.calls.undecided.empty()) json["undecided"] = result.calls.undecided;
  if (result.lag.delivery_us.count() > 0) {
    json["delay_us"] = {result.lag.delivery_us.Quantile(0.5), result.lag.delivery_us.Quantile(0.99),
                        result.lag.delivery_us.highest()};
    json["behind"] = result.lag.revisions_behind.highest();
  }
  for (const ReceiptRecord& receipt : result.receipts) {
    json["receipts"].push_back(ReceiptJson(receipt));
  }
  AddToll(result.lag, json);
  for (const FindingRecord& note : result.notes) json["notes"].push_back(NoteJson(note));
  return json;
}

Json FindingJson(const FindingRecord& finding, const std::string& draw) {
  Json rows = Json::array();
  for (const FindingRow& row : FindingRows(finding)) {
    rows.push_back({row.name, CleanText(row.text)});
  }
  return {{"guarantee", finding.guarantee},
          {"level", finding.level},
          {"draw", draw},
          {"rows", rows},
          {"evidence", finding.evidence}};
}

// Adds the picture, or why there is none.
void AddPicture(const std::filesystem::path& file,
                const std::vector<std::vector<std::uint64_t>>& evidence, Json& json) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    json["no_picture"] = "the recording was not kept";
    return;
  }
  const auto picture = ReadPicture({.file = file, .evidence = evidence});
  if (picture.has_value()) {
    json["picture"] = ToJson(*picture);
  } else {
    json["no_picture"] = picture.error().ToString();
  }
}

// Findings, and one picture for all of them.
Json DetailJson(const RunRecord& record, const AttemptSummary& attempt, std::size_t first_number) {
  const AttemptResult& result = attempt.result;
  const std::string& run = attempt.run.empty() ? record.folder : attempt.run;
  const std::filesystem::path file = PathOf(record, result, "history.wire.zst");
  Json json{{"findings", Json::array()}};
  std::vector<std::vector<std::uint64_t>> evidence;
  for (std::size_t i = 0; i < std::min(kFindings, result.findings.size()); ++i) {
    const FindingRecord& finding = result.findings[i];
    evidence.push_back(finding.evidence);
    json["findings"].push_back(FindingJson(
        finding, JoinShell({record.executable, "draw", fmt::format("{}#{}", run, first_number + i),
                            "-o", "bug.svg"})));
  }
  AddPicture(file, evidence, json);
  return json;
}

std::size_t BytesOf(const std::vector<std::string>& parts) {
  std::size_t bytes = 0;
  for (const std::string& part : parts) bytes += part.size();
  return bytes;
}

Json CourseJson(std::size_t index, const LagCourse& course) {
  return {{"attempt", index},         {"step_us", course.step_us}, {"events", course.events},
          {"p50_us", course.p50_us},  {"p99_us", course.p99_us},   {"spread_us", course.spread_us},
          {"waiting", course.waiting}};
}

// How delays went in the first attempt of each case on each target; cases that do not fit are
// counted.
void AddCourses(const ReportRows& rows, PageData& data) {
  std::map<std::string_view, std::map<std::string_view, std::size_t>> first;
  for (std::size_t i = 0; i < rows.attempts.size(); ++i) {
    const AttemptRow& row = rows.attempts[i];
    if (row.summary == nullptr || row.summary->result.lag.course.step_us == 0) continue;
    first[row.case_name].emplace(row.target, i);
  }
  std::size_t left_out = 0;
  std::size_t bytes = 0;
  for (Json& of : data.run["cases"]) {
    const auto found = first.find(of["name"].get_ref<const std::string&>());
    if (found == first.end()) continue;
    Json courses = Json::array();
    for (const auto& [target, i] : found->second) {
      courses.push_back(CourseJson(i, rows.attempts[i].summary->result.lag.course));
    }
    std::string packed = PackedText(DumpJson(courses));
    if (bytes + packed.size() > kMostOfCourses) {
      ++left_out;
      continue;
    }
    bytes += packed.size();
    of["courses"] = data.courses.size();
    data.courses.push_back(std::move(packed));
  }
  if (left_out > 0) data.run["courses_left_out"] = left_out;
}

// Smaller comes first, where not everything fits.
int Turn(Outcome outcome) {
  if (IsError(outcome)) return 0;
  if (outcome == Outcome::kKnown) return 1;
  return outcome == Outcome::kInconclusive || outcome == Outcome::kFixedEarly ? 2 : 3;
}

// The details of the attempts, by index into the rows; those that do not fit are counted.
class Details {
 public:
  Details(const RunRecord& record, const ReportRows& rows) : record_(record), rows_(rows) {
    std::map<std::string_view, std::size_t> numbers;  // of findings so far, by run
    for (std::size_t i = 0; i < rows.attempts.size(); ++i) {
      order_.push_back(i);
      const AttemptSummary* summary = rows.attempts[i].summary;
      numbers_.push_back(summary == nullptr ? 0 : numbers[summary->run] + 1);
      if (summary == nullptr || summary->result.verdict != Verdict::kFail) continue;
      numbers[summary->run] += std::max<std::size_t>(1, summary->result.findings.size());
    }
    std::ranges::stable_sort(order_, {},
                             [&](std::size_t i) { return Turn(rows.attempts[i].outcome); });
  }

  // Into the attempts of the page and its details.
  void Add(Json& attempts, PageData& data) const {
    std::size_t bytes = BytesOf(data.courses);
    std::size_t left_out = 0;
    for (const std::size_t i : order_) {
      const AttemptRow& row = rows_.attempts[i];
      if (row.summary == nullptr) continue;
      const AttemptResult& result = row.summary->result;
      std::error_code ignored;
      const std::filesystem::path recording = PathOf(record_, result, "history.wire.zst");
      if (result.findings.empty() && !std::filesystem::exists(recording, ignored)) continue;
      std::string packed;
      if (bytes < kMostBytes) {
        packed = PackedText(DumpJson(DetailJson(record_, *row.summary, numbers_[i])));
      }
      if (packed.empty() || bytes + packed.size() > kMostBytes) {
        ++left_out;
        continue;
      }
      bytes += packed.size();
      attempts[i]["detail"] = data.details.size();
      data.details.push_back(std::move(packed));
    }
    data.run["left_out"] = left_out;
  }

 private:
  const RunRecord& record_;
  const ReportRows& rows_;
  std::vector<std::size_t> order_;
  std::vector<std::size_t> numbers_;  // of the first finding of each attempt, as `draw` counts
};

}  // namespace

PageData PageDataOf(const RunRecord& record) {
  const ReportRows rows = RowsOf(record);
  std::map<std::string_view, std::size_t> cases;
  std::map<std::string_view, std::size_t> targets;
  for (const CaseSummary& summary : record.cases) cases.emplace(summary.name, cases.size());
  for (const TargetSpec& target : record.targets) targets.emplace(target.text, targets.size());
  Json attempts = Json::array();
  for (const AttemptRow& row : rows.attempts) {
    attempts.push_back(AttemptJson(record, row, cases.at(row.case_name), targets.at(row.target)));
  }
  PageData data{.run = {{"schema", kPageSchema},
                        {"sentence", Sentence(record)},
                        {"run", RunJson(record, rows)},
                        {"outcomes", OutcomesJson()},
                        {"targets", TargetsJson(record, rows)},
                        {"cases", CasesJson(record)},
                        {"history", HistoryJson(record)}},
                .details = {},
                .courses = {}};
  data.run["causes"] = CausesJson(rows);
  if (const std::vector<BugRow> bugs = BugsShown(record); !bugs.empty()) {
    data.run["bugs"] = BugsJson(bugs);
    data.run["bugs_text"] = BugsShownText(record, bugs);
  }
  AddCourses(rows, data);
  Details(record, rows).Add(attempts, data);
  data.run["attempts"] = std::move(attempts);
  if (!record.defects.empty()) data.run["mutation"] = MutationJson(record);
  if (const Table lag = LagTable(record); !lag.rows.empty()) {
    data.run["lag"] = TableJson(lag);
    data.run["lag_explain"] = kLagExplain;
  }
  if (const std::vector<CostCurve> costs = CostCurves(record, rows); !costs.empty()) {
    data.run["costs"] = ToJson(costs, rows.labels);
  }
  return data;
}

}  // namespace watchproof
