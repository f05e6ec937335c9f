// SPDX-License-Identifier: Apache-2.0
#include "harness/report/lag_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/report/rows.h"

namespace watchproof {
namespace {

std::string Time(std::int64_t microseconds) {
  const double ms = static_cast<double>(microseconds) / 1000;
  return ms < 10       ? fmt::format("{:.2f} ms", ms)
         : ms < 10'000 ? fmt::format("{:.0f} ms", ms)
                       : fmt::format("{:.1f} s", ms / 1000);
}
std::string TimeAt(const Histogram& histogram, double share) {
  return histogram.count() == 0 ? "-" : Time(histogram.Quantile(share));
}

std::string Mebibytes(std::int64_t bytes) {
  return fmt::format("{:.0f} MiB", static_cast<double>(bytes) / (1 << 20));
}

// The most that was held, and the most that was added.
std::string Memory(const std::vector<Footprint>& footprints) {
  std::int64_t most = 0;
  std::int64_t added = 0;
  for (const Footprint& footprint : footprints) {
    most = std::max(most, footprint.bytes.highest());
    added = std::max(added, footprint.bytes.highest() - footprint.before);
  }
  if (footprints.empty()) return "-";
  return fmt::format("{}, +{}", Mebibytes(most), Mebibytes(added));
}

// All recoveries of one target in one.
Histogram Recoveries(const Lag& lag) {
  Histogram all;
  for (const Recovery& recovery : lag.recoveries) all.Merge(recovery.microseconds);
  return all;
}

void Merge(const Lag& from, Lag& into) {
  into.delivery_us.Merge(from.delivery_us);
  into.watcher_p99_us.Merge(from.watcher_p99_us);
  into.stream_spread_us.Merge(from.stream_spread_us);
  into.revisions_behind.Merge(from.revisions_behind);
  into.recoveries.push_back({"all", Recoveries(from)});
  into.footprints.insert(into.footprints.end(), from.footprints.begin(), from.footprints.end());
}

}  // namespace

Table LagTable(const RunRecord& record) {
  Table table{.head = {"target", "events", "delay p50", "p99", "max", "spread p50", "spread max",
                       "recovery p50", "recovery max", "furthest behind", "memory under faults"},
              .rows = {}};
  const std::vector<std::string> labels = RowsOf(record).labels;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    Lag lag;
    for (const AttemptSummary& attempt : record.attempts) {
      if (attempt.result.target == record.targets[i].text) Merge(attempt.result.lag, lag);
    }
    if (lag.delivery_us.count() == 0) continue;
    const Histogram recovery = Recoveries(lag);
    table.rows.push_back(
        {labels[i], WithThousands(static_cast<std::int64_t>(lag.delivery_us.count())),
         TimeAt(lag.delivery_us, 0.5), TimeAt(lag.delivery_us, 0.99), TimeAt(lag.delivery_us, 1),
         TimeAt(lag.stream_spread_us, 0.5), TimeAt(lag.stream_spread_us, 1), TimeAt(recovery, 0.5),
         TimeAt(recovery, 1), WithThousands(lag.revisions_behind.highest()),
         Memory(lag.footprints)});
  }
  return table;
}

std::string LagSentence(const Lag& lag) {
  std::string text =
      fmt::format("lag: {} events, delay p50 {}, p99 {}, max {}; furthest behind {} revisions",
                  WithThousands(static_cast<std::int64_t>(lag.delivery_us.count())),
                  TimeAt(lag.delivery_us, 0.5), TimeAt(lag.delivery_us, 0.99),
                  TimeAt(lag.delivery_us, 1), WithThousands(lag.revisions_behind.highest()));
  if (lag.stream_spread_us.count() > 0) {
    text += fmt::format("; spread max {}", TimeAt(lag.stream_spread_us, 1));
  }
  for (const Recovery& recovery : lag.recoveries) {
    if (recovery.microseconds.count() == 0) continue;
    text += fmt::format("; recovery after {}: {} watchers, max {}", recovery.fault,
                        recovery.microseconds.count(), TimeAt(recovery.microseconds, 1));
  }
  for (const Footprint& footprint : lag.footprints) {
    text += fmt::format("; memory under {}: {} before, at most {}", footprint.fault,
                        Mebibytes(footprint.before), Mebibytes(footprint.bytes.highest()));
  }
  return text;
}

}  // namespace watchproof
