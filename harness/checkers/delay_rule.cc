// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/delay_rule.h"

#include <algorithm>

#include "harness/checkers/phrases.h"
#include "harness/history/wire.h"
#include "harness/model/operations.h"

namespace watchproof {
namespace {

constexpr Duration kAlwaysInTime = 1s;
constexpr int kTimesTheSlowestWrite = 20;

}  // namespace

void DelayRule::Consume(const NumberedEntry& line) {
  const Entry& entry = line.entry;
  if (!IsWrite(entry.method)) return;
  if (entry.kind == EntryKind::kCallStarted) {
    out_[entry.call.value] = entry.at;
  } else if (entry.kind == EntryKind::kCallEnded) {
    const auto started = out_.extract(entry.call.value);
    HeaderView header;
    if (started.empty() || entry.code != StatusCode::kOk) return;
    if (!ParseHeader(entry.payload.view(), header).ok() || header.revision <= 0) return;
    slowest_write_ = std::max(slowest_write_, entry.at - started.mapped());
    const Revision revision(header.revision);
    written_[static_cast<std::uint64_t>(header.revision) % kRemembered] = {revision,
                                                                           {line.line, entry.at}};
  }
}

void DelayRule::Deliver(WatchIndex watch, const Response& response) {
  const Revision revision(response.message.events.front().kv.mod_revision);
  const Written& written = written_[static_cast<std::uint64_t>(revision.value) % kRemembered];
  const auto& created = facts_.table.details(watch).created;
  if (written.revision != revision || !created || created->line > written.answered.line) return;
  if (paces_.size() <= watch.value) paces_.resize(watch.value + 1);
  Pace& pace = paces_[watch.value];
  const Duration delay = response.where.at - written.answered.at;
  const bool was_on_time = pace.on_time && facts_.faults.QuietSince(pace.since);
  pace = {delay < kAlwaysInTime, response.where.line};
  if (was_on_time && delay > worst_.delay) {
    worst_ = {watch, revision, written.answered, response.where, delay};
  }
}

void DelayRule::Finish(Findings& findings) const {
  const Duration bound = std::max<Duration>(kAlwaysInTime, kTimesTheSlowestWrite * slowest_write_);
  if (worst_.delay <= bound) return;
  findings.Add(
      Guarantee("Settled"), worst_.watch,
      [&] {
        return Draft{
            .expected = fmt::format("events within {} of the answer to their write while no fault "
                                    "is active: {} times the slowest write of the run, and a "
                                    "second at least",
                                    Milliseconds(bound), kTimesTheSlowestWrite),
            .observed = fmt::format("revision {} came {} after that answer", worst_.revision,
                                    Milliseconds(worst_.delay)),
            .evidence = {worst_.answered.line},
            .where = worst_.delivered};
      },
      Level::kMay);
}

}  // namespace watchproof
