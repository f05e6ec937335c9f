// SPDX-License-Identifier: Apache-2.0
#include "harness/environment/disk_activity.h"

#include <algorithm>
#include <chrono>

namespace watchproof {
namespace {

std::int64_t ToMicros(Duration time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
}

bool ActedOn(const proxy::Disk& disk, const std::vector<proxy::DiskSpan>& spans) {
  return !disk.Effects().empty() ||
         std::ranges::count(spans, proxy::DiskSpanKind::kLost, &proxy::DiskSpan::kind) > 0;
}

}  // namespace

std::vector<DiskActivity> ActivityOf(std::int64_t member, const proxy::FileClasses& classes,
                                     const std::vector<proxy::DiskSpan>& spans, TimePoint now,
                                     Duration since_begun) {
  std::vector<DiskActivity> all;
  for (const proxy::DiskSpan& span : spans) {
    const Duration until = since_begun - (now - span.until);
    if (until < Duration()) continue;
    const Duration from = std::max<Duration>(Duration(), since_begun - (now - span.from));
    const bool of_files =
        span.kind != proxy::DiskSpanKind::kLost && span.kind != proxy::DiskSpanKind::kStarted;
    all.push_back({.member = member,
                   .kind = std::string(Name(span.kind)),
                   .from_us = ToMicros(from),
                   .until_us = ToMicros(until),
                   .count = span.count,
                   .bytes = span.bytes,
                   .longest_us = ToMicros(span.longest),
                   .of = of_files ? NameOfClass(classes, span.of_class) : "",
                   .what = span.what});
  }
  return all;
}

std::vector<DiskActivity> TakeDiskActivity(Environment& environment, Duration since_begun) {
  const TimePoint now = Clock::now();
  std::vector<DiskActivity> all;
  std::int64_t member = 0;
  for (const ServerPorts& server : environment.ServersForFaults()) {
    ++member;
    proxy::Disk* const disk = server.target == nullptr ? nullptr : server.target->disk();
    if (disk == nullptr) continue;
    const std::vector<proxy::DiskSpan> spans = disk->TakeSpans();
    if (!ActedOn(*disk, spans)) continue;
    for (DiskActivity& one : ActivityOf(member, disk->classes(), spans, now, since_begun)) {
      all.push_back(std::move(one));
    }
  }
  return all;
}

}  // namespace watchproof
