// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/comparer.h"

#include <algorithm>

namespace watchproof {

void Comparer::Open(WatchIndex watch, const TrackedRange& range, Revision start) {
  if (follows_.size() <= watch.value) follows_.resize(watch.value + 1);
  Follow& follow = follows_[watch.value];
  follow.open = true;
  follow.range = timeline_.Track(range);
  follow.start = start;
  follow.opened_too_late = start < timeline_.forgotten();
  follow.next = timeline_.expected(follow.range).LowerBound(start);
}

// A watch with a future start: changes below its start are filed after it was opened.
void Comparer::PassStart(Follow& follow, const ExpectedList& expected) {
  follow.next = std::max(follow.next, expected.first());
  while (follow.next < expected.size() && expected[follow.next].revision < follow.start)
    ++follow.next;
}

void Comparer::Compare(WatchIndex watch, const Response& response, std::vector<Comparison>& out) {
  out.clear();
  Follow& follow = follows_[watch.value];
  PassStart(follow, timeline_.expected(follow.range));
  for (const EventView& event : response.message.events) {
    out.push_back(CompareEvent(follow, response, event.kv));
    if (out.back().match <= Match::kLate) ++follow.delivered;
  }
}

Comparison Comparer::CompareEvent(Follow& follow, const Response& response,
                                  const KeyValueView& kv) {
  const Revision revision(kv.mod_revision);
  if (revision < follow.start) return {Match::kBelowStart};
  if (revision <= timeline_.base() || revision > timeline_.known_through())
    return {Match::kUnknown};
  const ExpectedList& expected = timeline_.expected(follow.range);
  if (follow.next < expected.size()) {
    const ExpectedChange& next = expected[follow.next];
    if (next.revision == revision && timeline_.change(next.change).key == kv.key) {
      const Comparison compared{Match::kExpected, follow.next++};
      if (!follow.ahead.empty()) PassAhead(follow);
      return compared;
    }
  }
  return Search(follow, response, kv);
}

Comparison Comparer::Search(Follow& follow, const Response& response, const KeyValueView& kv) {
  const Revision revision(kv.mod_revision);
  if (revision < timeline_.forgotten()) return {Match::kForgotten};
  const ExpectedList& expected = timeline_.expected(follow.range);
  std::uint32_t index = expected.LowerBound(revision);
  while (index < expected.size() && expected[index].revision == revision &&
         timeline_.change(expected[index].change).key != kv.key) {
    ++index;
  }
  if (index == expected.size() || expected[index].revision != revision) {
    return {timeline_.partly_known(revision) ? Match::kUnknown : Match::kNotExpected};
  }
  if (index < follow.next) {
    return {TakeSkipped(follow, index) ? Match::kLate : Match::kRepeated, index};
  }
  if (std::binary_search(follow.ahead.begin(), follow.ahead.end(), index)) {
    return {Match::kRepeated, index};
  }
  if (expected[index].run_begin > follow.next) {
    Leave(follow, expected[index].run_begin, response, revision);
  }
  follow.ahead.insert(std::lower_bound(follow.ahead.begin(), follow.ahead.end(), index), index);
  PassAhead(follow);
  return {Match::kExpected, index};
}

// Skips the missing changes of [next, run_begin): the watch has received a later one.
void Comparer::Leave(Follow& follow, std::uint32_t run_begin, const Response& response,
                     Revision revision) {
  Skipped gap{.from = follow.next,
              .to = follow.next,
              .overtaken_by = response.where,
              .overtaken_by_revision = revision,
              .compaction_requested = response.compaction_requested,
              .received = response.received};
  for (const std::uint32_t given : follow.ahead) {
    gap.to = given;
    if (gap.from < gap.to) follow.skipped.push_back(gap);
    gap.from = given + 1;
  }
  gap.to = run_begin;
  if (gap.from < gap.to) follow.skipped.push_back(gap);
  follow.ahead.clear();
  follow.next = run_begin;
}

void Comparer::PassAhead(Follow& follow) {
  std::size_t passed = 0;
  while (passed < follow.ahead.size() && follow.ahead[passed] == follow.next) {
    ++passed;
    ++follow.next;
  }
  follow.ahead.erase(follow.ahead.begin(),
                     follow.ahead.begin() + static_cast<std::ptrdiff_t>(passed));
}

bool Comparer::TakeSkipped(Follow& follow, std::uint32_t index) {
  std::vector<Skipped>& skipped = follow.skipped;
  auto gap = std::upper_bound(
      skipped.begin(), skipped.end(), index,
      [](std::uint32_t wanted, const Skipped& candidate) { return wanted < candidate.to; });
  if (gap == skipped.end() || index < gap->from) return false;
  const Skipped rest{.from = index + 1,
                     .to = gap->to,
                     .overtaken_by = gap->overtaken_by,
                     .overtaken_by_revision = gap->overtaken_by_revision,
                     .compaction_requested = gap->compaction_requested,
                     .received = gap->received};
  gap->to = index;
  if (rest.from < rest.to) gap = skipped.insert(gap + 1, rest) - 1;
  if (gap->from == gap->to) skipped.erase(gap);
  return true;
}

const ExpectedList* Comparer::expected(WatchIndex watch) const {
  if (watch.value >= follows_.size() || !follows_[watch.value].open) return nullptr;
  return &timeline_.expected(follows_[watch.value].range);
}

const std::vector<Skipped>& Comparer::skipped(WatchIndex watch) const {
  static const std::vector<Skipped> kNone;
  return watch.value < follows_.size() ? follows_[watch.value].skipped : kNone;
}

std::optional<std::uint32_t> Comparer::NextExpected(WatchIndex watch) const {
  const ExpectedList* list = expected(watch);
  if (list == nullptr) return std::nullopt;
  const Follow& follow = follows_[watch.value];
  std::uint32_t next = std::max(follow.next, list->first());
  while (next < list->size() && (*list)[next].revision < follow.start) ++next;
  if (next == list->size()) return std::nullopt;
  return next;
}

std::uint64_t Comparer::Missing(WatchIndex watch) const {
  const auto next = NextExpected(watch);
  if (!next) return 0;
  return expected(watch)->size() - *next - follows_[watch.value].ahead.size();
}

std::uint64_t Comparer::Expected(WatchIndex watch) const {
  std::uint64_t expected = follows_[watch.value].delivered;
  if (FirstMissing(watch)) expected += Missing(watch);
  for (const Skipped& gap : skipped(watch)) expected += gap.to - gap.from;
  return expected;
}

std::optional<Change> Comparer::FirstMissing(WatchIndex watch) const {
  if (watch.value >= follows_.size()) return std::nullopt;
  const Follow& follow = follows_[watch.value];
  if (follow.missing) return follow.missing->view();
  const auto next = NextExpected(watch);
  return next ? std::optional(change((*expected(watch))[*next])) : std::nullopt;
}

bool Comparer::WasGiven(WatchIndex watch, Revision revision) const {
  const ExpectedList* const list = expected(watch);
  if (list == nullptr || revision < follows_[watch.value].start) return false;
  if (revision < timeline_.forgotten()) return true;
  const std::uint32_t index = list->LowerBound(revision);
  if (index == list->size() || (*list)[index].revision != revision) return false;
  return index < follows_[watch.value].next &&
         std::ranges::none_of(skipped(watch), [index](const Skipped& gap) {
           return gap.from <= index && index < gap.to;
         });
}

Change Comparer::FirstOf(WatchIndex watch, const Skipped& gap) const {
  return gap.first ? gap.first->view() : change((*expected(watch))[gap.from]);
}

void Comparer::Forget(Revision below) {
  for (std::uint32_t i = 0; i < follows_.size(); ++i) {
    Follow& follow = follows_[i];
    if (!follow.open) continue;
    for (Skipped& gap : follow.skipped) {
      const Change first = FirstOf(WatchIndex(i), gap);
      if (!gap.first && first.revision < below) gap.first = Remembered(first);
    }
    const auto missing = FirstMissing(WatchIndex(i));
    if (missing && !follow.missing && missing->revision < below) {
      follow.missing = Remembered(*missing);
    }
  }
}

}  // namespace watchproof
