// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/live/live_explorer.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "harness/base/mutex.h"
#include "harness/explore/live/settings.h"
#include "harness/explore/live/spread.h"
#include "harness/explore/shrink.h"

namespace watchproof::explore {
namespace {

constexpr int kRunsToShrink = 150;
constexpr int kClusterRunsToShrink = 60;  // each with a start of all members
constexpr const char* kRecording = "history.wire.zst";
constexpr std::size_t kServersAtOnce = 8;
constexpr std::size_t kClustersAtOnce = 2;
// The share of a cluster's scripts that disturb it; the others take part in what befalls it.
constexpr double kDisturbs = 0.15;
constexpr int kWorkersOfLarge = 4;
constexpr std::size_t kQuietOneOf = 4;
// How long scripts share one server: plain ones pay for its start.
constexpr Duration kPlainBatch = 25s;
constexpr Duration kSlowBatch = 10s;
// What a batch finds is known, and learnt from, once it is over: the first ones are short.
constexpr Duration kFirstBatch = 10s;
constexpr int kWorkersOfSource = 24;
// The share of servers for it, until every combination has been tried.
constexpr double kCovering = 0.25;
constexpr std::size_t kRestartsTogether = 8;
// Alone on a server an answer comes at once.
constexpr Duration kPatienceAlone = 1500ms;

// Until the work is done on each.
template <typename Work>
void OnThreads(std::size_t count, const Work& work) {
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < count; ++i) threads.emplace_back([&work] { work(); });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

LiveExplorer::LiveExplorer(const LiveExploreOptions& options)
    : options_(options), prng_(Prng(options.seed).Fork("live")), buckets_(options.known_as) {}

// Alone, so that no other script compacts or restarts what it needs.
LiveExplorer::BatchPlan LiveExplorer::CoveringBatch(Duration time, std::uint64_t most) {
  const bool durable = corpus_.coverage().over() || restarting_.size() >= kRestartsTogether;
  return {.time = std::min(time, kSlowBatch),
          .most = most,
          .draws = {.restarts = durable, .time = false},
          .durable = durable,
          .next = [this, durable](Prng& prng) {
            MutexLock lock(learning_);
            return NextCovering(durable, prng);
          }};
}

// Data that outlasts a restart makes every write slow.
std::optional<Script> LiveExplorer::NextCovering(bool restarts, Prng& prng) {
  if (restarts) {
    if (restarting_.empty()) return std::nullopt;
    Script script = std::move(restarting_.back());
    restarting_.pop_back();
    return script;
  }
  auto script = corpus_.coverage().Next(prng);
  for (; script && Has<Crash>(*script); script = corpus_.coverage().Next(prng)) {
    restarting_.push_back(*std::move(script));
  }
  return script;
}

// Whatever others asked, and a timer, would wake what is asleep, so one script runs after the
// other, with default settings; the server is mostly idle.
LiveExplorer::BatchPlan LiveExplorer::QuietBatch(Duration time, std::uint64_t most) {
  return {.time = std::min(time, kPlainBatch),
          .most = most,
          .draws = {.restarts = false, .time = false, .pauses = 0.1},
          .drawn_settings = false,
          .next = [this](Prng& prng) { return DrawScript(Focus::kQuiet, prng); }};
}

std::optional<Script> LiveExplorer::DrawScript(Focus focus, Prng& prng) {
  MutexLock lock(learning_);
  Script script = corpus_.Choose(prng);
  Lighten(script);
  Enlarge(script, focus, prng);
  return script;
}

std::size_t LiveExplorer::ServersAtOnce() const {
  return options_.target.members > 1 ? kClustersAtOnce : kServersAtOnce;
}

LiveExplorer::BatchPlan LiveExplorer::ClusterBatch(Duration time, std::uint64_t most) {
  const Focus focus =
      prng_.Chance(0.75)
          ? Focus::kNone
          : prng_.Pick(std::vector<Focus>{Focus::kWatches, Focus::kWrites, Focus::kTime});
  // Each write costs all members, and each of hundreds of watches: side by side large scripts slow
  // each other down.
  const bool large = focus == Focus::kWatches || focus == Focus::kWrites;
  BatchPlan plan{.time = std::min(time, large ? kSlowBatch : kPlainBatch), .most = most};
  plan.workers = large ? kWorkersOfLarge : prng_.Pick(std::vector<int>{16, 64, 64});
  plan.draws.pauses = prng_.Pick(std::vector<double>{0, 0.1, 1});
  plan.draws.compactions = prng_.Pick(std::vector<double>{1, 0.2, 0.05});
  plan.draws.everything = prng_.Chance(0.15);
  plan.draws.restarts = false;
  plan.draws.time = focus == Focus::kTime;
  plan.next = [this, focus](Prng& prng) {
    std::optional<Script> script = DrawScript(focus, prng);
    const bool disturbs = prng.Chance(kDisturbs);
    if (script) SpreadOver(*script, options_.target.members, disturbs, prng);
    return script;
  };
  return plan;
}

LiveExplorer::BatchPlan LiveExplorer::DrawBatch(Duration time, std::uint64_t most) {
  if (options_.target.members > 1) return ClusterBatch(time, most);
  if (counts_.servers % kQuietOneOf == 1) return QuietBatch(time, most);
  const bool covering = options_.covering && !(corpus_.coverage().over() && restarting_.empty());
  if (covering && prng_.Chance(kCovering)) return CoveringBatch(time, most);
  const Focus focus = DrawFocus(prng_);
  const bool plain = focus == Focus::kNone;
  BatchPlan plan{.time = std::min(time, plain ? kPlainBatch : kSlowBatch), .most = most};
  // A burst of compacted watches keeps some servers busy for as long as they run, and a restart
  // waits for all scripts.
  plan.workers = prng_.Pick(plain ? std::vector<int>{1, 16, 64} : std::vector<int>{1, 4});
  // A call that meets a change of rights on its way is refused, and a compaction that a restart
  // interrupts is of what one script wrote.
  plan.users = focus == Focus::kUsers;
  if (plan.users || focus == Focus::kRestarts) plan.workers = 1;
  plan.draws.pauses = prng_.Pick(std::vector<double>{0, 0.1, 1});
  plan.draws.compactions = prng_.Pick(std::vector<double>{1, 0.2, 0.05});
  plan.draws.everything = plan.users || prng_.Chance(0.15);
  plan.draws.time = focus == Focus::kTime;
  plan.durable = plan.draws.restarts = focus == Focus::kRestarts;
  if (plan.durable) plan.draws.compactions = 1;
  plan.next = [this, focus](Prng& prng) { return DrawScript(focus, prng); };
  return plan;
}

LiveExplorer::BatchPlan LiveExplorer::SourceBatch(Duration time, std::uint64_t most) {
  if (options_.crashed) return CrashBatch();
  return {.time = std::min(time, kPlainBatch),
          .most = most,
          .workers = kWorkersOfSource,
          .draws = {.restarts = false, .time = false, .pauses = 0.1},
          .next = [this](Prng&) {
            MutexLock lock(learning_);
            std::optional<Script> script = options_.source();
            source_is_empty_ = !script;
            return script;
          }};
}

// One script, with the settings that it asks for.
LiveExplorer::BatchPlan LiveExplorer::CrashBatch() {
  BatchPlan plan{.time = 1h,
                 .most = 1,
                 .durable = true,
                 .drawn_settings = false,
                 .crash_points = true,
                 .patience = kPatienceAlone,
                 .certainty = kPatienceAlone};
  const std::optional<Script> script = options_.source();
  source_is_empty_ = !script;
  if (script) plan.settings = script->server;
  plan.next = [script](Prng&) { return script; };
  plan.asked = script;
  return plan;
}

// A server on which one script runs after the other is mostly idle, as is one that restarts.
Status LiveExplorer::Explore(Duration time, std::uint64_t most,
                             const std::function<bool()>& go_on) {
  const TimePoint until = Clock::now() + time;
  const std::uint64_t share = most / ServersAtOnce() + 1;
  Status trouble;
  bool enough = false;
  std::uint64_t left = most;
  const auto work = [&] {
    MutexLock lock(learning_);
    while (trouble.ok() && !enough && left > 0 && Clock::now() < until && !options_.interrupted() &&
           !source_is_empty_) {
      const Duration its_time = until - Clock::now();
      const std::uint64_t its_most = std::min(left, share);
      BatchPlan plan =
          options_.source ? SourceBatch(its_time, its_most) : DrawBatch(its_time, its_most);
      if (source_is_empty_) break;
      if (!options_.source && batches_ < ServersAtOnce()) {
        plan.time = std::min(plan.time, kFirstBatch);
      }
      const Prng prng = prng_.Fork(fmt::format("batch {}", ++batches_));
      if (plan.drawn_settings) {
        plan.settings = DrawSettings(options_.target.members, prng.Fork("settings"));
      }
      left -= plan.most;
      learning_.unlock();
      const auto batch = Run(plan, prng);
      learning_.lock();
      if (!batch.has_value()) {
        left += plan.most;
        const bool late = IsNoAnswer(batch.error().code());
        if (late) ++counts_.late;
        if (!late || !Started()) trouble = batch.error();
        continue;
      }
      ++counts_.servers;
      left += plan.most - batch->ran.size();
      Learn(plan, *batch);
      enough = enough || !go_on();
    }
  };
  OnThreads(std::min<std::uint64_t>(most, ServersAtOnce()), work);
  return trouble;
}

void LiveExplorer::Learn(const BatchPlan& plan, const Batch& batch) {
  const std::uint64_t before = counts_.scripts;
  const std::string recording = (batch.folder / kRecording).string();
  for (std::size_t i = 0; i < batch.ran.size(); ++i) {
    const Ran& one = batch.ran[i];
    corpus_.Offer(one.script, one.features);
    buckets_.File({one.script, plan.workers - 1, recording}, before + i + 1, one.broken);
    counts_.steps += one.steps;
    if (plan.asked) options_.crashed(*plan.asked, one.crashes);
  }
  // Nothing is shown of the others that a recording would explain.
  Finish(batch.folder, buckets_.Cite(recording));
  counts_.scripts += batch.ran.size();
  counts_.calls += batch.calls;
  for (const auto& [event, times] : batch.events) counts_.events[event] += times;
  if (!batch.undecided.empty()) {
    ++counts_.undecided;
    ++undecided_[WithoutNumbers(batch.undecided.front())];
  }
}

Result<std::vector<LiveExplorer::Alone>> LiveExplorer::RunAlone(const std::vector<Script>& scripts,
                                                                const IsWorthIt& is_worth_it) {
  std::vector<Alone> runs(scripts.size());
  bool kept = !is_worth_it;
  Status trouble;
  std::size_t next = 0;
  Mutex mu;
  const auto work = [&] {
    while (true) {
      std::size_t own = 0;
      {
        MutexLock lock(mu);
        if (next == scripts.size() || !trouble.ok() || options_.interrupted()) return;
        own = next++;
      }
      const bool users = Has<Restrict>(scripts[own]);
      auto batch = Run({.time = 1h,
                        .most = 1,
                        .draws = {.everything = users},
                        .durable = Has<Crash>(scripts[own]),
                        .settings = scripts[own].server,
                        .users = users,
                        .crash_points = Has<CrashPoint>(scripts[own]),
                        .patience = kPatienceAlone,
                        .certainty = kPatienceAlone,
                        .next = [&](const Prng&) { return std::optional(scripts[own]); }},
                       prng_);
      MutexLock lock(mu);
      if (!batch.has_value()) {
        trouble = batch.error();
        continue;
      }
      if (!batch->ran.empty()) {
        runs[own].findings = std::move(batch->ran.front().broken);
        runs[own].crashes = std::move(batch->ran.front().crashes);
      }
      const bool keep = !kept && is_worth_it(runs[own].findings);
      if (keep) runs[own].recording = batch->folder / kRecording;
      kept = kept || keep;
      Finish(batch->folder, keep);
    }
  };
  OnThreads(std::min(scripts.size(), ServersAtOnce()), work);
  if (!trouble.ok()) return trouble;
  return runs;
}

Result<std::optional<Script>> LiveExplorer::Shrink(const Bucket& bucket) {
  Status trouble;
  const FirstToShow first = [&](const std::vector<Script>& candidates) {
    std::optional<std::size_t> shows;
    if (!trouble.ok()) return shows;
    const auto runs = RunAlone(candidates);
    if (!runs.has_value()) trouble = runs.error();
    for (std::size_t i = 0; runs.has_value() && i < runs->size() && !shows; ++i) {
      if (Shows((*runs)[i].findings, bucket.shape)) shows = i;
    }
    return shows;
  };
  std::vector<Script> examples;
  for (const Bucket::Example& example : bucket.examples) examples.push_back(example.script);
  const auto repeats = first(examples);
  if (!trouble.ok()) return trouble;
  if (!repeats) return std::optional<Script>();
  const int runs = options_.target.members > 1 ? kClusterRunsToShrink : kRunsToShrink;
  Script smallest =
      explore::Shrink(examples[*repeats], first, {.runs = runs, .at_once = ServersAtOnce()});
  if (!trouble.ok()) return trouble;
  return std::optional(std::move(smallest));
}

Result<std::filesystem::path> LiveExplorer::MakeFolder() {
  MutexLock lock(mu_);
  return options_.folder();
}

// What the scripts showed is known when the server is gone.
Result<LiveExplorer::Batch> LiveExplorer::Run(const BatchPlan& plan, const Prng& prng) {
  WP_ASSIGN_OR_RETURN(const std::filesystem::path folder, MakeFolder());
  Batch batch{.ran = {}, .undecided = {}, .folder = folder};
  const Status ran = RunOn(folder, plan, prng, batch);
  if (ran.ok()) return batch;
  Finish(folder, true);
  return ran;
}

void LiveExplorer::Finish(const std::filesystem::path& folder, bool keep) {
  MutexLock lock(mu_);
  options_.finish(folder, keep);
}

Status LiveExplorer::RunOn(const std::filesystem::path& folder, const BatchPlan& plan,
                           const Prng& prng, Batch& batch) {
  WP_ASSIGN_OR_RETURN(const std::unique_ptr<LiveServer> server,
                      LiveServer::Start({.target = options_.target,
                                         .folder = folder,
                                         .seed = options_.seed,
                                         .durable = plan.durable,
                                         .settings = plan.settings,
                                         .users = plan.users,
                                         .crash_points = plan.crash_points,
                                         .alone = plan.workers == 1,
                                         .patience = plan.patience,
                                         .certainty = plan.certainty}));
  {
    MutexLock lock(mu_);
    version_ = server->version();
    started_ = true;
  }
  const TimePoint until = Clock::now() + plan.time;
  Mutex mu;
  OnThreads(static_cast<std::size_t>(plan.workers),
            [&] { Work(*server, plan, until, prng, batch.ran, mu); });
  batch.events = server->events().happened();
  LiveVerdict verdict = server->Finish();
  batch.calls = verdict.calls.judged;
  if (batch.ran.empty() && !verdict.findings.empty()) batch.ran.push_back({});
  for (const LiveVerdict::OfScript& finding : verdict.findings) {
    // One that is of no script is shown with the first.
    const bool named = finding.script > 0 && finding.script <= batch.ran.size();
    const std::size_t own = named ? finding.script - 1 : 0;
    if (own < batch.ran.size()) batch.ran[own].broken.push_back(finding.broken);
  }
  for (Ran& one : batch.ran) {
    std::ranges::stable_sort(one.broken, {}, &Finding::at);
  }
  batch.undecided = std::move(verdict.undecided);
  return {};
}

// One script after the other, until the time is over or there are enough.
void LiveExplorer::Work(LiveServer& server, const BatchPlan& plan, TimePoint until,
                        const Prng& prng, std::vector<Ran>& ran, Mutex& mu) {
  LiveClient client;
  for (bool connected = false; !connected && !server.Gone();) {
    const LiveServer::Use use(server);
    connected = client.Connect(server).ok();
  }
  while (true) {
    std::uint32_t number = 0;
    std::optional<Script> script;
    {
      MutexLock lock(mu);
      if (ran.size() >= plan.most || Clock::now() >= until || options_.interrupted()) return;
      if (server.Gone()) return;
      number = static_cast<std::uint32_t>(ran.size() + 1);
      Prng draw = prng.Fork(fmt::format("script {}", number));
      script = plan.next(draw);
      if (!script) return;
      ran.push_back({.script = *script, .features = {}, .broken = {}});
    }
    LiveScript run(server, client, *script, number, plan.draws,
                   prng.Fork(fmt::format("run {}", number)));
    run.Run();
    MutexLock lock(mu);
    Ran& own = ran[number - 1];
    own.script = run.carried_out();
    own.features = run.features();
    own.steps = run.steps();
    own.crashes = server.crashes();
  }
}

}  // namespace watchproof::explore
