// SPDX-License-Identifier: Apache-2.0
#include "harness/session/finding_records.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <utility>

#include "harness/checkers/line_text.h"
#include "harness/history/annotation.h"
#include "harness/history/dump.h"
#include "harness/history/json_fields.h"
#include "harness/history/packed_text_file.h"
#include "harness/history/reader.h"
#include "harness/results/result_line.h"

namespace watchproof {
namespace {

// The fault that was active at the time, or the last one before it.
std::string Meanwhile(double at, const std::vector<ReceiptRecord>& receipts) {
  std::string active;
  std::string last;
  double last_healed = 0;
  for (const ReceiptRecord& receipt : receipts) {
    if (receipt.armed_at > at) continue;
    const bool over = receipt.healed_at > 0 && receipt.healed_at < at;
    if (!over) {
      active += fmt::format("{}fault {} since {:.0f} ms", active.empty() ? "" : "; ", receipt.fault,
                            (at - receipt.armed_at) * 1000);
    } else if (receipt.healed_at >= last_healed) {
      last_healed = receipt.healed_at;
      last = fmt::format("fault {} healed {:.0f} ms earlier", receipt.fault,
                         (at - receipt.healed_at) * 1000);
    }
  }
  return active.empty() ? last : active;
}

void Leave(const std::filesystem::path& file, const Json& json) {
  std::ofstream(file) << DumpJson(json, 2) << '\n';
}

// What the watch of each finding received around the evidence, so that readers need no watchproof.
void AddExcerpts(const std::filesystem::path& history, const AttemptResult& result,
                 Json& findings) {
  if (result.findings.empty()) return;
  std::vector<std::vector<Line>> evidence;
  for (const FindingRecord& finding : result.findings) {
    auto& lines = evidence.emplace_back();
    for (const std::uint64_t line : finding.evidence) lines.push_back(Line(line));
  }
  const auto excerpts = ExcerptFor(history, evidence);
  if (!excerpts.has_value()) {
    fmt::print(stderr, "findings stay without excerpts: {}\n", excerpts.error().message());
    return;
  }
  for (std::size_t i = 0; i < excerpts->size(); ++i) {
    findings.at(i)["excerpt"] = Json::parse(excerpts->at(i));
  }
}

// By the words of its product's key, or else as the checkers have found it.
std::string SignatureOf(const Finding& finding, const BugCarrier& target) {
  std::string by_words =
      AnswerKey::For(target.product)
          .SignatureOf(Name(finding.guarantee), finding.expected, finding.observed);
  return by_words.empty() ? finding.signature : by_words;
}

// target.log, or one for each member of a cluster.
std::vector<std::filesystem::path> LogsIn(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> logs;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("target") && name.ends_with(".log")) logs.push_back(entry.path());
  }
  return logs;
}

}  // namespace

BugCarrier CarrierOf(const RunStarted& started) {
  BugCarrier carrier{
      .product = started.product, .version = started.version, .members = started.members};
  if (!started.topology.empty()) {
    carrier.topology = started.topology == kPlainTopology ? "" : started.topology;
  }
  return carrier;
}

void FaultTimes::Consume(const Entry& entry) {
  const double at = std::chrono::duration<double>(entry.at).count();
  const auto heal = [this, at](const std::string* fault) {
    for (ReceiptRecord& receipt : receipts_) {
      const bool meant = fault == nullptr || receipt.fault == *fault;
      if (meant && receipt.healed_at == 0) receipt.healed_at = at;
    }
  };
  if (IsStage(entry, Stage::kHealed)) return heal(nullptr);
  if (entry.kind != EntryKind::kFault) return;
  const auto line = ParseFaultLine(entry.text);
  if (!line.has_value()) return;
  if (line->healed) return heal(&line->fault);
  receipts_.push_back({.fault = line->fault, .armed_at = at, .measured = {}, .text = {}});
}

std::vector<FindingRecord> RecordsOf(const std::vector<Finding>& findings,
                                     const std::vector<ReceiptRecord>& receipts,
                                     const BugCarrier& target) {
  std::vector<FindingRecord> records;
  for (const Finding& finding : findings) {
    const std::string signature = SignatureOf(finding, target);
    FindingRecord record{
        .guarantee = std::string(Name(finding.guarantee)),
        .promise = Contract::BuiltIn().Get(finding.clause).says,
        .clause = finding.clause,
        .impact = finding.impact.empty() ? std::string(Impact(finding.guarantee)) : finding.impact,
        .watch = finding.watch,
        .expected = finding.expected,
        .observed = finding.observed,
        .signature = KnownBugText(signature, target),
        .resembles = signature,
        .meanwhile = Meanwhile(std::chrono::duration<double>(finding.at).count(), receipts),
        .level = std::string(Name(finding.level)),
        .standing = finding.standing};
    for (const Line line : finding.evidence) record.evidence.push_back(line.value);
    records.push_back(std::move(record));
  }
  return records;
}

