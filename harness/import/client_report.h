// SPDX-License-Identifier: Apache-2.0
// Reads the client reports of etcd's robustness tests: a folder client-N per client, with its calls
// in operations.json and its watches in watch.json, one JSON document after another. Turns them
// into the lines of a recording, so that watchproof's checkers can judge them.
//
//   WP_ASSIGN_OR_RETURN(const auto reports, ReadClientReports(folder));
//   for (Entry& entry : EntriesOf(reports)) recorder->Append(std::move(entry));
//
// The form is that of tests/robustness/report and tests/robustness/model in etcd's repository, from
// the time when ranges were given as Start and End on (2023). Fields that are not known are refused
// in requests, where they would change the meaning, and skipped in answers.
// Threads: functions without state.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/deadline.h"
#include "harness/base/status.h"
#include "harness/history/entry.h"

namespace watchproof {

// Values of 20 bytes and more are reported as their hash; here they become a text with that hash.
struct ReportedKey {
  std::string key;
  std::string value;
  std::int64_t mod_revision = 0;
};

struct ReportedOperation {
  enum class Kind { kRange, kPut, kDelete };
  Kind kind = Kind::kRange;
  std::string key;
  std::string range_end;
  std::string value;
  std::int64_t limit = 0;
  std::int64_t lease = 0;
  bool keys_only = false;
};
struct ReportedResult {
  std::vector<ReportedKey> kvs;
  std::int64_t count = 0;
  std::int64_t deleted = 0;
};
// Compares the version if that is above 0, otherwise the mod revision.
struct ReportedCondition {
  std::string key;
  std::int64_t mod_revision = 0;
  std::int64_t version = 0;
};

struct ReportedCall {
  // What neither reads nor writes keys is kNeither: lease grants and defragmentation.
  enum class Kind { kRange, kTxn, kLeaseRevoke, kCompact, kNeither };
  enum class Outcome { kAnswered, kRefused, kUnknown };
  Kind kind = Kind::kNeither;
  Outcome outcome = Outcome::kUnknown;
  Duration began{};  // since the beginning of the test
  Duration ended{};
  std::string error;
  ReportedOperation range;
  std::vector<ReportedCondition> conditions;
  std::vector<ReportedOperation> on_success;
  std::vector<ReportedOperation> on_failure;
  std::int64_t lease = 0;     // that was revoked
  std::int64_t at = 0;        // the revision of a range, or of a compaction
  std::int64_t revision = 0;  // of the answer; of a compaction there is none
  bool failed_compare = false;
  std::vector<ReportedResult> results;  // of the operations that ran; of a range the only one

  const std::vector<ReportedOperation>& ran() const {
    return failed_compare ? on_failure : on_success;
  }
};

struct ReportedEvent {
  bool deletes = false;
  bool creates = false;
  ReportedKey kv;
  std::optional<ReportedKey> previous;
};
struct ReportedResponse {
  Duration at{};
  std::int64_t revision = 0;  // of the header
  bool progress = false;
  std::string error;
  std::vector<ReportedEvent> events;
};
struct ReportedWatch {
  std::string key;
  std::int64_t start = 0;
  bool prefix = false;
  bool progress_notify = false;
  bool previous = false;
  std::vector<ReportedResponse> responses;
};

struct ClientReport {
  int client = 0;
  std::vector<ReportedCall> calls;
  std::vector<ReportedWatch> watches;
};

// By the number of the client. Errors name the file, the document in it, and the field.
Result<std::vector<ClientReport>> ReadClientReports(const std::filesystem::path& folder);

// In the order of the recording.
//
// A report contains less than the wire did. The missing parts are filled in such that they cannot
// cause a finding:
//  - key metadata (create revision, version, lease): left out; the first line of the recording
//    declares that;
//  - the time of a create request: before everything else. The time of its answer: right before
//    the first message of the watch, at the revision before that;
//  - the compact revision of ErrCompacted: the highest compaction requested until then;
//  - the end of a watch: closed by the client, so no event is missing after the last message.
// The revocation of a lease becomes the transaction that deletes its keys, with an unknown outcome
// unless it is certain which keys these were. The watch of all keys with the most events is judged
// and serves as control watch too: without one, writes without an answer cannot be settled.
std::vector<Entry> EntriesOf(const std::vector<ClientReport>& reports);

}  // namespace watchproof
