// SPDX-License-Identifier: Apache-2.0
#include "harness/model/lag.h"

#include <algorithm>
#include <utility>

#include "harness/history/annotation.h"

namespace watchproof {
namespace {

constexpr std::size_t kMostStretches = 48;

std::int64_t Microseconds(Duration duration) {
  return std::chrono::duration_cast<std::chrono::microseconds>(duration).count();
}

}  // namespace

CourseMeter::Stretch& CourseMeter::At(Duration at) {
  const auto index = [&] { return static_cast<std::size_t>(std::max(at, Duration()) / step_); };
  while (index() >= kMostStretches) {
    // Two neighbours become one.
    for (std::size_t i = 1; i < stretches_.size(); ++i) {
      Stretch& into = stretches_[i / 2];
      if (i % 2 == 0) {
        into = std::exchange(stretches_[i], {});
        continue;
      }
      into.delays_us.Merge(stretches_[i].delays_us);
      into.spread = std::max(into.spread, stretches_[i].spread);
      into.waiting += stretches_[i].waiting;
    }
    stretches_.resize((stretches_.size() + 1) / 2);
    step_ *= 2;
  }
  if (stretches_.size() <= index()) stretches_.resize(index() + 1);
  return stretches_[index()];
}

void CourseMeter::Delivered(Duration since, Duration at) {
  Stretch& stretch = At(at);
  stretch.delays_us.Add((at - since) / 1us);
  --stretch.waiting;
  ++At(since).waiting;
}

void CourseMeter::Spread(Duration spread, Duration at) {
  Stretch& stretch = At(at);
  stretch.spread = std::max(stretch.spread, spread);
}

LagCourse CourseMeter::Summary() const {
  LagCourse course;
  if (stretches_.empty()) return course;
  course.step_us = step_ / 1us;
  std::int64_t waiting = 0;
  for (const Stretch& stretch : stretches_) {
    waiting += stretch.waiting;
    course.events.push_back(static_cast<std::int64_t>(stretch.delays_us.count()));
    course.p50_us.push_back(stretch.delays_us.Quantile(0.5));
    course.p99_us.push_back(stretch.delays_us.Quantile(0.99));
    course.spread_us.push_back(stretch.spread / 1us);
    course.waiting.push_back(waiting);
  }
  return course;
}

void LagMeter::Known(Revision revision, Duration at) {
  known_.emplace(revision.value, KnownRevision{.at = at});
  head_ = std::max(head_, revision);
  latest_asked_ = {};
}

// Caches the last lookup: one revision is delivered to many watchers in a row.
LagMeter::KnownRevision* LagMeter::Find(Revision revision) {
  if (revision == latest_asked_) return latest_;
  const auto known = known_.find(revision.value);
  latest_asked_ = revision;
  latest_ = known == known_.end() ? nullptr : &known->second;
  return latest_;
}

void LagMeter::Asked(WatchIndex watch, const struct Asked& asked) {
  if (watches_.size() <= watch.value) watches_.resize(watch.value + 1);
  const bool resumes = resumed_.contains({asked.stream, asked.ordinal});
  watches_[watch.value].stream = asked.stream;
  watches_[watch.value].since = resumes ? Duration(0) : asked.where.at;
}

void LagMeter::Delivered(WatchIndex index, const Response& response) {
  Watch& watch = watches_[index.value];
  const Duration at = response.where.at;
  for (const EventView& event : response.message.events) {
    const Revision revision(event.kv.mod_revision);
    KnownRevision* const known = Find(revision);
    const Duration since = known == nullptr ? at : std::max(known->at, watch.since);
    delivery_us_.Add(Microseconds(at - since));
    watch.delays.Add(Microseconds(at - since));
    course_.Delivered(since, at);
    revisions_behind_.Add(head_.value - revision.value);
    if (known == nullptr) continue;
    NoteSpread(*known, watch.stream, at - since, at);
    if (!heals_.empty()) NoteCatchUp(watch, known->at, at);
  }
}

void LagMeter::NoteSpread(KnownRevision& known, StreamId stream, Duration delay, Duration at) {
  for (auto& [other, fastest] : known.fastest) {
    if (other != stream) continue;
    course_.Spread(delay - fastest, at);
    fastest = std::min(fastest, delay);
    return;
  }
  known.fastest.emplace_back(stream, delay);
}

void LagMeter::Forget(Revision below) {
  std::erase_if(known_, [&](const auto& known) { return known.first < below.value; });
  latest_asked_ = {};
}

void LagMeter::NoteCatchUp(Watch& watch, Duration written, Duration at) const {
  for (std::size_t i = heals_.size(); i-- > 0;) {
    if (written > heals_[i].at) return;
    if (watch.since > heals_[i].at) continue;
    if (watch.caught_up.size() <= i) watch.caught_up.resize(heals_.size(), Duration(-1));
    watch.caught_up[i] = at - heals_[i].at;
  }
}

void LagMeter::FaultLine(std::string_view text, Duration at) {
  const auto line = ParseFaultLine(text);
  if (!line.has_value()) return;
  const auto armed = std::find(armed_.begin(), armed_.end(), line->fault);
  if (line->healed) {
    if (armed != armed_.end()) armed_.erase(armed);
    heals_.push_back({line->fault, at});
  } else if (armed == armed_.end()) {
    armed_.push_back(line->fault);
  }
}

void LagMeter::AllHealed(Duration at) {
  for (std::string& fault : armed_) heals_.push_back({std::move(fault), at});
  armed_.clear();
}

Lag LagMeter::Summary() const {
  Lag lag{.delivery_us = delivery_us_, .revisions_behind = revisions_behind_};
  for (const Heal& heal : heals_) lag.recoveries.push_back({heal.fault, {}});
  struct Ends {
    std::int64_t fastest = INT64_MAX;
    std::int64_t slowest = 0;
    std::size_t watches = 0;
  };
  std::map<StreamId, Ends> streams;
  for (const Watch& watch : watches_) {
    if (watch.delays.count() == 0) continue;
    const std::int64_t p99 = watch.delays.Quantile(0.99);
    lag.watcher_p99_us.Add(p99);
    Ends& ends = streams[watch.stream];
    ends.fastest = std::min(ends.fastest, p99);
    ends.slowest = std::max(ends.slowest, p99);
    ++ends.watches;
    for (std::size_t i = 0; i < watch.caught_up.size(); ++i) {
      if (watch.caught_up[i].count() < 0) continue;
      lag.recoveries[i].microseconds.Add(Microseconds(watch.caught_up[i]));
    }
  }
  for (const auto& [stream, ends] : streams) {
    if (ends.watches > 1) lag.stream_spread_us.Add(ends.slowest - ends.fastest);
  }
  return lag;
}

Lag LagMeter::Whole() const {
  Lag lag = Summary();
  lag.course = course_.Summary();
  return lag;
}

}  // namespace watchproof
