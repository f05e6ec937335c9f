// SPDX-License-Identifier: Apache-2.0
#include "harness/consumers/truth.h"

#include <algorithm>

namespace watchproof {

void Truth::Consume(const NumberedEntry& line) {
  const EntryKind kind = line.entry.kind;
  if (kind == EntryKind::kCallStarted || kind == EntryKind::kCallEnded) {
    model_.Consume(line);
  } else {
    parser_.Consume(line);
  }
}

void Truth::OnControlEvents(const Response& response) {
  model_.ControlEvents(response.stream, response.message.events,
                       response.tail.size() > 0 ? response.tail : response.payload,
                       response.where.line);
}

void Truth::Finish(const std::string& prefix) {
  model_.Finish();
  const Timeline& timeline = model_.timeline();
  for (std::uint32_t i = timeline.first_change(); i < timeline.changes(); ++i) {
    const Change& change = timeline.change(i);
    if (!change.key.starts_with(prefix)) continue;
    changes_.push_back({.revision = change.revision.value,
                        .key = std::string(change.key),
                        .deleted = change.deleted,
                        .written = change.written});
  }
}

std::size_t Truth::After(std::int64_t revision) const {
  const auto first = std::upper_bound(
      changes_.begin(), changes_.end(), revision,
      [](std::int64_t bound, const TrueChange& change) { return bound < change.revision; });
  return static_cast<std::size_t>(first - changes_.begin());
}

std::map<std::string, std::int64_t> Truth::KeysAt(std::int64_t revision) const {
  std::map<std::string, std::int64_t> keys;
  for (std::size_t i = 0; i < After(revision); ++i) {
    const TrueChange& change = changes_[i];
    if (change.deleted) {
      keys.erase(change.key);
    } else {
      keys[change.key] = change.revision;
    }
  }
  return keys;
}

}  // namespace watchproof
