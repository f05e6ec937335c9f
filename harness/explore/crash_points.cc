// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/crash_points.h"

#include <algorithm>
#include <utility>

#include "harness/script/grammar.h"

namespace watchproof::explore {
namespace {

// Those that are under way together: all of one number before the next number.
constexpr std::size_t kTogether = 4;
constexpr std::size_t kStepsDrawn = 10;
constexpr int kHows = 4;

Create WatchAll() { return {.key = "a/", .end = "a0"}; }
Put PutTo(const std::string& key, std::int64_t times = 1) { return {.key = key, .times = times}; }

// What a store does to its disk: a log that grows, a database that is committed, compacted,
// defragmented, snapshots, leases, and the recovery from each.
std::vector<std::pair<std::string, Script>> Covering() {
  const Txn many{.then = {{.kind = TxnPart::Kind::kPut, .key = "a/1"},
                          {.kind = TxnPart::Kind::kPut, .key = "a/2"},
                          {.kind = TxnPart::Kind::kPut, .key = "b"},
                          {.kind = TxnPart::Kind::kDelete, .key = "a0"}}};
  const Place head{Place::From::kHead, 0};
  const Place before{Place::From::kHead, -1};
  const Turn committed{Loop::kErase};  // as long as etcd leaves between two commits
  return {
      {"puts", {.steps = {WatchAll(), PutTo("a/1", 3), Delete{.key = "a/1"}, PutTo("a/2", 2)}}},
      {"transactions", {.steps = {WatchAll(), PutTo("a0"), many, committed, many, many}}},
      {"compaction",
       {.steps = {WatchAll(), PutTo("a/1", 5), Delete{.key = "a/1"}, Compact{head}, PutTo("a/2"),
                  committed, PutTo("a/2", 2), Compact{before}, PutTo("a/1")}}},
      // No later compaction covers up what became of the deletion at the floor.
      {"compaction at a deletion",
       {.server = {.compaction_batch = 1},
        .steps = {WatchAll(), PutTo("a/2"), PutTo("a/1", 3), Delete{.key = "a/1"}, Compact{head},
                  committed}}},
      {"defragmentation",
       {.steps = {WatchAll(), PutTo("a/1", 5), Compact{before}, committed, Defragment{},
                  PutTo("a/1", 2), Defragment{}, PutTo("a/2")}}},
      {"leases",
       {.steps = {WatchAll(), Grant{.lease = 1, .seconds = 60}, Put{.key = "a/1", .lease = 1},
                  KeepAlive{1}, committed, PutTo("a/2"), Revoke{1}, PutTo("a/1")}}},
      {"restart",
       {.steps = {WatchAll(), PutTo("a/1", 3), committed, PutTo("a/2", 2), Crash{},
                  PutTo("a/1", 2)}}},
      {"snapshots",
       {.server = {.snapshot_count = 3},
        .steps = {WatchAll(), PutTo("a/1", 8), Compact{before}, PutTo("a/2", 6), committed,
                  PutTo("a/1", 3)}}},
      {"restart after a snapshot",
       {.server = {.snapshot_count = 3},
        .steps = {WatchAll(), PutTo("a/1", 8), Crash{}, PutTo("a/2", 5), Defragment{},
                  PutTo("a/1", 2)}}},
  };
}

// "sync of etcd/member/wal/0000-0000.wal; lost: ..." as "sync of etcd/member/wal/*.wal": numbers
// and what follows are different each time.
std::string KindOf(const std::string& crash) {
  std::string kind;
  for (const char letter : crash.substr(0, crash.find(';'))) {
    const bool digit = (letter >= '0' && letter <= '9');
    if (!digit) kind += letter;
    if (digit && !kind.ends_with('#')) kind += '#';
  }
  return kind;
}

const CrashPoint* PointIn(const Script& script) {
  return script.steps.empty() ? nullptr : std::get_if<CrashPoint>(&script.steps.front());
}

}  // namespace

CrashPoints::CrashPoints(Prng prng) : prng_(std::move(prng)) {
  for (auto& [name, script] : Covering()) bases_.push_back({.name = name, .script = script});
}

bool CrashPoints::Ended(const Base& base) const {
  for (int how = 0; how < kHows; ++how) {
    if (base.next[how] < base.end[how]) return false;
  }
  return true;
}

void CrashPoints::Draw() {
  Script drawn = explore::Draw(prng_);
  // Virtual time alone decides about the others.
  std::erase_if(drawn.steps, [](const Step& step) {
    return std::holds_alternative<Receive>(step) || std::holds_alternative<SyncDisk>(step) ||
           std::holds_alternative<Advance>(step) || std::holds_alternative<Restrict>(step);
  });
  if (drawn.steps.size() > kStepsDrawn) drawn.steps.resize(kStepsDrawn);
  drawn.limits = {};
  if (prng_.Chance(0.3)) drawn.server.snapshot_count = prng_.Between(2, 5);
  if (prng_.Chance(0.3)) drawn.server.compaction_batch = prng_.Between(1, 3);
  if (prng_.Chance(0.3)) drawn.steps.emplace_back(Defragment{});
  drawn.steps.emplace_back(PutTo("a/1"));
  bases_.push_back({.name = fmt::format("drawn {}", bases_.size()), .script = std::move(drawn)});
}

std::optional<Script> CrashPoints::Next() {
  while (true) {
    while (from_ < bases_.size() && Ended(bases_[from_])) ++from_;
    while (bases_.size() < from_ + kTogether) Draw();
    const std::size_t choices = kTogether * kHows;
    for (std::size_t tries = 0; tries < choices; ++tries, ++turn_) {
      Base& base = bases_[from_ + turn_ / kHows % kTogether];
      const std::size_t how = turn_ % kHows;
      if (base.next[how] >= base.end[how]) continue;
      Script script = base.script;
      const CrashPoint point{base.next[how]++, static_cast<CrashPoint::How>(how)};
      script.steps.insert(script.steps.begin(), point);
      under_way_[ToText(script)] = from_ + turn_++ / kHows % kTogether;
      return script;
    }
    // Those that stand between have ended too.
    ++from_;
  }
}

void CrashPoints::Ran(const Script& script, const std::vector<std::string>& crashes) {
  const CrashPoint* const point = PointIn(script);
  if (point == nullptr) return;
  for (const std::string& crash : crashes) ++met_[KindOf(crash)];
  points_ += crashes.empty() ? 0 : 1;
  const auto found = under_way_.find(ToText(script));
  if (found == under_way_.end()) return;
  Base& base = bases_[found->second];
  under_way_.erase(found);
  const auto how = static_cast<std::size_t>(point->how);
  if (crashes.empty()) base.end[how] = std::min(base.end[how], point->nth);
  base.met += crashes.empty() ? 0 : 1;
}

std::vector<std::string> CrashPoints::Met() const {
  std::vector<std::pair<std::uint64_t, std::string>> sorted;
  for (const auto& [kind, times] : met_) sorted.emplace_back(times, kind);
  std::ranges::sort(sorted, std::greater());
  std::vector<std::string> lines;
  for (const auto& [times, kind] : sorted) lines.push_back(fmt::format("{:5} {}", times, kind));
  return lines;
}

std::vector<std::string> CrashPoints::Scripts() const {
  std::vector<std::string> lines;
  for (const Base& base : bases_) {
    if (base.met == 0) continue;
    lines.push_back(
        fmt::format("{:5} {}{}", base.met, base.name, Ended(base) ? "" : ", not to the end"));
  }
  return lines;
}

}  // namespace watchproof::explore
