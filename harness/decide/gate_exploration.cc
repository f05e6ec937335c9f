// SPDX-License-Identifier: Apache-2.0
#include "harness/decide/gate_exploration.h"

#include <algorithm>
#include <optional>
#include <thread>

#include "harness/bugs/answer_key.h"
#include "harness/decide/found_script.h"
#include "harness/report/text.h"
#include "harness/runs/selection.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;
using explore::Bucket;
using explore::LiveExplorer;
using explore::Script;

// Long enough to pay for the start of its server.
constexpr Duration kBatch = 5s;
// A script that is not decided after so many pairs is left.
constexpr int kMostPairs = 24;
// Likewise one that never showed anything on the head alone.
constexpr int kPairsInVain = 3;
// The share of the time that is left for what is found last.
constexpr double kShareOfExamining = 0.3;
constexpr std::size_t kColumns = 100;  // of its texts

}  // namespace

GateExploration::GateExploration(const GateExplorationOptions& options)
    : options_(options), head_(OptionsFor(options.head)), base_(OptionsFor(options.base)) {}

explore::LiveExploreOptions GateExploration::OptionsFor(const TargetSpec& target) {
  return {.target = target,
          .seed = options_.seed,
          .folder = [this, target]() -> Result<fs::path> {
            MutexLock lock(mu_);
            WP_ASSIGN_OR_RETURN(AttemptFolder made,
                                options_.folder.MakeAttempt(target, "explore", ++servers_));
            return made.absolute;
          },
          .finish =
              [this](const fs::path& folder, bool) {
                MutexLock lock(mu_);
                options_.folder.FinishAttempt(folder, KeepFiles::kNone);
              },
          .interrupted = [this] { return Over(); }};
}

bool GateExploration::BaseShows(const std::string& shape) const { return base_.Shown(shape); }

GateExplored GateExploration::Run(GateTrial& trial, TimePoint until) {
  until_ = until;
  explored_.shared = explored_.unexamined = 0;
  explored_.ended = Explore(trial);
  explored_.scripts = head_.counts().scripts;
  return explored_;
}

Status GateExploration::Explore(GateTrial& trial) {
  const TimePoint last_batch =
      until_ - std::chrono::duration_cast<Duration>((until_ - Clock::now()) * kShareOfExamining);
  bool drawn = true;
  while (drawn && !Over() && trial.state() != GateState::kWorse) {
    drawn = Clock::now() < last_batch;
    if (drawn) {
      WP_RETURN_IF_ERROR(head_.Explore(kBatch, UINT64_MAX, [] { return true; }));
      if (Over()) break;
      WP_RETURN_IF_ERROR(base_.Explore(kBatch, UINT64_MAX, [] { return true; }));
      options_.progress(fmt::format("exploring: {} scripts on the head, {} kinds of findings",
                                    head_.counts().scripts, head_.buckets().size()));
    }
    for (const Bucket& bucket : head_.buckets()) {
      if (BaseShows(bucket.shape) || examined_.contains(bucket.shape)) continue;
      // The base gets a second chance to show it.
      if (seen_.insert(bucket.shape).second && drawn) continue;
      if (Over() || trial.state() == GateState::kWorse) break;
      examined_.insert(bucket.shape);
      WP_RETURN_IF_ERROR(Examine(bucket, trial));
    }
  }
  for (const Bucket& bucket : head_.buckets()) {
    if (BaseShows(bucket.shape))
      ++explored_.shared;
    else if (!examined_.contains(bucket.shape) && !begun_.contains(bucket.shape))
      ++explored_.unexamined;
  }
  return {};
}

// The evidence comes first, with a script as it was drawn; then a smaller one, as far as there is
// time.
Status GateExploration::Examine(const Bucket& bucket, GateTrial& trial) {
  options_.progress(fmt::format("exploring: {} alone", Name(bucket.broken().guarantee)));
  const auto begun = begun_.find(bucket.shape);
  std::vector<Script> scripts;
  GateScript found;
  if (begun != begun_.end()) {
    scripts = {begun->second.script};
    found = explored_.found[begun->second.place];
  } else {
    for (const Bucket::Example& example : bucket.examples) scripts.push_back(example.script);
    found = {.number = static_cast<int>(explored_.found.size()) + 1,
             .guarantee = std::string(Name(bucket.broken().guarantee)),
             .expected = bucket.broken().expected,
             .observed = bucket.broken().observed};
  }
  const Script* script = nullptr;
  for (const Script& one : scripts) {
    script = &one;
    WP_RETURN_IF_ERROR(Compare(one, bucket.shape, found, trial));
    if (found.pairs.against > 0 || Over()) break;
  }
  // It goes on in the next turn.
  const bool cut_off = Over();
  if (cut_off) examined_.erase(bucket.shape);
  if (found.pairs.against == 0 && found.pairs.in_favour == 0) {
    if (!cut_off) ++explored_.not_alone;
    return {};
  }
  std::optional<Script> smallest;
  if (found.pairs.against > found.pairs.in_favour && !Over()) {
    WP_ASSIGN_OR_RETURN(smallest, head_.Shrink(bucket));
  }
  if (!smallest) smallest = *script;
  const fs::path file = fmt::format("script-{}.jsonl", found.number);
  WP_RETURN_IF_ERROR(WriteFound(options_.folder.path() / file, *smallest, bucket.broken(),
                                options_.head.text, options_.seed));
  const BugCarrier head{.product = options_.head.product,
                        .version = head_.version(),
                        .members = options_.head.members,
                        .topology = options_.head.topology};
  FoundFinding shown = FoundIn(bucket, bucket.broken(), *smallest, head);
  shown.number = found.number;
  found.text = ToText(shown, kColumns);
  found.replay = JoinShell({"watchproof", "run", "--plan",
                            (options_.folder.run_dir() / options_.folder.id() / file).string()});
  const auto [at, is_new] =
      begun_.try_emplace(bucket.shape, Begun{explored_.found.size(), *script});
  if (is_new) explored_.found.emplace_back();
  explored_.found[at->second.place] = std::move(found);
  return {};
}

// Both at the same time, so that the machine treats them alike. The pairs of a bucket's other
// examples count, too.
Status GateExploration::Compare(const Script& script, const std::string& shape, GateScript& found,
                                GateTrial& trial) {
  for (int tried = 0; !Over() && trial.state() != GateState::kWorse && tried < kMostPairs;
       ++tried) {
    if (tried >= kPairsInVain && found.pairs.against == 0) break;
    Result<std::vector<LiveExplorer::Alone>> base;
    std::thread control([&] { base = base_.RunAlone({script}); });
    const auto head = head_.RunAlone({script});
    control.join();
    if (!head.has_value()) return head.error();
    if (!base.has_value()) return base.error();
    if (Over()) break;  // it may have been cut off
    trial.AddScript(found.number, explore::Shows(base->front().findings, shape),
                    explore::Shows(head->front().findings, shape));
    found.pairs = trial.script(found.number);
  }
  return {};
}

}  // namespace watchproof
