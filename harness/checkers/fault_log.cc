// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/fault_log.h"

#include <algorithm>
#include <utility>

namespace watchproof {

void FaultLog::Consume(const NumberedEntry& line) {
  const Entry& entry = line.entry;
  if (entry.kind == EntryKind::kStreamOpened) {
    streams_[entry.stream.value] = {line.line, entry.text == "proxied"};
  }
  if (IsStage(entry, Stage::kHealed)) {
    active_.clear();
    quiet_since_ = entry.at;
  }
  if (entry.kind != EntryKind::kFault) return;
  auto reported = ParseFaultLine(entry.text);
  if (!reported.has_value()) return;
  if (!reported->healed) {
    active_.insert(reported->fault);
  } else if (active_.erase(reported->fault) > 0) {
    quiet_since_ = entry.at;
  }
  unsaid_ = unsaid_ || reported->ends_streams == FaultLine::Ends::kUnsaid;
  if (!reported->healed) {
    faults_.push_back({*std::move(reported), line.line});
    return;
  }
  for (Fault& fault : faults_) {
    if (fault.what.fault != reported->fault || fault.healed.value != 0) continue;
    fault.healed = line.line;
    fault.healed_at = entry.at;
  }
}

FaultLog::Stream FaultLog::Of(StreamId stream) const {
  const auto found = streams_.find(stream.value);
  return found == streams_.end() ? Stream() : found->second;
}

bool FaultLog::EndsOn(const Fault& fault, const Stream& stream) {
  return fault.what.ends_streams == FaultLine::Ends::kEvery ||
         (fault.what.ends_streams == FaultLine::Ends::kProxied && stream.proxied);
}

bool FaultLog::Acted(const Fault& fault, Line before, Line since) {
  return fault.armed < before && (fault.healed.value == 0 || fault.healed > since);
}

bool FaultLog::MayHaveEnded(StreamId stream, Line end, StatusCode code) const {
  const Stream what = Of(stream);
  return std::any_of(faults_.begin(), faults_.end(), [&](const Fault& fault) {
    const bool leaderless = fault.what.parts_members && code == StatusCode::kUnavailable;
    return Acted(fault, end, what.opened) && (leaderless || EndsOn(fault, what));
  });
}

bool FaultLog::MayHaveCut(StreamId stream, Line since) const {
  const Stream what = Of(stream);
  return std::any_of(faults_.begin(), faults_.end(), [&](const Fault& fault) {
    return (fault.healed.value == 0 || fault.healed > since) && EndsOn(fault, what);
  });
}

bool FaultLog::MayRefuse(StreamId stream, Line at) const {
  if (unsaid_) return true;
  const Stream what = Of(stream);
  return std::any_of(faults_.begin(), faults_.end(), [&](const Fault& fault) {
    return Acted(fault, at, what.opened) && (fault.what.parts_members || EndsOn(fault, what));
  });
}

bool FaultLog::WasArmed(std::string_view kind) const {
  return std::any_of(faults_.begin(), faults_.end(),
                     [kind](const Fault& fault) { return Is(fault, kind); });
}

bool FaultLog::WasHealed(std::string_view kind, Duration by, Duration ago, Line behind) const {
  return std::any_of(faults_.begin(), faults_.end(), [&](const Fault& fault) {
    return Is(fault, kind) && behind < fault.healed && fault.healed_at <= by &&
           by - fault.healed_at <= ago;
  });
}

bool FaultLog::MayLag(Duration at) const {
  constexpr Duration kCatchUp = 5s;
  return std::any_of(faults_.begin(), faults_.end(), [&](const Fault& fault) {
    return fault.what.parts_members &&
           (fault.healed.value == 0 || fault.healed_at + kCatchUp >= at);
  });
}

Line FaultLog::BeginOf(Line crash) const {
  const auto fault = std::ranges::find_if(faults_, [crash](const Fault& one) {
    return one.healed == crash && one.what.ends_streams == FaultLine::Ends::kEvery;
  });
  return fault == faults_.end() ? crash : fault->armed;
}

Line FaultLog::LatestCrash(Line before) const {
  Line latest{};
  for (const Fault& fault : faults_) {
    const bool ends = fault.what.ends_streams == FaultLine::Ends::kEvery;
    if (!ends || fault.armed >= before) continue;
    // One that waits for its moment ends the server any time until then.
    const bool over = fault.healed.value != 0 && fault.healed < before;
    latest = std::max(latest, over ? fault.healed : fault.armed);
  }
  return latest;
}

bool FaultLog::MayHaveStalled(StreamId stream, Line at) const {
  const Stream what = Of(stream);
  return std::any_of(faults_.begin(), faults_.end(),
                     [&](const Fault& fault) { return Acted(fault, at, what.opened); });
}

bool FaultLog::QuietSince(Line since) const {
  return std::all_of(faults_.begin(), faults_.end(), [since](const Fault& fault) {
    return fault.healed.value != 0 && fault.healed < since;
  });
}

bool FaultLog::MembersParted(Line since) const {
  return unsaid_ || std::any_of(faults_.begin(), faults_.end(), [&](const Fault& fault) {
           return fault.what.parts_members && (fault.healed.value == 0 || fault.healed > since);
         });
}

}  // namespace watchproof
