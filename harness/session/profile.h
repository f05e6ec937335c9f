// SPDX-License-Identifier: Apache-2.0
// How a store is declared to differ from etcd, once for all cases: a TOML file, or one of the
// profiles in fixtures/profiles/, which are built into the executable.
//
//   WP_ASSIGN_OR_RETURN(const std::string text, ProfileText("kine"));
//   WP_ASSIGN_OR_RETURN(const Profile profile, ParseProfile(text));
//
// Threads: functions without state.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/status.h"
#include "harness/history/run_started.h"
#include "harness/targets/capability.h"
#include "harness/targets/target_spec.h"

namespace watchproof {

struct Profile {
  std::string name;
  std::string about;  // for readers
  Stated stated;
  // The forms in which a case may write and read. Kubernetes: each write a transaction that
  // compares the key's revision, one key at a time, and no serializable reads.
  enum class Requests { kAll, kKubernetes };
  Requests requests = Requests::kAll;
  // A watch with exactly the compacted revision as its next one receives ErrCompacted, too.
  bool compacted_at_the_floor = false;
  // To grant a lease takes a revision at which no key changes.
  bool leases_take_revisions = false;
  // Standing promises that are not asked for (harness/promises).
  std::set<std::string, std::less<>> leaves_out;
  Deviations deviations;
};

// Errors name the line and what was expected.
Result<Profile> ParseProfile(std::string_view toml);

// That of an attempt on the target: by the text if the run has one for all targets, or else the one
// that belongs to the target's product. Neither: as etcd.
Result<Profile> ProfileFor(const std::string& text, const TargetSpec& target);

// The text of a shipped profile by its name, or of the file at that path.
Result<std::string> ProfileText(const std::string& name_or_file);
std::vector<std::string> ShippedProfiles();

struct ShippedProfile {
  std::string_view name;
  std::string_view text;
};
// Generated from fixtures/profiles/.
const std::vector<ShippedProfile>& ProfileTexts();

}  // namespace watchproof
