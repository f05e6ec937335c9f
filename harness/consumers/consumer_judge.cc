// SPDX-License-Identifier: Apache-2.0
#include "harness/consumers/consumer_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <utility>

namespace watchproof {
namespace {

// Beside the layers, reads that no watch feeds: one that goes through the client alone, and one
// that goes through all layers.
constexpr std::string_view kDirect = "direct";
constexpr std::string_view kConsistent = "consistent";
constexpr const char* kWire = "wire";

// What is counted, by the kind of report.
const std::map<std::string, const char*>& CountedKinds() {
  static const std::map<std::string, const char*> kKinds = {
      {"relist", "lists"},     {"watch", "watches"}, {"opened", "watches"},
      {"event", "events"},     {"error", "errors"},  {"bookmark", "bookmarks"},
      {"refused", "refusals"}, {"handled", "calls"}};
  return kKinds;
}

const std::map<std::string_view, const char*>& CountedFindings() {
  static const std::map<std::string_view, const char*> kFindings = {
      {kNoGap, "gaps"},           {kNoDuplicate, "duplicates"}, {kNoGhost, "ghosts"},
      {kNoTimeTravel, "returns"}, {kFreshRead, "stale reads"},  {kBookmarkKept, "early bookmarks"},
      {kClaimKept, "wrong keys"}};
  return kFindings;
}

}  // namespace

void ConsumerJudge::Consume(const NumberedEntry& line) {
  truth_.Consume(line);
  wire_.Consume(line);
  if (line.entry.kind != EntryKind::kAnnotation) return;
  auto annotation = ParseAnnotation(line.entry.text);
  if (!annotation.has_value()) return;  // the other judge says so
  const Where where{line.line, line.entry.at};
  if (auto* started = std::get_if<ConsumerStarted>(&*annotation)) {
    started_ = std::move(*started);
  } else if (auto* report = std::get_if<ConsumerReport>(&*annotation)) {
    seen_[report->layer].push_back({std::move(*report), where});
  } else if (const auto* asked = std::get_if<ConsumerReadAsked>(&*annotation)) {
    seen_[std::string(kConsistent)].push_back(
        {{.kind = std::string(kReadAsked), .revision = asked->revision}, where});
  } else if (const auto* due = std::get_if<ConsumerDue>(&*annotation)) {
    due_ = DuePoint{.revision = due->revision, .limit_ms = due->limit_ms, .where = where};
  } else if (auto* ended = std::get_if<ConsumerEnded>(&*annotation)) {
    ended_ = std::move(*ended);
  } else if (const auto* stage = std::get_if<StageReached>(&*annotation)) {
    converged_ = converged_ || stage->stage == Stage::kConverged;
  }
}

std::size_t ConsumerJudge::Count(const std::string& kind, const std::string& layer) const {
  std::size_t count = 0;
  for (const auto& [name, reports] : seen_) {
    if (!layer.empty() && name != layer) continue;
    count += static_cast<std::size_t>(
        std::count_if(reports.begin(), reports.end(),
                      [&kind](const SeenReport& seen) { return seen.report.kind == kind; }));
  }
  return count;
}

bool IsAmong(const std::string& word, const std::string& words) {
  std::istringstream in(words);
  return std::find(std::istream_iterator<std::string>(in), {}, word) !=
         std::istream_iterator<std::string>();
}

std::string ReportPattern::ToString() const {
  std::string text = type.empty() ? kind : type;
  if (!key.empty()) text += " of " + key;
  if (!error.empty()) text += fmt::format(" '{}'", error);
  if (!layers.empty()) text += " in layer " + layers;
  return text;
}

std::optional<Line> ConsumerJudge::FirstBehind(Line line, const ReportPattern& wanted) const {
  const auto is = [](const std::string& asked, const std::string& said) {
    return asked.empty() || asked == said;
  };
  std::optional<Line> first;
  for (const auto& [layer, reports] : seen_) {
    if (!wanted.layers.empty() && !IsAmong(layer, wanted.layers)) continue;
    const auto found = std::ranges::find_if(reports, [&](const SeenReport& seen) {
      const ConsumerReport& report = seen.report;
      return seen.where.line > line && (wanted.kind.empty() || IsAmong(report.kind, wanted.kind)) &&
             is(wanted.type, report.type) && is(wanted.key, report.key) &&
             report.error.find(wanted.error) != std::string::npos;
    });
    if (found != reports.end() && (!first || found->where.line < *first)) {
      first = found->where.line;
    }
  }
  return first;
}

std::int64_t ConsumerJudge::ClaimedBy(const std::string& layer) const {
  const auto reports = seen_.find(layer);
  if (reports == seen_.end()) return 0;
  std::int64_t claimed = 0;
  for (const SeenReport& seen : reports->second) claimed = std::max(claimed, seen.report.revision);
  return claimed;
}

std::int64_t ConsumerJudge::NotifiedOf(const std::string& layer) const {
  const auto reports = seen_.find(layer);
  if (reports == seen_.end()) return 0;
  std::int64_t notified = 0;
  for (const SeenReport& seen : reports->second) {
    if (seen.report.kind == "bookmark") notified = std::max(notified, seen.report.revision);
  }
  return notified;
}

ConsumerCounts ConsumerJudge::CountsOf(const std::string& layer,
                                       const LayerChecker& checker) const {
  ConsumerCounts counts{.layer = layer};
  for (const SeenReport& seen : seen_.at(layer)) {
    const auto what = CountedKinds().find(seen.report.kind);
    if (what != CountedKinds().end()) ++counts.counted[what->second];
  }
  for (const auto& [check, what] : CountedFindings()) {
    if (const std::uint64_t times = checker.times(check); times > 0) counts.counted[what] = times;
  }
  return counts;
}

ConsumerJudgement ConsumerJudge::Finish() {
  ConsumerJudgement judgement{.consumer = started_.consumer, .layers = started_.layers};
  if (started_.consumer.empty()) return judgement;
  truth_.Finish(started_.prefix);
  if (ended_) {
    judgement.undecided.push_back(
        fmt::format("the consumer {}: {}", ended_->how, ended_->last_words));
  }
  if (!due_ || !converged_)
    judgement.undecided.emplace_back("the consumer was not asked for its state");
  if (due_ && truth_.known_through() < due_->revision) {
    judgement.undecided.push_back(
        fmt::format("the history of the store is known up to revision {} of {}",
                    truth_.known_through(), due_->revision));
    return judgement;
  }
  judgement.counts.push_back({.layer = kWire, .counted = wire_.counts()});
  std::vector<std::string> order = started_.layers;
  order.insert(order.begin(), std::string(kDirect));
  order.emplace_back(kConsistent);
  for (const std::string& layer : order) {
    const bool reads = layer == kDirect || layer == kConsistent;
    LayerChecker checker(layer, reads ? LayerChecker::Kind::kReads : LayerChecker::Kind::kFollows,
                         truth_, due_);
    for (const SeenReport& seen : seen_[layer]) checker.Consume(seen);
    checker.Finish();
    ConsumerCounts counts = CountsOf(layer, checker);
    if (!counts.counted.empty()) judgement.counts.push_back(std::move(counts));
    if (!checker.followed() && (!reads || !seen_[layer].empty())) {
      judgement.undecided.push_back(fmt::format("layer {} has followed nothing", layer));
    }
    // What the highest layer that follows holds is what the users of the consumer see.
    if (due_ && layer == started_.layers.back() && !checker.held_when_due()) {
      judgement.undecided.push_back(
          fmt::format("layer {} did not say what it holds at the end", layer));
    }
    std::vector<ConsumerFinding> found = checker.findings();
    if (found.empty()) continue;
    if (judgement.findings.empty()) {
      judgement.findings = std::move(found);
    } else {
      judgement.wrong_above.push_back(layer);
    }
  }
  return judgement;
}

}  // namespace watchproof
