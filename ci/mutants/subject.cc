// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <set>

#include "ci/mutants/mutation.h"
#include "harness/history/annotation.h"

namespace watchproof {

Role RoleOf(const WatchAnswer& answer) {
  if (answer.created) {
    return answer.canceled && answer.compact_revision == 0 ? Role::kRefused : Role::kCreated;
  }
  if (!answer.events.empty()) return Role::kEvents;
  if (answer.compact_revision != 0) return Role::kNotice;
  return answer.canceled ? Role::kCancelled : Role::kProgress;
}

std::string_view Name(Role role) {
  constexpr std::array<std::string_view, 6> kNames = {"created",  "refused", "events",
                                                      "progress", "notice",  "cancelled"};
  return kNames[static_cast<std::size_t>(role)];
}

namespace {

// By stream and ordinal: the id that the create was answered with.
using Ids = std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t>;

void AddResumed(const std::string& text, const Ids& ids, std::vector<Subject::Resumed>& resumed) {
  const auto annotation = ParseAnnotation(text);
  const auto* next = annotation.has_value() ? std::get_if<Resumption>(&*annotation) : nullptr;
  if (next == nullptr) return;
  const auto before = ids.find({next->stream.value, next->ordinal});
  const auto after = ids.find({next->next_stream.value, next->next_ordinal});
  if (before == ids.end() || after == ids.end()) return;
  resumed.push_back({next->stream.value, before->second, next->next_stream.value, after->second});
}

}  // namespace

Subject::Subject(Recording of) : recording(std::move(of)) {
  std::set<std::uint32_t> faulted;
  std::set<std::string> seen;
  Ids ids;
  std::map<std::uint32_t, std::uint32_t> answered;
  for (std::size_t i = 0; i < recording.lines.size(); ++i) {
    const Entry& entry = recording.lines[i].entry;
    const std::uint32_t stream = entry.stream.value;
    if (entry.kind == EntryKind::kStreamOpened && entry.text == "proxied") faulted.insert(stream);
    if (entry.kind != EntryKind::kResponseReceived || !faulted.contains(stream)) continue;
    auto answer = Decode(entry);
    if (!answer.has_value()) continue;
    for (const WatchEvent& event : answer->events) seen.insert(event.kv.key);
    if (answer->created) ids[{stream, answered[stream]++}] = answer->watch_id;
    by_stream[stream].push_back(reported.size());
    const Role role = RoleOf(*answer);
    reported.push_back({i, stream, *std::move(answer), role});
  }
  keys.assign(seen.begin(), seen.end());
  for (const NumberedEntry& line : recording.lines) {
    if (line.entry.kind == EntryKind::kAnnotation) AddResumed(line.entry.text, ids, resumed);
  }
}

}  // namespace watchproof
