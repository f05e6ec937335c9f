// SPDX-License-Identifier: Apache-2.0
#include "harness/consumers/layer_checker.h"

#include <fmt/format.h>

#include <algorithm>

namespace watchproof {
namespace {

// As Kubernetes words it; its clients know no better (#92537).
constexpr std::string_view kTooLarge = "Too large resource version";
constexpr int kMostRefusals = 3;

std::string Describe(const TrueChange& change) {
  return fmt::format("the {} of {} at {}", change.deleted ? "delete" : "put", change.key,
                     change.revision);
}

std::string At(std::int64_t revision) {
  return revision == 0 ? "it holds nothing" : fmt::format("it is at revision {}", revision);
}

}  // namespace

void LayerChecker::Add(std::string_view check, std::string expected, std::string observed,
                       std::vector<Line> evidence, Where where) {
  const auto [at, is_new] = found_.try_emplace(check);
  if (!is_new) {
    ++at->second.repeats;
    return;
  }
  std::erase_if(evidence, [](Line line) { return line.value == 0; });
  if (where.line.value != 0) evidence.push_back(where.line);
  std::sort(evidence.begin(), evidence.end());
  evidence.erase(std::unique(evidence.begin(), evidence.end()), evidence.end());
  at->second.finding = {.check = check,
                        .layer = layer_,
                        .expected = std::move(expected),
                        .observed = std::move(observed),
                        .evidence = std::move(evidence),
                        .at = where.at};
}

std::vector<ConsumerFinding> LayerChecker::findings() const {
  std::vector<ConsumerFinding> all;
  for (const auto& [check, found] : found_) {
    all.push_back(found.finding);
    if (found.repeats > 0) all.back().observed += fmt::format("; and {} more", found.repeats);
  }
  return all;
}

std::uint64_t LayerChecker::times(std::string_view check) const {
  const auto found = found_.find(check);
  return found == found_.end() ? 0 : 1 + static_cast<std::uint64_t>(found->second.repeats);
}

void LayerChecker::Claim(std::int64_t revision, const SeenReport& seen) {
  if (revision < claimed_) {
    Add(kNoTimeTravel, fmt::format("a revision of at least {}", claimed_),
        fmt::format("{} at revision {}", seen.report.kind, revision), {claimed_at_.line},
        seen.where);
  }
  claimed_ = revision;
  claimed_at_ = seen.where;
}

void LayerChecker::Consume(const SeenReport& seen) {
  const std::string& kind = seen.report.kind;
  if (kind == kReadAsked) asked_ = Claimed{seen.report.revision, seen.where};
  if (kind == "relist") return Listed(seen);
  if (kind == "opened") return Opened(seen);
  if (kind == "watch") return Watches(seen);
  if (kind == "event") return Event(seen);
  if (kind == "bookmark") return Bookmark(seen);
  if (kind == "snapshot") return Holds(seen);
  if (kind == "handled") return Handled(seen);
  if (kind == "error") return Failed(seen);
}

void LayerChecker::Failed(const SeenReport& seen) {
  following_ = filling_ = false;
  asked_.reset();
  ended_ = seen.where;
  error_ = seen.report.error;
  if (kind_ != Kind::kFollows || error_.find(kTooLarge) == std::string::npos) return;
  if (++refusals_ == 1) refused_ = seen.where;
  if (refusals_ != kMostRefusals) return;
  const double seconds = std::chrono::duration<double>(seen.where.at - refused_.at).count();
  Add(kRecovers, "a list of what there is, as a revision was too large",
      fmt::format("{} times, within {:.1f} s of the first: {}", refusals_, seconds, error_),
      {refused_.line}, seen.where);
}

// A list at revision 0 is one that comes as events.
void LayerChecker::Listed(const SeenReport& seen) {
  followed_ = true;
  passed_.clear();
  following_ = true;
  filling_ = seen.report.revision == 0;
  filled_.clear();
  if (filling_) return;
  refusals_ = 0;
  Claim(seen.report.revision, seen);
  next_ = truth_.After(claimed_);
  if (!seen.report.keys.empty()) CompareKeys(seen, seen.report.keys, claimed_);
}

// As the layer above asked for, which has listed.
void LayerChecker::Opened(const SeenReport& seen) {
  followed_ = true;
  passed_.clear();
  following_ = true;
  claimed_ = seen.report.revision;
  claimed_at_ = seen.where;
  next_ = truth_.After(claimed_);
}

// Goes on after a revision, without a list.
void LayerChecker::Watches(const SeenReport& seen) {
  const std::int64_t after = seen.report.revision;
  if (claimed_ > 0) {
    PassOver(kNoGap, after, seen, fmt::format("it watches on from after {}", after));
  } else {
    claimed_ = after;
    claimed_at_ = seen.where;
    next_ = truth_.After(after);
  }
  following_ = true;
}

void LayerChecker::PassOver(std::string_view check, std::int64_t through, const SeenReport& seen,
                            const std::string& how) {
  const std::vector<TrueChange>& changes = truth_.changes();
  std::string missed;
  Line written;
  std::size_t count = 0;
  for (; next_ < changes.size() && changes[next_].revision <= through; ++next_) {
    const TrueChange& change = changes[next_];
    if (passed_.contains({change.revision, change.key}) || ++count > 1) continue;
    missed = Describe(change);
    written = change.written;
  }
  if (count == 0) return;
  if (count > 1) missed += fmt::format(" and {} later changes", count - 1);
  Add(check, missed, how, {written, claimed_at_.line}, seen.where);
}

void LayerChecker::Event(const SeenReport& seen) {
  const ConsumerReport& event = seen.report;
  followed_ = true;
  refusals_ = 0;
  if (filling_) {
    if (event.type == "delete") {
      filled_.erase(event.key);
    } else {
      filled_[event.key] = event.revision;
    }
    return;
  }
  const std::vector<TrueChange>& changes = truth_.changes();
  const bool deleted = event.type == "delete";
  const bool real = std::any_of(
      changes.begin() + static_cast<std::ptrdiff_t>(truth_.After(event.revision - 1)),
      changes.begin() + static_cast<std::ptrdiff_t>(truth_.After(event.revision)),
      [&](const TrueChange& one) { return one.key == event.key && one.deleted == deleted; });
  const std::string text = fmt::format("{} of {} at {}", event.type, event.key, event.revision);
  if (!real) {
    Add(kNoGap, "only changes of the store", text + ", which the store never had", {}, seen.where);
    return;
  }
  if (!passed_.emplace(event.revision, event.key).second) {
    Add(kNoDuplicate, fmt::format("the {} once", text), "the same again", {}, seen.where);
    return;
  }
  // What comes with other changes of one revision is not the end of that revision.
  PassOver(kNoGap, event.revision - 1, seen, fmt::format("the next is the {}", text));
  if (event.revision >= claimed_) return Claim(event.revision, seen);
  // Gone past before: by a list it had the change already, by an event it comes too late.
  Add(kNoTimeTravel, fmt::format("a revision of at least {}", claimed_), text, {claimed_at_.line},
      seen.where);
}

void LayerChecker::Bookmark(const SeenReport& seen) {
  const std::int64_t revision = seen.report.revision;
  refusals_ = 0;
  if (filling_) {
    filling_ = false;
    Claim(revision, seen);
    next_ = truth_.After(revision);
    CompareKeys(seen, filled_, revision);
    return;
  }
  PassOver(kBookmarkKept, revision, seen, fmt::format("a bookmark at {}", revision));
  Claim(revision, seen);
}

void LayerChecker::CompareKeys(const SeenReport& seen, const Keys& keys, std::int64_t revision) {
  const Keys expected = truth_.KeysAt(revision);
  for (const auto& [key, modified] : keys) {
    const auto there = expected.find(key);
    if (there == expected.end()) {
      const auto& changes = truth_.changes();
      const TrueChange* last = nullptr;
      for (std::size_t i = 0; i < truth_.After(revision); ++i) {
        if (changes[i].key == key) last = &changes[i];
      }
      Add(kNoGhost,
          fmt::format(
              "no {} at revision {}{}", key, revision,
              last == nullptr ? "" : fmt::format(", since it was deleted at {}", last->revision)),
          fmt::format("{} as of revision {}", key, modified),
          {last == nullptr ? Line() : last->written}, seen.where);
    } else if (there->second != modified) {
      Add(kClaimKept, fmt::format("{} as of revision {}", key, there->second),
          fmt::format("{} as of revision {}, at a claimed revision of {}", key, modified, revision),
          {}, seen.where);
    }
  }
  for (const auto& [key, modified] : expected) {
    if (keys.contains(key)) continue;
    Add(kClaimKept, fmt::format("{} as of revision {}", key, modified),
        fmt::format("no {}, at a claimed revision of {}", key, revision), {}, seen.where);
  }
}

void LayerChecker::Holds(const SeenReport& seen) {
  const std::int64_t revision = seen.report.revision;
  const bool after_due = due_ && seen.where.line > due_->where.line;
  held_due_ = held_due_ || after_due;
  if (kind_ == Kind::kReads) {
    // What was asked for before the end may be answered after it.
    const Claimed least = asked_      ? *asked_
                          : after_due ? Claimed{due_->revision, due_->where}
                                      : Claimed{};
    asked_.reset();
    if (revision < least.revision) {
      Add(kFreshRead, fmt::format("revision {}", least.revision), At(revision), {least.where.line},
          seen.where);
    }
  }
  // A layer may say what it holds while it comes there.
  if (after_due)
    behind_ =
        revision < due_->revision ? std::optional(Claimed{revision, seen.where}) : std::nullopt;
  if (revision == 0) return;
  followed_ = true;
  // A store of its own may lag behind the events that fill it, and a bookmark has no event.
  CompareKeys(seen, seen.report.keys, revision);
}

// What a list has brought comes in no order, and may stand for several changes; what the callbacks
// were given adds up to a snapshot.
void LayerChecker::Handled(const SeenReport& seen) {
  const ConsumerReport& given = seen.report;
  followed_ = true;
  const bool deleted = given.type != "put";
  // A deletion may come with the revision of the last put.
  const bool real =
      std::any_of(truth_.changes().begin(), truth_.changes().end(), [&](const TrueChange& one) {
        return one.key == given.key && one.deleted == deleted &&
               (deleted || one.revision == given.revision);
      });
  const std::string text = deleted ? fmt::format("the {} of {}", given.type, given.key)
                                   : fmt::format("the put of {} at {}", given.key, given.revision);
  if (!real) {
    Add(kNoGap, "only changes of the store", text + ", which the store never had", {}, seen.where);
    return;
  }
  Given& last = handled_[given.key];
  // After a list a callback may be given the same again, but not what was deleted.
  const std::int64_t least = last.revision + (last.deleted ? 1 : 0);
  if (!deleted && given.revision < least) {
    Add(kNoTimeTravel, fmt::format("a revision of at least {}", least), text, {}, seen.where);
  }
  last = {std::max(last.revision, given.revision), deleted};
}

void LayerChecker::Finish() {
  if (!due_ || kind_ == Kind::kReads) return;
  if (behind_) {
    Add(kConverged, fmt::format("revision {} within {} ms", due_->revision, due_->limit_ms),
        At(behind_->revision), {due_->where.line}, behind_->where);
  }
  const SeenReport at_end{.report = {}, .where = due_->where};
  if (following_ && !filling_) {
    PassOver(kNoGap, due_->revision, at_end, "it never came");
  } else if (ended_.line.value != 0 && !held_due_) {
    Add(kConverged, fmt::format("revision {}", due_->revision),
        fmt::format("it ended with '{}' and did not begin again", error_), {ended_.line},
        due_->where);
  }
}

}  // namespace watchproof
