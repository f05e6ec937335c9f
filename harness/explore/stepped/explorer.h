// SPDX-License-Identifier: Apache-2.0
// Runs script after script on the store under virtual time, keeps those that reached something new,
// and sorts what was found into buckets.
//
//   Explorer explorer({.seed = 7, .defects = {}});
//   for (int i = 0; i < 2000; ++i) explorer.Next();
//   for (const Bucket& bucket : explorer.buckets()) ... Shrink(bucket.script, bucket.shape, ...)
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/base/prng.h"
#include "harness/base/status.h"
#include "harness/explore/buckets.h"
#include "harness/explore/corpus.h"
#include "harness/explore/stepped/watchdog.h"
#include "harness/history/recorder.h"

namespace watchproof::explore {

// What one script showed.
struct ScriptRun {
  std::vector<Finding> findings;
  std::vector<std::string> undecided;
  std::vector<NumberedEntry> lines;  // the recording
  Features features;
  std::size_t steps = 0;
  // What clients know and what was written, after the last step of the script itself.
  std::string state;
};
// Refuses an unknown name with a list of the known ones.
Status CheckDefects(const std::vector<std::string>& defects);
// Requires: the defects are known. `progress` is for a watchdog.
ScriptRun RunScript(const Script& script, const std::vector<std::string>& defects,
                    Progress* progress = nullptr);
// The bytes of a recording, for comparing two.
std::string BytesOf(const std::vector<NumberedEntry>& lines);

// The smallest script that can be found that still shows a finding of the shape.
Script Shrink(const Script& script, const std::string& shape,
              const std::vector<std::string>& defects, Progress* progress = nullptr);

struct ExploreOptions {
  std::uint64_t seed = 1;
  std::vector<std::string> defects;
  // Whether some scripts are for situations that were not reached yet; the others are drawn.
  bool covering = true;
  Progress* progress = nullptr;  // of a watchdog
};

class Explorer {
 public:
  explicit Explorer(const ExploreOptions& options);

  // Draws, or changes a script of the corpus, or covers a situation, and runs that.
  void Next();
  // Judges this script like a drawn one. Returns the state in which it left clients and history.
  std::string Try(const Script& script);

  struct Counts {
    std::uint64_t scripts = 0;
    std::uint64_t steps = 0;
    std::uint64_t undecided = 0;   // scripts of which a part could not be judged
    std::uint64_t repeated = 0;    // run a second time
    std::uint64_t unrepeated = 0;  // and then recorded something else
  };
  const Counts& counts() const { return counts_; }
  const Corpus& corpus() const { return corpus_; }
  const std::vector<Bucket>& buckets() const { return buckets_.all(); }
  std::vector<const Bucket*> After(const Bucket& cause) const { return buckets_.After(cause); }
  // Why something could not be decided, and how often.
  const std::map<std::string, std::uint64_t>& undecided() const { return undecided_; }

 private:
  const ExploreOptions options_;
  Prng prng_;
  Corpus corpus_;
  Buckets buckets_;
  std::map<std::string, std::uint64_t> undecided_;
  Counts counts_;
};

}  // namespace watchproof::explore
