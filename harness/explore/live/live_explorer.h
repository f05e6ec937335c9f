// SPDX-License-Identifier: Apache-2.0
// Runs hundreds of scripts side by side on a real server, server after server, and cuts what was
// found out: a script alone on a fresh server, repeated and made smaller. A server may also be a
// cluster.
//
//   LiveExplorer explorer({.target = spec, .seed = 7, .folder = folder});
//   const auto go_on = [&] { return explorer.buckets().empty(); };
//   WP_RETURN_IF_ERROR(explorer.Explore(10min, 100'000, go_on));
//   for (const Bucket& bucket : explorer.buckets()) ... explorer.Shrink(bucket) ...
//
// Not thread-safe; Explore and RunAlone have threads of their own, of which one at a time asks
// whether to go on. Ownership: owns nothing between two calls.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/mutex.h"
#include "harness/base/prng.h"
#include "harness/drive/shared/live_script.h"
#include "harness/drive/shared/live_server.h"
#include "harness/explore/buckets.h"
#include "harness/explore/corpus.h"
#include "harness/explore/live/focus.h"

namespace watchproof::explore {

struct LiveExploreOptions {
  TargetSpec target;
  std::uint64_t seed = 1;
  // A new folder for each server, and what becomes of it when the server is gone.
  std::function<Result<std::filesystem::path>()> folder;
  std::function<void(const std::filesystem::path&, bool keep)> finish;
  std::function<bool()> interrupted;
  // If there is one, it gives the scripts, instead of the corpus; empty: there are no more.
  std::function<std::optional<Script>()> source = {};
  // The scripts of the source have crash points, and each a server of its own; `ran` is given each
  // with the calls at which its server was killed.
  std::function<void(const Script&, const std::vector<std::string>& crashes)> crashed = {};
  // The bug of a signature that the target is known for, once it runs.
  Buckets::KnownAs known_as = {};
  // Whether some servers are for situations that were not reached yet.
  bool covering = true;
};

class LiveExplorer {
 public:
  explicit LiveExplorer(const LiveExploreOptions& options);

  // On fresh servers, some at a time: the scripts that begin within the time, at most so many.
  // Whenever a server is done, `go_on` is asked, which may look at everything below.
  // A server that is late to start, again and again, is left; an error: one has ended at its start,
  // or none started at all. What was found is kept in any case.
  Status Explore(Duration time, std::uint64_t most, const std::function<bool()>& go_on);
  // Each script alone on a fresh server, some servers at a time: what was found, by script. The
  // first with findings that are worth it keeps its recording.
  using Findings = std::vector<Finding>;
  struct Alone {
    Findings findings;
    std::filesystem::path recording{};   // empty: it is gone
    std::vector<std::string> crashes{};  // see LiveServer
  };
  using IsWorthIt = std::function<bool(const Findings&)>;
  Result<std::vector<Alone>> RunAlone(const std::vector<Script>& scripts,
                                      const IsWorthIt& is_worth_it = {});
  // The smallest script that still shows the bucket's finding alone; empty if none of the examples
  // does so.
  Result<std::optional<Script>> Shrink(const Bucket& bucket);

  struct Counts {
    std::uint64_t scripts = 0;
    std::uint64_t steps = 0;
    std::uint64_t calls = 0;  // that were judged
    std::uint64_t servers = 0;
    std::uint64_t late = 0;       // servers that did not start in time
    std::uint64_t undecided = 0;  // servers of which a part could not be judged
    std::map<std::string, std::uint64_t> events = {};  // that befell clusters, by their kind
  };
  const Counts& counts() const { return counts_; }
  const Corpus& corpus() const { return corpus_; }
  Corpus& corpus() { return corpus_; }
  const std::vector<Bucket>& buckets() const { return buckets_.all(); }
  const std::map<std::string, std::uint64_t>& scripts_by_bug() const {
    return buckets_.scripts_by_bug();
  }
  std::vector<const Bucket*> After(const Bucket& cause) const { return buckets_.After(cause); }
  bool Shown(const std::string& shape) const { return buckets_.Shown(shape); }
  const std::map<std::string, std::uint64_t>& undecided() const { return undecided_; }
  // The target's version, once a server ran.
  std::string version() {
    MutexLock lock(mu_);
    return version_;
  }

 private:
  // A script that ran, and what it showed.
  struct Ran {
    Script script;
    Features features;
    std::vector<Finding> broken;
    std::size_t steps = 0;
    std::vector<std::string> crashes = {};
  };
  struct BatchPlan {
    Duration time{};
    std::uint64_t most = 0;
    int workers = 1;
    LiveScript::Draws draws{};
    bool durable = false;
    bool drawn_settings = true;
    Server settings{};
    bool users = false;
    bool crash_points = false;
    Duration patience = 3s;
    Duration certainty = 10s;
    std::function<std::optional<Script>(Prng& prng)> next;
    std::optional<Script> asked = {};  // if there is one script only
  };
  struct Batch {
    std::vector<Ran> ran;
    std::vector<std::string> undecided;
    std::filesystem::path folder;
    std::uint64_t calls = 0;
    std::map<std::string, std::uint64_t> events = {};
  };
  void Learn(const BatchPlan& plan, const Batch& batch) REQUIRES(learning_);
  // From any thread.
  Result<Batch> Run(const BatchPlan& plan, const Prng& prng);
  Result<std::filesystem::path> MakeFolder();
  bool Started() {
    MutexLock lock(mu_);
    return started_;
  }
  void Finish(const std::filesystem::path& folder, bool keep);
  Status RunOn(const std::filesystem::path& folder, const BatchPlan& plan, const Prng& prng,
               Batch& batch);
  void Work(LiveServer& server, const BatchPlan& plan, TimePoint until, const Prng& prng,
            std::vector<Ran>& ran, Mutex& mu);
  BatchPlan DrawBatch(Duration time, std::uint64_t most) REQUIRES(learning_);
  BatchPlan ClusterBatch(Duration time, std::uint64_t most) REQUIRES(learning_);
  std::size_t ServersAtOnce() const;
  BatchPlan QuietBatch(Duration time, std::uint64_t most);
  std::optional<Script> DrawScript(Focus focus, Prng& prng);
  BatchPlan SourceBatch(Duration time, std::uint64_t most);
  BatchPlan CrashBatch();
  BatchPlan CoveringBatch(Duration time, std::uint64_t most) REQUIRES(learning_);
  std::optional<Script> NextCovering(bool restarts, Prng& prng) REQUIRES(learning_);

  const LiveExploreOptions options_;
  Prng prng_;
  Corpus corpus_;
  Buckets buckets_;
  Counts counts_;
  std::uint64_t batches_ = 0;
  bool source_is_empty_ = false;
  std::vector<Script> restarting_;  // scripts for situations, which wait for a durable server
  std::map<std::string, std::uint64_t> undecided_;
  // Held while what is above changes or, on the threads of Explore, is read.
  Mutex learning_;
  Mutex mu_;
  std::string version_ GUARDED_BY(mu_);
  bool started_ GUARDED_BY(mu_) = false;  // some server was
};

}  // namespace watchproof::explore
