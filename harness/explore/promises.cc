// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/promises.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace watchproof::explore {
namespace {

std::string Phrase(const Status& status) {
  return status.ok() ? "an answer" : "the refusal: " + status.message();
}

// By the target of a query; equal ones in any order.
bool Before(const store::RangeQuery& query, const store::KeyValue& a, const store::KeyValue& b) {
  const auto less = [&](const auto& first, const auto& second) {
    return query.order == store::SortOrder::kDescend ? second < first : first < second;
  };
  switch (query.target) {
    case store::SortTarget::kKey:
      return less(a.key, b.key);
    case store::SortTarget::kVersion:
      return less(a.version, b.version);
    case store::SortTarget::kCreate:
      return less(a.create, b.create);
    case store::SortTarget::kMod:
      return less(a.mod, b.mod);
    case store::SortTarget::kValue:
      return less(a.value, b.value);
  }
  return false;
}

bool Within(const store::RangeQuery& query, const store::KeyValue& kv) {
  const auto between = [](Revision revision, Revision low, Revision high) {
    return revision >= low && (high.value == 0 || revision <= high);
  };
  return between(kv.mod, query.min_mod, query.max_mod) &&
         between(kv.create, query.min_create, query.max_create);
}

std::string Keys(const std::vector<store::KeyValue>& kvs) {
  std::string keys;
  for (const store::KeyValue& kv : kvs) keys += kv.key + " ";
  return keys;
}

}  // namespace

void Promises::Add(std::string guarantee, std::string expected, std::string observed) {
  broken_.push_back({.guarantee = std::move(guarantee),
                     .watch = "the store",
                     .expected = std::move(expected),
                     .observed = std::move(observed)});
}

void Promises::Granted(std::int64_t lease, std::chrono::seconds time, TimePoint now) {
  leases_[lease] = {.time = time, .end = now + time};
}

void Promises::Confirmed(std::int64_t lease) {
  const auto found = leases_.find(lease);
  if (found != leases_.end()) found->second.uncertain = false;
}

void Promises::RevokeAsked(std::int64_t lease) {
  const auto found = leases_.find(lease);
  if (found != leases_.end()) found->second.uncertain = true;
}

void Promises::KeptAlive(std::int64_t lease, const Status& status, TimePoint now) {
  const auto found = leases_.find(lease);
  if (found == leases_.end()) return;
  // An overdue lease may have ended or not.
  if (found->second.end > now && !found->second.uncertain && !status.ok()) {
    Add("Leases", "a lease that has not ended to be kept alive", Phrase(status));
  }
  if (status.ok()) found->second.end = now + found->second.time;
}

void Promises::Described(std::int64_t lease, const store::LeaseState& state,
                         const std::vector<store::KeyValue>& all, TimePoint now) {
  std::vector<std::string> keys;
  for (const store::KeyValue& kv : all) {
    if (kv.lease == lease) keys.push_back(kv.key);
  }
  if (keys != state.keys) {
    Add("Leases", "the keys that a read shows with the lease",
        fmt::format("lease {} with {}", lease, fmt::join(state.keys, " ")));
  }
  const auto found = leases_.find(lease);
  if (found == leases_.end() || found->second.uncertain) return;
  const auto left = std::chrono::floor<std::chrono::seconds>(found->second.end - now);
  if (state.granted == found->second.time && state.remaining == left) return;
  Add("Leases", "the granted time of the lease, and what is left of it",
      fmt::format("{} s of {} s instead of {} s of {} s", state.remaining.count(),
                  state.granted.count(), left.count(), found->second.time.count()));
}

