// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/stepped/explorer.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "embedded_store/mvcc/hook_registry.h"
#include "harness/base/check.h"
#include "harness/explore/shrink.h"
#include "harness/explore/stepped/virtual_run.h"
#include "harness/history/frame.h"

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

}  // namespace

Status CheckDefects(const std::vector<std::string>& defects) {
  const auto hooks = store::MakeHooks(defects);
  return hooks.has_value() ? Status() : hooks.error();
}

Outcome RunScript(const Script& script, const std::vector<std::string>& defects,
                  Progress* progress) {
  Outcome outcome;
  const store::Hooks hooks = Observed(defects, outcome.features);
  VirtualRun run(script, hooks, outcome.features, progress);
  if (progress != nullptr) progress->Begin(script);
  run.Finish();
  if (progress != nullptr) progress->End();
  Verdict verdict = JudgeLines(run.recording().lines());
  outcome.findings = std::move(verdict.findings);
  std::ranges::stable_sort(outcome.findings, {}, &Finding::at);
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

Script Shrink(const Script& script, const std::string& shape,
              const std::vector<std::string>& defects, Progress* progress) {
  return Shrink(script,
                [&](const std::vector<Script>& candidates) -> std::optional<std::size_t> {
                  const Outcome outcome = RunScript(candidates.front(), defects, progress);
                  if (!Shows(outcome.findings, shape)) return std::nullopt;
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
  const Outcome outcome = RunScript(script, options_.defects, options_.progress);
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
  const Outcome again = RunScript(script, options_.defects, options_.progress);
  if (BytesOf(again.lines) != BytesOf(outcome.lines)) ++counts_.unrepeated;
  return outcome.state;
}

}  // namespace watchproof::explore
