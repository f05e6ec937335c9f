// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/explorer.h"

#include <optional>
#include <utility>

#include "embedded_store/mvcc/hook_registry.h"
#include "harness/explore/hook_observer.h"
#include "harness/explore/virtual_run.h"
#include "harness/history/frame.h"

namespace watchproof::explore {
namespace {

constexpr std::uint64_t kRepeatEvery = 200;
constexpr double kCovering = 0.5;
// Longer ones are not changed further: each would take the time of a hundred others.
constexpr std::size_t kLongestRecording = 1000;

std::string WithoutNumbers(const std::string& text) {
  return ShapeOf({.guarantee = "undecided", .watch = {}, .expected = text, .observed = {}});
}

}  // namespace

Status CheckDefects(const std::vector<std::string>& defects) {
  const auto hooks = store::MakeHooks(defects);
  return hooks.has_value() ? Status() : hooks.error();
}

Outcome RunScript(const Script& script, const std::vector<std::string>& defects) {
  Outcome outcome;
  ObservedHooks hooks(defects, outcome.features);
  VirtualRun run(script, hooks.get(), outcome.features);
  run.Finish();
  Verdict verdict = JudgeLines(run.recording().lines());
  outcome.findings = std::move(verdict.findings);
  outcome.findings.insert(outcome.findings.end(), run.broken().begin(), run.broken().end());
  outcome.undecided = std::move(verdict.undecided);
  outcome.lines = run.recording().lines();
  outcome.steps = run.steps();
  outcome.state = run.state();
  return outcome;
}

std::string BytesOf(const std::vector<NumberedEntry>& lines) {
  FrameWriter writer;
  std::string bytes;
  for (const NumberedEntry& line : lines) writer.Append(line.entry, bytes);
  return bytes;
}

Explorer::Explorer(const ExploreOptions& options)
    : options_(options), prng_(Prng(options.seed).Fork("explore")) {}

void Explorer::Next() {
  std::optional<Script> covering;
  if (options_.covering && prng_.Chance(kCovering)) covering = corpus_.coverage().Next(prng_);
  Try(covering ? *covering : corpus_.Choose(prng_));
}

std::string Explorer::Try(const Script& script) {
  const Outcome outcome = RunScript(script, options_.defects);
  ++counts_.scripts;
  counts_.steps += outcome.steps;
  if (outcome.lines.size() <= kLongestRecording) corpus_.Offer(script, outcome.features);
  if (!outcome.undecided.empty()) {
    ++counts_.undecided;
    ++undecided_[WithoutNumbers(outcome.undecided.front())];
  }
  buckets_.File({script}, counts_.scripts, outcome.findings);
  if (counts_.scripts % kRepeatEvery != 0) return outcome.state;
  ++counts_.repeated;
  const Outcome again = RunScript(script, options_.defects);
  if (BytesOf(again.lines) != BytesOf(outcome.lines)) ++counts_.unrepeated;
  return outcome.state;
}

}  // namespace watchproof::explore