void Promises::Selected(const store::RangeQuery& query, const store::RangeAnswer& all,
                        const store::RangeAnswer& answer) {
  std::vector<store::KeyValue> expected;
  if (!query.count_only) {
    std::copy_if(all.kvs.begin(), all.kvs.end(), std::back_inserter(expected),
                 [&](const store::KeyValue& kv) { return Within(query, kv); });
  }
  const auto before = [&](const store::KeyValue& a, const store::KeyValue& b) {
    return Before(query, a, b);
  };
  const bool bounded = query.min_mod.value > 0 || query.max_mod.value > 0 ||
                       query.min_create.value > 0 || query.max_create.value > 0;
  // With a target but no order etcd sorts the first keys only, one more than the limit.
  const auto first = static_cast<std::size_t>(query.limit) + 1;
  if (query.limit > 0 && query.order == store::SortOrder::kNone && !bounded &&
      expected.size() > first) {
    expected.resize(first);
  }
  std::stable_sort(expected.begin(), expected.end(), before);
  const auto limit = static_cast<std::size_t>(query.limit);
  const bool more = limit > 0 && expected.size() > limit;
  if (more) expected.resize(limit);
  bool equal =
      expected.size() == answer.kvs.size() && more == answer.more && answer.count == all.count;
  // With keys only the values, by which they may be sorted, are not shown.
  for (std::size_t i = 0; equal && i < expected.size() && !query.keys_only; ++i) {
    equal = !before(expected[i], answer.kvs[i]) && !before(answer.kvs[i], expected[i]) &&
            std::find(all.kvs.begin(), all.kvs.end(), answer.kvs[i]) != all.kvs.end();
  }
  if (equal) return;
  Add("Selected", "the keys within the bounds, in the order that was asked for",
      fmt::format("{}of {}, count {}, {}", Keys(answer.kvs), Keys(all.kvs), answer.count,
                  answer.more ? "more" : "no more"));
}

void Promises::Restarted(TimePoint now) {
  for (auto& [id, lease] : leases_) {
    // Whether it had ended before the restart depends on what was safe then.
    if (lease.end <= now) lease.uncertain = true;
    lease.end = now + lease.time;
  }
}

void Promises::Listed(const std::vector<std::int64_t>& listed, TimePoint now) {
  for (const auto& [id, lease] : leases_) {
    if (lease.uncertain) continue;
    const bool shown = std::find(listed.begin(), listed.end(), id) != listed.end();
    if (shown == (lease.end > now)) continue;
    Add("Leases",
        shown ? "a lease that has ended not to be listed" : "every lease that has not ended",
        fmt::format("lease {} is {}listed", id, shown ? "" : "not "));
  }
  for (const std::int64_t id : listed) {
    if (!leases_.contains(id)) {
      Add("Leases", "only leases that were granted and not revoked",
          fmt::format("lease {} is listed", id));
    }
  }
}

void Promises::Read(std::int64_t at, const Status& status, const Bounds& bounds) {
  const bool kept = at <= 0 || (at >= bounds.floor_asked && at <= bounds.head);
  const bool gone = at > 0 && at < bounds.floor;
  const std::string observed = fmt::format("at revision {}, with floor {} and head {}: {}", at,
                                           bounds.floor, bounds.head, Phrase(status));
  if (kept && !status.ok()) {
    Add("Readable", "a read between the compaction floor and the head to be answered", observed);
  } else if (gone && status.code() != StatusCode::kOutOfRange) {
    Add("Readable", "a read below the compaction floor to be refused as out of range", observed);
  }
}

void Promises::Compacted(std::int64_t at, const Status& status, const Bounds& bounds) {
  if (at <= bounds.floor_asked || at > bounds.head || status.ok()) return;
  Add("Readable", "a compaction between floor and head to be done",
      fmt::format("at revision {}, with floor {} and head {}: {}", at, bounds.floor, bounds.head,
                  Phrase(status)));
}

void Promises::Answered(const char* call, const Status& status) {
  if (status.ok()) return;
  Add("Answered", fmt::format("{} to be answered: nothing in it gives a reason to refuse it", call),
      Phrase(status));
}

}  // namespace watchproof::explore
