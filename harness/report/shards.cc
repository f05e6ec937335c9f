// SPDX-License-Identifier: Apache-2.0
#include "harness/report/saved_run.h"

#include <algorithm>
#include <map>
#include <set>

#include "harness/report/standing.h"
#include "harness/report/text.h"

namespace watchproof {
namespace {

using Names = std::set<AttemptName>;

// Which of two results of one attempt counts: the higher one.
int Weight(Verdict verdict) {
  constexpr int kWeights[] = {2, 3, 1, 2, 0};  // in the order of the verdicts
  return kWeights[static_cast<std::size_t>(verdict)];
}

std::string EndingOf(const RunRecord& run) {
  if (run.interrupted.empty()) return fmt::format("ended with exit code {}", run.exit_code);
  return fmt::format("{} {}", run.interrupted == "under way" ? "is" : "was", run.interrupted);
}

// "4 attempts have no result, such as A.B on embedded"
std::string LeftText(const Names& left) {
  return fmt::format("{} {} no result, such as {} on {}", Count(left.size(), "attempt"),
                     left.size() == 1 ? "has" : "have", left.begin()->case_name,
                     left.begin()->target);
}

// "shards 2, 5-7 of 8 are missing"
std::string MissingText(const std::vector<int>& missing, int count) {
  if (missing.size() == 1) return fmt::format("shard {}/{} is missing", missing.front(), count);
  std::string ranges;
  for (std::size_t i = 0; i < missing.size();) {
    std::size_t last = i;
    while (last + 1 < missing.size() && missing[last + 1] == missing[last] + 1) ++last;
    ranges += fmt::format("{}{}", ranges.empty() ? "" : ", ", missing[i]);
    if (last > i) ranges += fmt::format("-{}", missing[last]);
    i = last + 1;
  }
  return fmt::format("shards {} of {} are missing", ranges, count);
}

// Empty: they may be parts of one run.
std::string Difference(const RunRecord& one, const RunRecord& other) {
  if (one.shard->count != other.shard->count) {
    return fmt::format("one is of {} shards, the other of {}", one.shard->count,
                       other.shard->count);
  }
  if (one.shard->cut != other.shard->cut) {
    return "their attempts were distributed by other durations (--shard-by)";
  }
  if (one.seed != other.seed) {
    return fmt::format("their seeds are {} and {}; expected one --seed, or --seed-from, for all",
                       one.seed, other.seed);
  }
  ShardSummary part = *one.shard;
  part.index = other.shard->index;
  if (part != *other.shard) return "their cases, targets or numbers of attempts differ";
  if (one.versions != other.versions) return "they were made by other builds of watchproof";
  for (const auto& [target, binary] : one.binaries) {
    const auto found = other.binaries.find(target);
    if (found != other.binaries.end() && found->second.sha256 != binary.sha256) {
      return fmt::format("the binaries of {} differ", target);
    }
  }
  return {};
}

Status CheckParts(const std::vector<RunRecord>& runs) {
  for (const RunRecord& run : runs) {
    if (!run.shard) {
      return Fail(StatusCode::kInvalidArgument, "{}: expected a run with --shard or --shards",
                  run.folder);
    }
    if (const std::string difference = Difference(runs.front(), run); !difference.empty()) {
      return Fail(StatusCode::kInvalidArgument, "{} and {} are no shards of one run: {}",
                  runs.front().folder, run.folder, difference);
    }
  }
  return {};
}

// One shard, with all of its runs.
class OneShard {
 public:
  explicit OneShard(std::vector<RunRecord*> runs) : runs_(std::move(runs)) {
    std::ranges::sort(runs_, {}, &RunRecord::id);
    for (const RunRecord* run : runs_) {
      planned_.insert(run->plan.only.begin(), run->plan.only.end());
    }
  }

  // Leaves one run with each attempt, and says what there is to say.
  void Settle(RunRecord& all) {
    const std::size_t twice = KeepTheWeightiest();
    Names left = planned_;
    for (const RunRecord* run : runs_) {
      for (const AttemptSummary& attempt : run->attempts) left.erase(NameOf(attempt));
      for (const NotRun& one : run->not_run) {
        const AttemptName name{one.case_name, one.target, one.attempt};
        if (one.outcome == Outcome::kNotFetched && left.erase(name) > 0) all.not_run.push_back(one);
      }
    }
    const ShardSummary& shard = *runs_.front()->shard;
    const bool ended = runs_.back()->interrupted.empty();
    std::string text = fmt::format("shard {}/{} ", shard.index, shard.count);
    if (runs_.size() > 1) text += fmt::format("has {} runs: ", runs_.size());
    for (const RunRecord* run : runs_) {
      text +=
          fmt::format("{}{} ({})", run == runs_.front() ? "" : ", ", EndingOf(*run), run->folder);
    }
    if (twice > 0) {
      text += fmt::format("; {} with two results, of which a failure counts first",
                          Count(twice, "attempt"));
    }
    if (!left.empty()) text += "; " + LeftText(left);
    // One that is killed may have no plan yet; without an end there are always more attempts.
    if (!left.empty() || (!ended && (planned_.empty() || shard.repeat == 0))) {
      all.incomplete.push_back(std::move(text));
    } else if (!ended || runs_.size() > 1) {
      all.shard_notes.push_back(std::move(text));
    }
    left_ = std::move(left);
  }

