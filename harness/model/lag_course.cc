// SPDX-License-Identifier: Apache-2.0
#include "harness/model/lag_course.h"

#include <algorithm>
#include <utility>

namespace watchproof {
namespace {

constexpr std::size_t kMost = 48;

}  // namespace

CourseMeter::Stretch& CourseMeter::At(Duration at) {
  const auto index = [&] { return static_cast<std::size_t>(std::max(at, Duration()) / step_); };
  while (index() >= kMost) {
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

}  // namespace watchproof
