// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/known_bugs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <compare>
#include <optional>

namespace watchproof {
namespace {

struct Version {
  int major = 0;
  int minor = 0;
  int patch = 0;
  bool final = true;  // "3.8.0-alpha.0" is not final, and comes before 3.8.0
  auto operator<=>(const Version&) const = default;
  std::pair<int, int> branch() const { return {major, minor}; }
};

std::optional<Version> ParseVersion(std::string_view text) {
  std::array<int, 3> parts{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parts[i]);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (i + 1 == parts.size()) break;
    if (!text.starts_with('.')) return std::nullopt;
    text.remove_prefix(1);
  }
  if (!text.empty() && text.front() != '-' && text.front() != '+') return std::nullopt;
  return Version{
      .major = parts[0], .minor = parts[1], .patch = parts[2], .final = !text.starts_with('-')};
}

// Of one branch: the first release with the bug and the first without it.
struct Affected {
  std::string_view branch;  // "3.4"
  std::string_view since{};
  std::string_view fixed{};  // empty: open
};

struct Bug {
  std::string_view name;  // "#18089"
  // In the order of the branches. Branches before the first have the bug if the first has it from
  // its beginning (`always`), and otherwise not; branches after the last are like its end.
  std::vector<Affected> affected;
  bool always = true;
  int members = 1;  // that the bug needs
};

struct Signature {
  std::string_view name;
  std::string_view whole;  // the name if no bug can be ruled out
  std::string_view title;
  std::vector<Bug> bugs;  // that look alike
};

const Bug k15220{"#15220", {{"3.4", "", "3.4.25"}, {"3.5", "", "3.5.8"}, {"3.6", "", "3.6.0"}}};
const Bug k15271{.name = "#15271",
                 .affected = {{"3.4", "", "3.4.25"}, {"3.5", "", "3.5.8"}, {"3.6", "", "3.6.0"}},
                 .members = 2};
const std::vector<Affected> k20221 = {
    {"3.4", "", "3.4.38"}, {"3.5", "", "3.5.22"}, {"3.6", "", "3.6.2"}, {"3.7", "", "3.7.0"}};

// The releases are those of etcd's changelogs; most were confirmed by running them.
std::vector<Signature> AboutDelivery() {
  return {
      {signature::kDeleteAtTheFloor,
       "etcd #18089 (and #19179 after a crash)",
       "the delete at exactly the compaction revision is lost",
       {{"#18089", {{"3.4", "", "3.4.34"}, {"3.5", "", "3.5.16"}, {"3.6", "", "3.6.0"}}},
        {"#19179", {{"3.4", "", "3.4.36"}, {"3.5", "", "3.5.18"}, {"3.6", "", "3.6.0"}}}}},
      {signature::kNegativeStart,
       "etcd #20693",
       "a watch at a negative start makes other watches skip history",
       {{"#20693",
         {{"3.4", "", "3.4.38"},
          {"3.5", "", "3.5.24"},
          {"3.6", "", "3.6.6"},
          {"3.7", "", "3.7.0"}}}}},
      {signature::kSilentAfterCompaction,
       "etcd #17529",
       "a slow watch receives neither its events nor ErrCompacted",
       {{"#17529", {{"3.4", "", "3.4.31"}, {"3.5", "", "3.5.13"}, {"3.6", "", "3.6.0"}}}}},
      {signature::kNoticeRepeated,
       "etcd #22294",
       "ErrCompacted is sent again and again",
       {{"#22294", {{"3.3"}}}}},
      {signature::kFalseNotice,
       "etcd #15271",
       "after a snapshot was restored, a watch receives ErrCompacted without cause",
       {k15271}},
      {signature::kReplayed,
       "etcd #15271",
       "after a snapshot was restored, events are sent that had been sent before",
       {k15271}},
      {signature::kProgressOvertakes,
       "etcd #15220",
       "requested progress is not ordered with events that are still to come",
       {k15220}},
      {signature::kProgressBelowStart,
       "etcd #20221",
       "a watch with a future start receives progress from before its start",
       {{"#20221", k20221}}},
      {signature::kEventsBelowStart,
       "etcd #20221",
       "a watch with a future start receives events from before its start",
       {{.name = "#20221", .affected = k20221, .members = 2}}},
  };
}

std::vector<Signature> AboutTheRest() {
  return {
      {signature::kNoProgress,
       "etcd #17507",
       "requested progress is not sent before the next event",
       {{.name = "#17507",
         .affected = {{"3.4", "3.4.25", "3.4.31"},
                      {"3.5", "3.5.8", "3.5.13"},
                      {"3.6", "", "3.6.0"}},
         .always = false}}},
      {signature::kPreviousValueGone,
       "etcd #10681",
       "previous values are left out, though only once they have been compacted",
       {{"#10681", {{"3.3"}}}}},
      {signature::kWrongWatchClosed,
       "etcd #12385",
       "a refused create ends the watch with id 0",
       {{.name = "#12385",
         .affected = {{"3.4", "", "3.4.22"}, {"3.5", "", "3.5.6"}, {"3.6", "", "3.6.0"}},
         .always = false}}},
      {signature::kRevisionsReused,
       "etcd #17780",
       "after a crash during compaction, revisions are reused for other writes",
       {{"#17780", {{"3.4", "", "3.4.32"}, {"3.5", "", "3.5.14"}, {"3.6", "", "3.6.0"}}}}},
      {signature::kWriteLost,
       "etcd #14370",
       "a write that was acknowledged is gone after a crash",
       {{"#14370", {{"3.4", "", "3.4.21"}, {"3.5", "", "3.5.5"}, {"3.6", "", "3.6.0"}}}}},
      {signature::kStaleRead,
       "etcd #20418",
       "a linearizable read is stale while the leader changes",
       {{.name = "#20418",
         .affected = {{"3.4", "3.4.20", "3.4.42"}, {"3.5", "", "3.5.28"}, {"3.6", "", "3.6.9"}},
         .always = false,
         .members = 2}}},
      {signature::kOpenRangeAllowed,
       "GHSA-xg4h-6gfc-h4m8",
       "a user with the right to read one key may watch every key from it on",
       {{"GHSA-xg4h-6gfc-h4m8",
         {{"3.4"},
          {"3.5", "", "3.5.33"},
          {"3.6", "", "3.6.14"},
          {"3.7", "", "3.7.1"},
          {"3.8", "", "3.8.0"}}}}},
      {signature::kAnswersOutOfOrder,
       "etcd's grpc-proxy",
       "creates that wait together are answered in another order than they were sent",
       {{"etcd's grpc-proxy", {{"3.3"}}}}},
  };
}

const std::vector<Signature>& Signatures() {
  static const std::vector<Signature> kSignatures = [] {
    std::vector<Signature> all = AboutDelivery();
    for (Signature& one : AboutTheRest()) all.push_back(std::move(one));
    return all;
  }();
  return kSignatures;
}

std::pair<int, int> BranchOf(std::string_view branch) {
  return ParseVersion(fmt::format("{}.0", branch)).value_or(Version{}).branch();
}

enum class Presence { kPossible, kFixed, kNever };
struct BugState {
  Presence presence = Presence::kPossible;
  std::string_view fixed{};
};

BugState StateIn(const Affected& row, const Version& version) {
  const auto since = ParseVersion(row.since);
  if (since && version < *since) return {.presence = Presence::kNever};
  const auto fixed = ParseVersion(row.fixed);
  if (fixed && version >= *fixed) return {.presence = Presence::kFixed, .fixed = row.fixed};
  return {};
}

BugState StateOf(const Bug& bug, const Version& version) {
  const Affected* last = nullptr;
  for (const Affected& row : bug.affected) {
    if (version.branch() == BranchOf(row.branch)) return StateIn(row, version);
    if (BranchOf(row.branch) > version.branch()) break;
    last = &row;
  }
  if (last == nullptr) return {.presence = bug.always ? Presence::kPossible : Presence::kNever};
  if (last->fixed.empty()) return {};
  return {.presence = Presence::kFixed, .fixed = last->fixed};
}

std::string NameWithProduct(const Bug& bug) {
  return fmt::format("{}{}", bug.name.starts_with('#') ? "etcd " : "", bug.name);
}

std::string TextFor(const Signature& signature, const BugCarrier& target) {
  const std::string whole = fmt::format("{}: {}", signature.whole, signature.title);
  if (!target.is_etcd) return whole;
  const auto version = ParseVersion(target.version);
  std::vector<std::string> possible;
  std::vector<std::string> fixed;
  for (const Bug& bug : signature.bugs) {
    const bool too_few = target.members > 0 && target.members < bug.members;
    const BugState state = version ? StateOf(bug, *version) : BugState{};
    if (too_few || state.presence == Presence::kNever) continue;
    if (state.presence == Presence::kFixed) {
      fixed.push_back(fmt::format("{}, fixed in {}", NameWithProduct(bug), state.fixed));
    } else {
      possible.push_back(NameWithProduct(bug));
    }
  }
  if (possible.size() == signature.bugs.size()) return whole;
  if (!possible.empty()) return fmt::format("{}: {}", fmt::join(possible, ", "), signature.title);
  if (fixed.empty()) return {};
  return fmt::format("looked like {}: this may be new ({})", fmt::join(fixed, ", and "),
                     signature.title);
}

}  // namespace

std::string KnownBugText(std::string_view signature, const BugCarrier& target) {
  const auto found = std::find_if(Signatures().begin(), Signatures().end(),
                                  [&](const Signature& one) { return one.name == signature; });
  return found == Signatures().end() ? std::string(signature) : TextFor(*found, target);
}

std::vector<std::string_view> AllSignatures() {
  std::vector<std::string_view> names;
  for (const Signature& one : Signatures()) names.push_back(one.name);
  return names;
}

}  // namespace watchproof