  const Names& planned() const { return planned_; }
  const Names& left() const { return left_; }

 private:
  // Returns how many attempts were in several runs.
  std::size_t KeepTheWeightiest() {
    struct Place {
      const RunRecord* run;
      int weight;
    };
    std::map<AttemptName, Place> best;
    Names twice;
    for (const RunRecord* run : runs_) {
      for (const AttemptSummary& attempt : run->attempts) {
        const Place place{run, Weight(attempt.result.verdict)};
        const auto [known, is_new] = best.try_emplace(NameOf(attempt), place);
        if (is_new) continue;
        if (known->second.run != run) twice.insert(known->first);
        if (place.weight > known->second.weight) known->second = place;
      }
    }
    for (RunRecord* run : runs_) {
      std::erase_if(run->attempts, [&](const AttemptSummary& attempt) {
        return best.at(NameOf(attempt)).run != run;
      });
    }
    return twice.size();
  }

  std::vector<RunRecord*> runs_;  // not empty; in the order of their starts
  Names planned_;
  Names left_;
};

Names AllAttempts(const ShardSummary& whole) {
  Names all;
  for (const std::string& case_name : whole.cases) {
    for (const std::string& target : whole.targets) {
      for (int attempt = 1; attempt <= whole.repeat; ++attempt) {
        all.insert({case_name, target, attempt});
      }
    }
  }
  return all;
}

// What is said, and which attempts are not run; of the rest only what does not depend on a shard.
RunRecord Settle(std::vector<RunRecord>& runs) {
  RunRecord all;
  const ShardSummary whole = *runs.front().shard;
  std::map<int, std::vector<RunRecord*>> by_index;
  for (RunRecord& run : runs) by_index[run.shard->index].push_back(&run);
  Names left = AllAttempts(whole);  // of shards that are not there
  Names ended_early;
  std::vector<int> missing;
  for (int index = 1; index <= whole.count; ++index) {
    if (!by_index.contains(index)) {
      missing.push_back(index);
      continue;
    }
    OneShard shard(by_index.at(index));
    shard.Settle(all);
    for (const AttemptName& name : shard.planned()) left.erase(name);
    ended_early.insert(shard.left().begin(), shard.left().end());
  }
  if (!missing.empty() || !left.empty()) {
    // Also of those that were killed before their plan was written.
    std::string text =
        missing.empty() ? "of what no shard has planned, " : MissingText(missing, whole.count);
    if (!left.empty()) text += (missing.empty() ? "" : "; ") + LeftText(left);
    all.incomplete.push_back(std::move(text));
  }
  left.merge(ended_early);
  for (const AttemptName& name : left) {
    all.not_run.push_back(NotRunOf(name, runs.front().seed, Outcome::kNotRun));
  }
  return all;
}

}  // namespace

Result<RunRecord> JoinShards(std::vector<RunRecord> runs, const std::filesystem::path& folder,
                             const CaseLookup& describe) {
  WP_RETURN_IF_ERROR(CheckParts(runs));
  const ShardSummary whole = *runs.front().shard;
  RunRecord settled = Settle(runs);
  for (RunRecord& run : runs) settled.named_not_fetched |= run.named_not_fetched;
  RunRecord all = Joined(std::move(runs), folder, Numbers::kAsTheyAre);
  all.id = folder.filename().string();
  all.incomplete = std::move(settled.incomplete);
  all.shard_notes = std::move(settled.shard_notes);
  all.not_run = std::move(settled.not_run);
  all.named_not_fetched = settled.named_not_fetched;
  all.interrupted.clear();
  all.resumed.clear();
  all.shard.reset();
  all.plan.repeat = whole.repeat;
  all.plan.only.clear();
  for (const char* flag : {"--shard", "--shards", "--shard-by"}) all.flags.erase(flag);
  std::ranges::sort(all.stale);
  all.stale.erase(std::unique(all.stale.begin(), all.stale.end()), all.stale.end());
  all.cases.clear();
  for (const std::string& name : whole.cases) all.cases.push_back(describe(name));
  RenewBrokenPromises(all);
  return all;
}

}  // namespace watchproof
