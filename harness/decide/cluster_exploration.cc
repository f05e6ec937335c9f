// SPDX-License-Identifier: Apache-2.0
#include "harness/decide/cluster_exploration.h"

#include <algorithm>
#include <utility>

#include "harness/bugs/release_version.h"
#include "harness/explore/shape.h"
#include "harness/releases/release_cache.h"
#include "harness/targets/etcd_capabilities.h"

namespace watchproof {
namespace {

constexpr int kCandidates = 12;
const std::string kCase = std::string(kExploredSuite) + "Cluster";

std::string ShapeOf(const FindingRecord& finding) {
  return explore::ShapeFrom(finding.guarantee, finding.expected, finding.resembles);
}

std::set<std::string> InEffect(const AttemptResult& result) {
  std::set<std::string> faults;
  for (const ReceiptRecord& receipt : result.receipts) {
    if (receipt.fired) faults.insert(receipt.fault);
  }
  return faults;
}

// By `--snapshot-catchup-entries`, since 3.6.
bool HasShortLogs(const std::string& release) {
  const auto version = ParseVersion(release);
  return version && version->branch() >= std::pair(3, 6);
}

// The first part says enough.
std::string ReasonOf(const AttemptResult& result) {
  const std::string reason = result.reason.substr(0, result.reason.find("; "));
  return fmt::format("{}: {}", Name(result.verdict), explore::WithoutNumbers(reason));
}

}  // namespace

std::vector<BucketGroup> GroupsOf(const std::vector<ClusterBucket>& buckets) {
  struct Shapes {
    std::set<std::string> all;
    BucketGroup group;
  };
  std::vector<Shapes> groups;
  for (const ClusterBucket& bucket : buckets) {
    Shapes joined{.all = bucket.then, .group = {.first = &bucket}};
    joined.all.insert(bucket.shape);
    // An earlier group comes before: its first bucket is that of the whole.
    for (auto known = groups.rbegin(); known != groups.rend(); ++known) {
      const bool common = std::ranges::any_of(
          joined.all, [&](const std::string& shape) { return known->all.contains(shape); });
      if (!common) continue;
      known->group.others.push_back(joined.group.first);
      std::ranges::copy(joined.group.others, std::back_inserter(known->group.others));
      known->all.merge(joined.all);
      joined = std::exchange(*known, {});
    }
    std::erase_if(groups, [](const Shapes& one) { return one.group.first == nullptr; });
    groups.push_back(std::move(joined));
  }
  std::ranges::sort(groups, {}, [](const Shapes& one) { return one.group.first; });
  std::vector<BucketGroup> found;
  for (Shapes& one : groups) found.push_back(std::move(one.group));
  return found;
}

ClusterExploration::ClusterExploration(const ClusterExplorationOptions& options)
    : options_(options),
      draw_(options.draw),
      prng_(options.seed),
      pool_({.spec = {.case_name = kCase,
                      .target = options.target.text,
                      .seed = options.seed,
                      .plan = (options.folder.path() / "plan.jsonl.zst").string()},
             .target = options.target,
             .folder = options.folder,
             .signals = options.signals,
             .jobs = options.jobs}),
      version_(options.target.release) {
  LearnOf(version_);
}

void ClusterExploration::LearnOf(const std::string& release) {
  draw_.short_logs = HasShortLogs(release);
  draw_.learners = CapabilitiesOfEtcd(release).offered.contains(Capability::kLearners);
  draw_.restores = draw_.releases.empty() && CachedRelease("etcdutl", release).has_value();
}

ClusterExploration::Drawn ClusterExploration::Draw() {
  Drawn best;
  std::ptrdiff_t most = -1;
  for (int i = 0; i < kCandidates; ++i) {
    const std::uint64_t seed = prng_.Next();
    Plan plan = DrawCluster(Prng(seed), draw_);
    std::set<std::string> pairs = PairsOf(plan);
    const auto news = std::ranges::count_if(
        pairs, [this](const std::string& pair) { return !pairs_.contains(pair); });
    if (news > most) best = {std::move(plan), seed};
    most = std::max<std::ptrdiff_t>(most, news);
    drawn_pairs_.merge(pairs);
  }
  return best;
}

Status ClusterExploration::Explore(TimePoint until, std::uint64_t most,
                                   const std::function<bool()>& go_on) {
  std::uint64_t begun = 0;
  bool wanted = true;
  const auto more = [&] {
    return wanted && begun < most && Clock::now() < until && options_.signals.count() == 0;
  };
  while (more() || !pool_.empty()) {
    if (options_.signals.count() > 0) break;
    if (more() && !pool_.full()) {
      Drawn drawn = Draw();
      WP_RETURN_IF_ERROR(pool_.Start(drawn.plan, begun));
      running_[begun++] = std::move(drawn);
      continue;
    }
    for (const PlanPool::Ended& ended : pool_.Collect()) {
      Take(ended);
      wanted = wanted && go_on();
    }
  }
  pool_.StopAll();
  return {};
}

void ClusterExploration::Take(const PlanPool::Ended& ended) {
  bool keep = false;
  if (ended.result) {
    AttemptResult result = *ended.result;
    result.folder = ended.folder.relative;
    ++counts_.plans;
    counts_.calls += result.calls.judged;
    if (!result.target_version.empty()) version_ = result.target_version;
    LearnOf(version_);
    const std::set<std::string> in_effect = InEffect(result);
    counts_.events += in_effect.size();
    // What had no effect in between brings others together that were not drawn so.
    std::set<std::string> met = PairsOf(running_.at(ended.number).plan, &in_effect);
    drawn_pairs_.insert(met.begin(), met.end());
    pairs_.merge(met);
    const ExpectationStatus status =
        Expectations::BuiltIn().Apply(options_.target, result, nullptr);
    keep = result.verdict == Verdict::kFail && status != ExpectationStatus::kKnownFailure;
    if (status == ExpectationStatus::kKnownFailure) {
      FileKnown(result);
    } else if (keep) {
      File(result, ended);
    } else if (result.verdict == Verdict::kPass) {
      ++counts_.judged;
    } else {
      const bool in_part = result.verdict == Verdict::kInconclusive;
      ++(in_part ? counts_.in_part : counts_.undecided);
      if (result.target_failed) ++counts_.never_served;
      ++reasons_[ReasonOf(result)];
    }
    [[maybe_unused]] const Status kept =
        options_.folder.AppendLine("results.jsonl", ToJsonLine(result));
  }
  pool_.Finish(ended, keep ? KeepFiles::kAll : KeepFiles::kNone);
  running_.erase(ended.number);
}

BugCarrier ClusterExploration::CarrierOf(const AttemptResult& result) const {
  return {.product = options_.target.product,
          .version = result.target_version,
          .members = options_.draw.members,
          .topology = options_.target.topology};
}

// Under each bug once; a signature is not needed where the answer key knows the case.
void ClusterExploration::FileKnown(const AttemptResult& result) {
  const BugCarrier carrier = CarrierOf(result);
  std::map<std::string, FindingRecord> shown;
  for (const FindingRecord& finding : result.findings) {
    if (!IsKnownBug(finding.resembles, carrier)) continue;
    shown.try_emplace(KnownBugText(finding.resembles, carrier), finding);
  }
  if (shown.empty()) shown.emplace(result.reason, result.findings.front());
  for (const auto& [bug, finding] : shown) {
    ++known_.try_emplace(bug, ClusterKnown{.finding = finding}).first->second.times;
  }
}

// Under what it showed first that no known bug explains: the rest may follow from that.
void ClusterExploration::File(const AttemptResult& result, const PlanPool::Ended& ended) {
  const BugCarrier carrier = CarrierOf(result);
  const auto is_new = [&carrier](const FindingRecord& finding) {
    return !IsKnownBug(finding.resembles, carrier);
  };
  auto first = std::ranges::find_if(result.findings, is_new);
  if (first == result.findings.end()) first = result.findings.begin();
  const std::string shape = ShapeOf(*first);
  auto bucket = std::ranges::find(buckets_, shape, &ClusterBucket::shape);
  if (bucket == buckets_.end()) {
    const Drawn& drawn = running_.at(ended.number);
    bucket = buckets_.insert(buckets_.end(), {.shape = shape,
                                              .finding = *first,
                                              .plan = drawn.plan,
                                              .seed = drawn.seed,
                                              .folder = ended.folder.relative,
                                              .first = counts_.plans});
  }
  ++bucket->times;
  for (const FindingRecord& finding : result.findings) {
    if (ShapeOf(finding) != shape) bucket->then.insert(ShapeOf(finding));
  }
}

}  // namespace watchproof
