// SPDX-License-Identifier: Apache-2.0
#include "harness/runs/sharding.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <queue>

#include "harness/base/prng.h"

namespace watchproof {
namespace {

constexpr char kIndexOfJob[] = "JOB_COMPLETION_INDEX";

std::uint64_t HashOf(const AttemptName& name) {
  return Fnv1a(fmt::format("{}\n{}\n{}", name.case_name, name.target, name.attempt));
}

// What an attempt takes: as before on that target, else as the case on others, else as the others.
class Estimate {
 public:
  explicit Estimate(const Durations& durations) : durations_(durations) {
    for (const auto& [of, seconds] : durations) {
      Add(seconds, cases_[of.first]);
      Add(seconds, all_);
    }
  }

  double Of(const AttemptName& name) const {
    const auto exact = durations_.find({name.case_name, name.target});
    if (exact != durations_.end()) return exact->second;
    const auto found = cases_.find(name.case_name);
    const Sum& sum = found == cases_.end() ? all_ : found->second;
    return sum.seconds / sum.count;
  }

 private:
  struct Sum {
    double seconds = 0;
    int count = 0;
  };
  static void Add(double seconds, Sum& sum) {
    sum.seconds += seconds;
    ++sum.count;
  }

  const Durations& durations_;
  std::map<std::string, Sum> cases_;
  Sum all_;
};

std::vector<AttemptName> AllOf(const ShardSummary& shard) {
  std::vector<AttemptName> all;
  for (const std::string& case_name : shard.cases) {
    for (const std::string& target : shard.targets) {
      for (int attempt = 1; attempt <= shard.repeat; ++attempt) {
        all.push_back({case_name, target, attempt});
      }
    }
  }
  return all;
}

}  // namespace

Result<Shard> ShardOfJob(std::string_view total) {
  WP_ASSIGN_OR_RETURN(const int count, ParseCount(total, 1));
  const char* variable = std::getenv(kIndexOfJob);
  if (variable == nullptr) {
    return Fail(StatusCode::kInvalidArgument,
                "{} is not set; expected it, as in a pod of an Indexed Job, or --shard I/N",
                kIndexOfJob);
  }
  WP_ASSIGN_OR_RETURN(const int from_zero, InContext(kIndexOfJob, ParseCount(variable, 0)));
  if (from_zero < count) return Shard{from_zero + 1, count};
  return Fail(StatusCode::kInvalidArgument, "{} is {}, and expected below {}, from 0", kIndexOfJob,
              from_zero, count);
}

std::uint64_t SeedFrom(std::string_view text) { return Fnv1a(text) & 0xfffffffU; }

std::string CutOf(const Durations& durations) {
  if (durations.empty()) return "hash";
  std::string text;
  for (const auto& [of, seconds] : durations) {
    text += fmt::format("{}\n{}\n{:.3f}\n", of.first, of.second, seconds);
  }
  return fmt::format("durations {:08x}", Fnv1a(text) & 0xffffffffU);
}

std::set<AttemptName> AttemptsOf(const ShardSummary& shard, const Durations& durations) {
  std::set<AttemptName> mine;
  const auto count = static_cast<std::uint64_t>(shard.count);
  const auto index = static_cast<std::uint64_t>(shard.index - 1);
  if (durations.empty()) {
    for (const AttemptName& name : AllOf(shard)) {
      if (HashOf(name) % count == index) mine.insert(name);
    }
    return mine;
  }
  const Estimate estimate(durations);
  std::vector<std::pair<double, AttemptName>> longest;  // first, by a sign that is turned
  for (AttemptName& name : AllOf(shard)) longest.emplace_back(-estimate.Of(name), std::move(name));
  std::ranges::sort(longest);
  using Load = std::pair<double, std::uint64_t>;  // seconds, index
  std::priority_queue<Load, std::vector<Load>, std::greater<>> least;
  for (std::uint64_t i = 0; i < count; ++i) least.emplace(0, i);
  for (const auto& [seconds, name] : longest) {
    auto [load, of] = least.top();
    least.pop();
    if (of == index) mine.insert(name);
    least.emplace(load - seconds, of);
  }
  return mine;
}

}  // namespace watchproof
