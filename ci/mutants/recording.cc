// SPDX-License-Identifier: Apache-2.0
#include "ci/mutants/recording.h"

#include <algorithm>
#include <filesystem>

#include "harness/history/reader.h"
#include "harness/history/run_started.h"

namespace watchproof {
namespace {

Message Write(const WatchEvent& event) {
  Message message;
  message.Optional(1, event.type).Nested(2, ToMessage(event.kv));
  if (event.previous) message.Nested(3, ToMessage(*event.previous));
  return message;
}

void Join(Entry& entry) {
  if (entry.tail.size() == 0) return;
  std::string whole(entry.payload.view());
  whole += entry.tail.view();
  entry.payload = Bytes::Take(std::move(whole));
  entry.tail = {};
}

Result<Recording> LoadRecording(const std::filesystem::path& file) {
  WP_ASSIGN_OR_RETURN(const auto reader, HistoryReader::Open(file));
  Recording recording{.name = file.parent_path().string(), .lines = {}};
  while (true) {
    WP_ASSIGN_OR_RETURN(auto line, reader->Next());
    if (!line) break;
    Join(line->entry);
    recording.bytes += line->entry.payload.size();
    if (line->entry.kind == EntryKind::kRunStarted) {
      WP_ASSIGN_OR_RETURN(const RunStarted started, ParseRunStarted(line->entry.text));
      recording.permit_compacted_at_the_floor = started.permit_compacted_at_the_floor;
      recording.strict_previous = started.strict_previous;
      recording.name = fmt::format("{} {}", started.case_name, started.version);
    }
    recording.lines.push_back(*std::move(line));
  }
  if (!reader->damage().empty()) {
    return Fail(StatusCode::kDataLoss, "{} is {}", file.string(), reader->damage());
  }
  return recording;
}

Result<std::vector<std::filesystem::path>> FindHistories(const std::vector<std::string>& paths) {
  namespace fs = std::filesystem;
  std::vector<fs::path> found;
  std::error_code error;
  for (const std::string& path : paths) {
    if (!fs::is_directory(path, error)) {
      found.emplace_back(path);
      continue;
    }
    for (fs::recursive_directory_iterator at(path, error), end; !error && at != end;
         at.increment(error)) {
      if (at->path().string().ends_with(".wire.zst")) found.push_back(at->path());
    }
    if (error) return Fail(StatusCode::kUnavailable, "{}: {}", path, error.message());
  }
  std::sort(found.begin(), found.end());
  if (found.empty()) return Fail(StatusCode::kNotFound, "no recordings (*.wire.zst) there");
  return found;
}

}  // namespace

Result<std::vector<Recording>> LoadRecordings(const std::vector<std::string>& paths,
                                              std::size_t largest, std::string& left_out) {
  std::vector<Recording> recordings;
  WP_ASSIGN_OR_RETURN(const auto files, FindHistories(paths));
  for (const auto& file : files) {
    Result<Recording> recording = LoadRecording(file);
    if (!recording.has_value()) {
      left_out += fmt::format("left out: {}\n", recording.error().message());
    } else if (SizeOf(*recording) > largest) {
      left_out += fmt::format("left out: {}: {} lines and {} bytes are too many\n", recording->name,
                              recording->lines.size(), recording->bytes);
    } else {
      recordings.push_back(*std::move(recording));
    }
  }
  return recordings;
}

void Renumber(std::vector<NumberedEntry>& lines) {
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].line = Line(i + 1);
}

KeyMetadata MetadataOf(const KeyValueView& kv) {
  return {std::string(kv.key), std::string(kv.value),
          kv.create_revision,  kv.mod_revision,
          kv.version,          kv.lease};
}

Message ToMessage(const KeyMetadata& kv) {
  return KeyValue({.key = kv.key,
                   .value = kv.value,
                   .create = kv.create_revision,
                   .mod = kv.mod_revision,
                   .version = kv.version,
                   .lease = kv.lease});
}

Message ToMessage(const HeaderView& header) {
  return Message()
      .Optional(1, static_cast<std::int64_t>(header.cluster_id))
      .Optional(2, static_cast<std::int64_t>(header.member_id))
      .Optional(3, header.revision)
      .Optional(4, static_cast<std::int64_t>(header.raft_term));
}

Result<WatchAnswer> Decode(const Entry& entry) {
  WatchResponseView view;
  WP_RETURN_IF_ERROR(Parse(entry.payload.view(), view));
  WatchAnswer answer{.cluster_id = view.header.cluster_id,
                     .member_id = view.header.member_id,
                     .revision = view.header.revision,
                     .raft_term = view.header.raft_term,
                     .watch_id = view.watch_id,
                     .created = view.created,
                     .canceled = view.canceled,
                     .fragment = view.fragment,
                     .compact_revision = view.compact_revision,
                     .cancel_reason = std::string(view.cancel_reason),
                     .events = {}};
  for (const EventView& event : view.events) {
    WatchEvent& copy = answer.events.emplace_back();
    copy.type = event.type;
    copy.kv = MetadataOf(event.kv);
    if (event.has_previous) copy.previous = MetadataOf(event.previous);
  }
  return answer;
}

Entry Encoded(Entry entry, const WatchAnswer& answer) {
  Message message;
  message
      .Nested(1, ToMessage(HeaderView{.cluster_id = answer.cluster_id,
                                      .member_id = answer.member_id,
                                      .revision = answer.revision,
                                      .raft_term = answer.raft_term}))
      .Optional(2, answer.watch_id)
      .Optional(3, answer.created ? 1 : 0)
      .Optional(4, answer.canceled ? 1 : 0)
      .Optional(5, answer.compact_revision);
  if (!answer.cancel_reason.empty()) message.Text(6, answer.cancel_reason);
  message.Optional(7, answer.fragment ? 1 : 0);
  for (const WatchEvent& event : answer.events) message.Nested(11, Write(event));
  entry.payload = Bytes::Copy(message.bytes());
  entry.tail = {};
  return entry;
}

}  // namespace watchproof