const FindingRecord* WrongBelow(const std::vector<FindingRecord>& of_target) {
  const auto found = std::find_if(of_target.begin(), of_target.end(), [](const FindingRecord& one) {
    return GravityOf(Guarantee(one.guarantee)) < Gravity::kFields;
  });
  return found == of_target.end() ? nullptr : &*found;
}

std::vector<FindingRecord> RecordsOf(const ConsumerJudgement& judgement,
                                     const std::vector<FindingRecord>& of_target,
                                     const std::vector<ReceiptRecord>& receipts) {
  const FindingRecord* const store = WrongBelow(of_target);
  const std::string lowest = store == nullptr
                                 ? "the lowest layer that is wrong"
                                 : fmt::format(
                                       "the lowest that is wrong is the store ({}, see the "
                                       "result of the target)",
                                       store->guarantee);
  std::vector<FindingRecord> records;
  for (const ConsumerFinding& finding : judgement.findings) {
    const auto check =
        std::find_if(ConsumerChecks().begin(), ConsumerChecks().end(),
                     [&finding](const ConsumerCheck& one) { return one.name == finding.check; });
    FindingRecord record{
        .guarantee = std::string(finding.check),
        .promise = std::string(check->promise),
        .impact = std::string(check->impact),
        .watch = fmt::format("{} of {}: {}", finding.layer, judgement.consumer, lowest),
        .expected = finding.expected,
        .observed = finding.observed,
        .meanwhile = Meanwhile(std::chrono::duration<double>(finding.at).count(), receipts)};
    if (!judgement.wrong_above.empty()) {
      record.watch += fmt::format("; also wrong: {}", fmt::join(judgement.wrong_above, ", "));
    }
    for (const Line line : finding.evidence) record.evidence.push_back(line.value);
    records.push_back(std::move(record));
  }
  return records;
}

Status QuoteEvidence(const std::filesystem::path& history, std::vector<FindingRecord>& findings) {
  std::map<std::uint64_t, std::string> quoted;
  for (const FindingRecord& finding : findings) {
    for (const std::uint64_t line : finding.evidence) quoted[line];
  }
  if (quoted.empty()) return {};
  WP_ASSIGN_OR_RETURN(const auto reader, HistoryReader::Open(history));
  WP_RETURN_IF_ERROR(reader->Each([&quoted](const NumberedEntry& line) {
    const auto wanted = quoted.find(line.line.value);
    if (wanted != quoted.end()) wanted->second = LineText(line);
    return line.line.value < quoted.rbegin()->first;
  }));
  for (FindingRecord& finding : findings) {
    finding.messages.clear();
    for (const std::uint64_t line : finding.evidence) finding.messages.push_back(quoted[line]);
  }
  return {};
}

void LeaveEvidence(const std::filesystem::path& folder, AttemptResult& result) {
  const std::filesystem::path history = folder / "history.wire.zst";
  const auto quote = [&history](std::string_view what, std::vector<FindingRecord>& findings) {
    const Status quoted = QuoteEvidence(history, findings);
    if (quoted.ok()) return;
    fmt::print(stderr, "{} stay without their messages: {}\n", what, quoted.message());
  };
  quote("findings", result.findings);
  quote("notes", result.notes);
  quote("findings on the consumer", result.consumer.findings);
  Json whole = Json::parse(ToJsonLine(result));
  AddExcerpts(history, result, whole.at("findings"));
  if (whole.contains("consumer")) {
    for (Json& finding : whole.at("consumer").at("findings")) {
      whole.at("findings").push_back(finding);
    }
  }
  Leave(folder / "findings.json", whole.at("findings"));
  Leave(folder / "faults.json", whole.at("receipts"));
  for (const std::filesystem::path& log : LogsIn(folder)) {
    if (const Status packed = CompressFile(log); !packed.ok()) {
      fmt::print(stderr, "{} stays uncompressed: {}\n", log.filename().string(), packed.message());
    }
  }
}

}  // namespace watchproof
