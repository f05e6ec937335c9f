// SPDX-License-Identifier: Apache-2.0
// A whole recording in memory, and its watch responses as values that can be changed and written
// back.
//
//   WP_ASSIGN_OR_RETURN(auto recordings, LoadRecordings({"watchproof-runs"}, 9999, left_out));
//   WP_ASSIGN_OR_RETURN(WatchAnswer answer, Decode(recording.lines[7].entry));
//   answer.events.pop_back();
//   recording.lines[7].entry = Encoded(recording.lines[7].entry, answer);
//
// Not thread-safe. Ownership: lines share their messages, so a copy of a recording is cheap.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/history/recorder.h"
#include "harness/history/wire.h"
#include "harness/history/wire_writer.h"

namespace watchproof {

struct Recording {
  std::string name;
  std::vector<NumberedEntry> lines;  // messages in one piece
  // The target's properties from the first line, as JudgeOptions has them.
  bool permit_compacted_at_the_floor = false;
  bool strict_previous = false;
  std::size_t bytes = 0;  // of all messages
};

// Its size: lines, and a line for every 200 bytes.
inline std::size_t SizeOf(const Recording& recording) {
  return recording.lines.size() + recording.bytes / 200;
}

// Every *.wire.zst below the paths, and the paths that are files; sorted by name. `left_out` gains
// a line for each that is damaged, or larger than `largest`, as SizeOf has it.
Result<std::vector<Recording>> LoadRecordings(const std::vector<std::string>& paths,
                                              std::size_t largest, std::string& left_out);
// Numbers the lines from 1 again.
void Renumber(std::vector<NumberedEntry>& lines);

struct KeyMetadata {
  std::string key;
  std::string value;
  std::int64_t create_revision = 0;
  std::int64_t mod_revision = 0;
  std::int64_t version = 0;
  std::int64_t lease = 0;
  bool operator==(const KeyMetadata&) const = default;
};
KeyMetadata MetadataOf(const KeyValueView& kv);
Message ToMessage(const KeyMetadata& kv);
Message ToMessage(const HeaderView& header);

struct WatchEvent {
  std::int64_t type = 0;
  KeyMetadata kv;
  std::optional<KeyMetadata> previous;
  bool operator==(const WatchEvent&) const = default;
};
struct WatchAnswer {
  std::uint64_t cluster_id = 0;
  std::uint64_t member_id = 0;
  std::int64_t revision = 0;
  std::uint64_t raft_term = 0;
  std::int64_t watch_id = 0;
  bool created = false;
  bool canceled = false;
  bool fragment = false;
  std::int64_t compact_revision = 0;
  std::string cancel_reason;
  std::vector<WatchEvent> events;
  bool operator==(const WatchAnswer&) const = default;
};

Result<WatchAnswer> Decode(const Entry& entry);
// The entry with another message.
Entry Encoded(Entry entry, const WatchAnswer& answer);

}  // namespace watchproof
