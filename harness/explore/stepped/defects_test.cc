// SPDX-License-Identifier: Apache-2.0
// Each planted defect shows in a script that is as small as it can be, under the guarantee that it
// breaks; the same script shows nothing without it. What no step asks for is asked by the standing
// promises.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "embedded_store/mvcc/hook_registry.h"
#include "harness/explore/stepped/explorer.h"

namespace watchproof::explore {
namespace {

using testing::Contains;
using testing::IsEmpty;

struct DefectRow {
  const char* defect;
  Script script;
  const char* guarantee;
};

Place FromHead(std::int64_t plus) { return {Place::From::kHead, plus}; }

const Create kAll{.end = "*"};
const std::vector<Step> kCompacted = {Put{.key = "a/1"}, Compact{}};
const std::vector<Step> kDeletedAtFloor = {Put{.key = "a/1"}, Delete{.key = "a/1"}, Compact{}};
const Limits kNarrow{.queued_replies = 1, .watchers_per_step = 1};

const DefectRow kDefects[] = {
    {"answered-before-sync", {.limits = {.disk = true}, .steps = {Put{}}}, "Answered"},
    {"batch-edge-skipped",
     {.limits = {.revisions_per_batch = 1000},
      .steps = {Put{.key = "a/1", .times = 2005},
                Create{.stream = 2, .end = "*", .start = {Place::From::kNumber, 1}}}},
     "Reliable"},
    {"cancel-silences-neighbour", {}, "Isolated"},
    {"compacted-watch-holds-progress",
     {.steps = {Put{.key = "a/1"}, kAll, Create{.end = "*", .start = FromHead(-1)}, Compact{}}},
     "Bookmarkable"},
    {"compaction-notice-lost", {.limits = kNarrow, .steps = kCompacted}, "CompactionSurfaced"},
    {"create-revision-survives-delete", {}, "Fields"},
    {"delete-at-floor-lost", {.steps = kDeletedAtFloor}, "Reliable"},
    {"events-below-future-start", {.limits = {.disk = true}}, "Reliable"},
    {"events-crossed", {.steps = kCompacted}, "CompactionSurfaced"},
    {"filter-ignored", {.steps = {Create{.end = "*", .options = {.no_delete = true}}}}, "Filtered"},
    {"fragment-dropped",
     {.limits = {.part_bytes = 68}, .steps = {Create{.end = "*", .options = {.fragment = true}}}},
     "Fragmented"},
    {"lease-expiry-split",
     {.steps = {Grant{}, Put{.key = "b", .lease = 1}, Put{.key = "a0", .lease = 1}, Advance{2900}}},
     "Answered"},
    {"lone-delete-forgotten", {.steps = kDeletedAtFloor}, "Answered"},
    {"missing-previous-swallowed",
     {.limits = {.strict_previous = true},
      .steps = {Put{.key = "a/1"}, Put{.key = "a/1"}, Compact{}}},
     "PreviousValue"},
    {"negative-start-spoils-pass",
     {.steps = {Create{.end = "*", .start = FromHead(-3)}}},
     "CompactionSurfaced"},
    {"notice-repeated", {.steps = kCompacted}, "CompactionSurfaced"},
    {"notice-without-revision", {.steps = kCompacted}, "CompactionSurfaced"},
    {"previous-value-too-old",
     {.limits = {.revisions_per_batch = 8}, .steps = {Put{.key = "a/1"}}},
     "PreviousValue"},
    {"progress-below-future-start",
     {.steps = {Create{.end = "*", .start = FromHead(50)}, AskProgress{}}},
     "Bookmarkable"},
    {"progress-overtakes-events",
     {.steps = {Create{.end = "*", .start = FromHead(50)}, AskProgress{}}},
     "Bookmarkable"},
    {"progress-request-remembered",
     {.limits = {.queued_replies = 1},
      .steps = {Create{.end = "*", .start = FromHead(-3)}, AskProgress{}, kAll}},
     "Bookmarkable"},
    {"range-end-included", {.steps = {Create{.key = "a/", .end = "a0"}}}, "Filtered"},
    {"refused-create-closes-watch-zero", {.steps = {Create{.end = "*", .id = 4}}}, "Isolated"},
    {"start-one-too-high", {.steps = kCompacted}, "Reliable"},
    {"transaction-split", {.limits = {.revisions_per_batch = 1}}, "Atomic"},
    {"used-id-given-again", {}, "Isolated"},
    {"version-survives-delete", {}, "Fields"},
    {"victim-sent-twice", {.limits = kNarrow}, "Unique"},
    {"victim-skips-what-passed", {.limits = kNarrow}, "Reliable"},
};

class PlantedDefect : public testing::TestWithParam<DefectRow> {};

TEST_P(PlantedDefect, ShowsInASmallScript) {
  const DefectRow& row = GetParam();
  EXPECT_THAT(RunScript(row.script, {}).findings, IsEmpty());
  std::set<std::string> broken;
  for (const Finding& finding : RunScript(row.script, {row.defect}).findings) {
    broken.emplace(Name(finding.guarantee));
    // Nothing but the script lets time pass: what did not come never would.
    EXPECT_FALSE(finding.by_silence);
  }
  EXPECT_THAT(broken, Contains(row.guarantee));
}
INSTANTIATE_TEST_SUITE_P(VirtualTime, PlantedDefect, testing::ValuesIn(kDefects),
                         [](const auto& row) {
                           std::string name = row.param.defect;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(PlantedDefects, EachHasARow) {
  std::set<std::string> without;
  for (const auto& [name, change] : store::KnownHooks()) without.insert(name);
  for (const DefectRow& row : kDefects) without.erase(row.defect);
  // One is of rights, which no user has here; the other comes and goes with the wake-ups of a
  // thread.
  EXPECT_THAT(without, testing::ElementsAre("open-range-read-as-one-key", "wakeup-lost-sometimes"));
}

TEST(PlantedDefects, AnUnknownOneIsRefusedWithTheKnown) {
  EXPECT_TRUE(CheckDefects({"filter-ignored", "events-crossed"}).ok());
  EXPECT_THAT(
      CheckDefects({"filter-ignored", "none-such"}).message(),
      testing::AllOf(testing::HasSubstr("none-such"), testing::HasSubstr("filter-ignored")));
}

}  // namespace
}  // namespace watchproof::explore
