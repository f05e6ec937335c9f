// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/stepped/explorer.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "embedded_store/mvcc/hook_registry.h"
#include "harness/base/check.h"
#include "harness/checkers/judge.h"
#include "harness/explore/shrink.h"
#include "harness/explore/stepped/virtual_run.h"
#include "harness/history/frame.h"
#include "harness/history/run_started.h"

namespace watchproof::explore {
namespace {

constexpr std::uint64_t kRepeatEvery = 200;
constexpr double kCovering = 0.5;
constexpr int kRunsVirtual = 1500;  // to shrink a script
// Longer ones are not changed further: each would take the time of a hundred others.
constexpr std::size_t kLongestRecording = 1000;

template <typename Answer, typename... Args>
void Observe(std::function<Answer(Args...)>& hook, std::size_t number, Features& features) {
  hook = [next = std::move(hook), number, &features](Args... args) -> Answer {
    features.Hook(number);
    return next(std::forward<Args>(args)...);
  };
}

// The hooks of a store with these defects, which note in the features that they are called.
store::Hooks Observed(const std::vector<std::string>& defects, Features& features) {
  auto made = store::MakeHooks(defects);
  WP_CHECK(made.has_value(), "the caller has checked the names");
  store::Hooks hooks = *std::move(made);
  Observe(hooks.previous_sought, 0, features);
  Observe(hooks.on_create, 1, features);
  Observe(hooks.addressee, 2, features);
  Observe(hooks.after_history, 3, features);
  Observe(hooks.after_victim, 4, features);
  Observe(hooks.noticed_revision, 5, features);
  return hooks;
}

// By every guarantee. Recommendations that were not followed count, too. Requires: the first line
// is that of the run.
Judgement JudgeLines(const std::vector<NumberedEntry>& lines) {
  const Result<RunStarted> started = ParseRunStarted(lines.front().entry.text);
  Judge judge(OptionsOf(started.value_or(RunStarted())));
  for (const NumberedEntry& line : lines) judge.Consume(line);
  Judgement judgement = judge.Finish();
  // Nothing but the script lets time pass here: what did not come is proven.
  for (Finding& finding : judgement.findings) finding.by_silence = false;
  return judgement;
}

}  // namespace

Status CheckDefects(const std::vector<std::string>& defects) {
  const auto hooks = store::MakeHooks(defects);
  return hooks.has_value() ? Status() : hooks.error();
}

ScriptRun RunScript(const Script& script, const std::vector<std::string>& defects,
                    Progress* progress) {
  ScriptRun shown;
  const store::Hooks hooks = Observed(defects, shown.features);
  VirtualRun run(script, hooks, shown.features, progress);
  if (progress != nullptr) progress->Begin(script);
  run.Finish();
  if (progress != nullptr) progress->End();
  Judgement verdict = JudgeLines(run.recording().lines());
  shown.findings = std::move(verdict.findings);
  std::ranges::stable_sort(shown.findings, {}, &Finding::at);
  shown.undecided = std::move(verdict.undecided);
  shown.lines = run.recording().lines();
  shown.steps = run.steps();
  shown.state = run.state();
  return shown;
}

std::string BytesOf(const std::vector<NumberedEntry>& lines) {
  FrameWriter writer;
  std::string bytes;
  for (const NumberedEntry& line : lines) writer.Append(line.entry, bytes);
  return bytes;
}

Script Shrink(const Script& script, const std::string& shape,
              const std::vector<std::string>& defects, Progress* progress) {
  return Shrink(script,
                [&](const std::vector<Script>& candidates) -> std::optional<std::size_t> {
                  const ScriptRun shown = RunScript(candidates.front(), defects, progress);
                  if (!Shows(shown.findings, shape)) return std::nullopt;
                  return 0;
                },
                {.runs = kRunsVirtual});
}

Explorer::Explorer(const ExploreOptions& options)
    : options_(options), prng_(Prng(options.seed).Fork("explore")) {}

void Explorer::Next() {
  std::optional<Script> covering;
  if (options_.covering && prng_.Chance(kCovering)) covering = corpus_.coverage().Next(prng_);
  Try(covering ? *covering : corpus_.Choose(prng_));
}

std::string Explorer::Try(const Script& script) {
  const ScriptRun shown = RunScript(script, options_.defects, options_.progress);
  ++counts_.scripts;
  counts_.steps += shown.steps;
  if (shown.lines.size() <= kLongestRecording) corpus_.Offer(script, shown.features);
  if (!shown.undecided.empty()) {
    ++counts_.undecided;
    ++undecided_[WithoutNumbers(shown.undecided.front())];
  }
  buckets_.File({script}, counts_.scripts, shown.findings);
  if (counts_.scripts % kRepeatEvery != 0) return shown.state;
  ++counts_.repeated;
  const ScriptRun again = RunScript(script, options_.defects, options_.progress);
  if (BytesOf(again.lines) != BytesOf(shown.lines)) ++counts_.unrepeated;
  return shown.state;
}

}  // namespace watchproof::explore
