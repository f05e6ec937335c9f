// SPDX-License-Identifier: Apache-2.0
// The first line of a recording: what a judge needs to know about the attempt besides the entries.
//
//   recorder.Append({.kind = EntryKind::kRunStarted, .text = ToText(started)});
//   WP_ASSIGN_OR_RETURN(RunStarted started, ParseRunStarted(line.entry.text));
//
// Threads: values.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "harness/base/status.h"

namespace watchproof {

// The fields of a message that may be declared to be 0 always.
inline constexpr std::array<std::string_view, 5> kFieldsThatMayBeUnset = {
    "header.cluster_id", "header.member_id", "create_revision", "version", "lease"};

// The declared differences of the store from etcd that affect judging: part of the recording, so
// that judging it again applies the same rules.
struct Deviations {
  // Fields that are always 0. A value other than 0 is judged as usual.
  std::set<std::string, std::less<>> unset = {};
  // Previous values come with every event, also where the watch did not ask for them.
  bool previous_unasked = false;
  // A compaction is acknowledged and history below it is served all the same.
  bool keeps_history = false;
  // The event of a deletion shows create revision, version and lease of the key as it was.
  bool metadata_of_deletes = false;

  void Fields(auto& field) {
    field("unset", unset);
    field("previous_unasked", previous_unasked);
    field("keeps_history", keeps_history);
    field("metadata_of_deletes", metadata_of_deletes);
  }
  bool operator==(const Deviations&) const = default;
};

// Whether the value of a field carries no information because the field is declared never to be
// set.
inline bool IsUnset(const Deviations& deviations, std::string_view field, std::int64_t value) {
  return value == 0 && !deviations.unset.empty() && deviations.unset.contains(field);
}

// The path of streams that a recording proxy opened itself, for kStreamOpened.
inline constexpr std::string_view kRecorderPath = "recorder";
// That of a consumer's streams which do not take the proxied path.
inline constexpr std::string_view kConsumerPath = "consumer";

// The topology as recordings name it. A target that is set up and reached plainly has none.
inline constexpr std::string_view kPlainTopology = "plain";
inline std::string TopologyIn(const std::string& of_target) {
  return of_target.empty() ? std::string(kPlainTopology) : of_target;
}

struct RunStarted {
  int format = 1;
  std::string case_name;
  std::string seed;
  std::string version;  // of the target
  std::string product;  // "etcd", "embedded", "command", ...; empty: unknown
  int members = 0;      // of its cluster; 0: unknown
  // How it is set up and reached: "plain", "tls", "grpc-proxy"; empty: unknown.
  std::string topology;
  bool permit_compacted_at_the_floor = false;
  bool strict_previous = false;
  bool gaps = false;            // others write to the target, or it leaves revisions out
  bool others_compact = false;  // others may compact the target
  Deviations deviations = {};
  bool without_metadata = false;  // of keys: create revision, version and lease were not recorded
  // Recorded by a proxy between others' clients and the target: others may write as well, nothing
  // is stated about what they do, and the recording begins and ends anywhere.
  bool passive = false;
  int segment = 0;             // of a passive recording, from 1; see reader.h
  int restated = 0;            // so many lines after this one restate what earlier segments began
  bool hashed_values = false;  // equal values have equal hashes, in place of the values
  std::string control_watch;   // what the proxy itself watched; empty: nothing

  void Fields(auto& field) {
    field("format", format);
    field("case", case_name);
    field("seed", seed);
    field("version", version);
    field("product", product);
    field("members", members);
    field("topology", topology);
    field("permit_compacted_at_the_floor", permit_compacted_at_the_floor);
    field("strict_previous", strict_previous);
    field("gaps", gaps);
    field("others_compact", others_compact);
    field("deviations", deviations);
    field("without_metadata", without_metadata);
    field("passive", passive);
    field("segment", segment);
    field("restated", restated);
    field("hashed_values", hashed_values);
    field("control_watch", control_watch);
  }
};

std::string ToText(const RunStarted& started);
// A missing field keeps its default. Errors name the text and the field that does not fit.
Result<RunStarted> ParseRunStarted(std::string_view text);

}  // namespace watchproof
