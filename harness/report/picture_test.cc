// SPDX-License-Identifier: Apache-2.0
#include "harness/report/picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "harness/checkers/testing/script.h"
#include "harness/history/recorder.h"
#include "harness/history/run_started.h"

namespace watchproof {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

using Evidence = std::vector<std::vector<std::uint64_t>>;

// The recording as a file, read as a picture.
Picture PictureOf(const std::vector<Entry>& entries, Evidence evidence, std::size_t most = 80) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) /
                                     testing::UnitTest::GetInstance()->current_test_info()->name();
  auto recorder = Recorder::Open({.file = file, .follow = false}).value();
  for (const Entry& entry : entries) EXPECT_TRUE(recorder->Append(entry));
  EXPECT_TRUE(recorder->Close().ok());
  auto picture = ReadPicture({.file = file, .evidence = std::move(evidence), .most = most});
  EXPECT_TRUE(picture.has_value());
  return *std::move(picture);
}
std::vector<Entry> EntriesOf(const Script& script) {
  std::vector<Entry> entries;
  for (const NumberedEntry& line : script.lines()) entries.push_back(line.entry);
  return entries;
}
Picture PictureOf(const Script& script, Evidence evidence, std::size_t most = 80) {
  return PictureOf(EntriesOf(script), std::move(evidence), most);
}

// "asked 2, created, events 2-3, missing 3" of the first lane of the kind.
std::string Items(const Picture& picture, LaneKind kind) {
  for (const PictureLane& lane : picture.lanes) {
    if (lane.kind != kind) continue;
    std::string text;
    for (const PictureItem& item : lane.items) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", Name(item.kind), item.first);
      if (item.last > item.first) text += fmt::format("-{}", item.last);
    }
    return text;
  }
  return "no such lane";
}

TEST(Picture, NamesWhatAWatchMissedAndWhatItReceivedTwice) {
  Script script;
  script.Put("k", "a", 2).Put("k", "b", 3).Put("other", "c", 4).Watch("k", 2).Created(0);
  script.Deliver(0, {{2, "k"}}).Deliver(0, {{2, "k"}}).Put("k", "d", 5).Deliver(0, {{5, "k"}});
  const Picture picture = PictureOf(script, {});
  EXPECT_EQ(Items(picture, LaneKind::kWatch),
            "asked 2, created 1, missing 3, events 2, repeated 2, events 5");
  EXPECT_EQ(Items(picture, LaneKind::kWriter), "write 2, write 3, other_write 4, write 5");
}

TEST(Picture, AChangeThatNoCallMadeIsForeign) {
  Script script;
  script.Put("k", "a", 2).Watch("k", 2).Created(0).Put("k", "b", 3);
  script.DeliverRaw(0,
                    {{.kv = {.key = "k", .value = "z", .create = 2, .mod = 2, .version = 1}},
                     {.kv = {.key = "else", .value = "z", .create = 3, .mod = 3, .version = 1}}});
  EXPECT_THAT(Items(PictureOf(script, {}), LaneKind::kWatch), HasSubstr("foreign 2-3"));
}

TEST(Picture, AChangeBelowTheStartIsForeign) {
  Script script;
  script.Put("k", "a", 2).Put("k", "b", 3).Watch("k", 3).Created(0).Deliver(0, {{2, "k"}});
  EXPECT_THAT(Items(PictureOf(script, {}), LaneKind::kWatch), HasSubstr("foreign 2"));
}

TEST(Picture, TheEvidenceChoosesTheWatchAndIsNumbered) {
  Script script;
  script.Put("k", "a", 2).Watch("x", 2).Created(0).Watch("k", 2).Created(1);
  script.Deliver(1, {{2, "k"}});
  const std::uint64_t last = script.lines().back().line.value;
  const Picture picture = PictureOf(script, {{last}});
  ASSERT_EQ(picture.evidence.size(), 1U);
  EXPECT_THAT(picture.evidence[0].text, HasSubstr("delivers to watch 1"));
  for (const PictureLane& lane : picture.lanes) {
    if (lane.kind != LaneKind::kWatch) continue;
    EXPECT_THAT(lane.name, HasSubstr("\"k\" from 2"));
    EXPECT_EQ(lane.items.back().cited, 1U);
  }
}

// "1:k 4-5" of each item that is evidence: numbers where it begins and ends, and its kind.
std::string CitedItems(const Picture& picture) {
  std::string text;
  for (const PictureLane& lane : picture.lanes) {
    for (const PictureItem& item : lane.items) {
      if (!IsCited(item)) continue;
      text += fmt::format("{}{} {}-{}", text.empty() ? "" : ", ", Name(item.kind), item.cited,
                          item.cited_until);
    }
  }
  return text;
}

TEST(Picture, AReadThatIsEvidenceStandsWhereItWasMade) {
  Script script;
  script.Put("k", "a", 2).Read(2, "k").Read(2, "k");
  const std::uint64_t last = script.lines().back().line.value;
  const Picture picture = PictureOf(script, {{last - 1, last}});
  // The other read is not shown.
  EXPECT_EQ(Items(picture, LaneKind::kWriter), "write 2, call 2");
  EXPECT_EQ(CitedItems(picture), "call 1-2");
  EXPECT_EQ(LabelOf(picture.lanes.front().items.back()), "read of \"k\"");
  EXPECT_FALSE(picture.evidence[0].wrong);
  EXPECT_TRUE(picture.evidence[1].wrong);
}

TEST(Picture, FindingsShareItWithTheirEvidence) {
  Script script;
  script.Put("k", "a", 2).Watch("k", 2).Created(0).Deliver(0, {{2, "k"}}).Deliver(0, {{2, "k"}});
  const std::uint64_t last = script.lines().back().line.value;
  const Picture picture = PictureOf(script, {{1, last - 1}, {last - 1, last}});
  ASSERT_EQ(picture.evidence.size(), 3U);  // each line once
  EXPECT_FALSE(picture.evidence[0].wrong);
  EXPECT_TRUE(picture.evidence[1].wrong);
  EXPECT_TRUE(picture.evidence[2].wrong);
  EXPECT_EQ(CitedItems(picture), "events 2-0, repeated 3-0");
}

// Each call over a connection of its own.
std::vector<Entry> OfConnections(int connections, bool passive) {
  Script script;
  for (int i = 0; i < connections; ++i) script.Put("k", "v", i + 2);
  std::vector<Entry> entries = EntriesOf(script);
  int connection = 0;
  for (Entry& entry : entries) {
    if (entry.kind == EntryKind::kRunStarted) entry.text = ToText({.passive = passive});
    if (entry.kind == EntryKind::kCallStarted) entry.text = fmt::format("c{}", ++connection);
  }
  return entries;
}

TEST(Picture, ShortConnectionsOfAPassiveRecordingShareALane) {
  const auto writers = [](bool passive) {
    std::vector<PictureLane> lanes = PictureOf(OfConnections(20, passive), {}).lanes;
    std::erase_if(lanes, [](const PictureLane& lane) { return lane.kind != LaneKind::kWriter; });
    return lanes;
  };
  ASSERT_EQ(writers(true).size(), 1U);
  EXPECT_EQ(writers(true).front().name, "20 short connections\nof a few calls each");
  EXPECT_EQ(writers(false).size(), 20U);
}

TEST(Picture, ALongRecordingIsReadInOnePass) {
  Script script;
  script.Watch("k", 1).Created(0);
  constexpr int kChanges = 20'000;
  for (int i = 2; i < kChanges; ++i) script.Put("k", "v", i);
  for (int i = 2; i < kChanges; ++i) {
    if (i != kChanges / 2) script.Deliver(0, {{i, "k"}});
  }
  const Picture picture = PictureOf(script, {}, 16);
  EXPECT_THAT(Items(picture, LaneKind::kWatch), HasSubstr(fmt::format("missing {}", kChanges / 2)));
}

TEST(Picture, JoinsNeighboursButNotAcrossACompaction) {
  Script script;
  for (int revision = 2; revision < 12; ++revision) script.Put("k", "v", revision);
  script.Compact(5);
  for (int revision = 12; revision < 22; ++revision) script.Put("k", "v", revision);
  const Picture picture = PictureOf(script, {}, 3);
  EXPECT_EQ(Items(picture, LaneKind::kWriter), "write 2-11, compact 5, write 12-21");
  EXPECT_THAT(picture.floor, ElementsAre(testing::Field(&PictureStep::revision, Revision(5))));
}

TEST(Picture, ShowsWhenProgressWasAskedFor) {
  Script script;
  script.Put("k", "v", 2).Watch("k", 2).Created(0).AskProgress().Progress(0, 2);
  const Picture picture = PictureOf(script, {});
  EXPECT_EQ(Items(picture, LaneKind::kWriter), "write 2");
  EXPECT_THAT(Items(picture, LaneKind::kStream), HasSubstr("progress_asked"));
}

TEST(Picture, HasALaneForEachLayerOfAConsumer) {
  Script script;
  script.Annotate(ConsumerStarted{"informer", {"cache", "handler"}, "/a/"});
  script.Put("/a/x", "1", 2)
      .Annotate(ConsumerReport{.layer = "cache", .kind = "relist", .revision = 2});
  script.Annotate(ConsumerReport{.layer = "cache", .kind = "error", .error = "too old"});
  script.Annotate(ConsumerReport{.layer = "handler", .kind = "handled", .type = "tombstone"});
  const std::uint64_t last = script.lines().back().line.value;
  const Picture picture = PictureOf(script, {{last}});
  EXPECT_EQ(Items(picture, LaneKind::kLayer), "listed 2, failed 0");
  ASSERT_EQ(picture.lanes.back().name, "layer handler");
  ASSERT_EQ(picture.lanes.back().items.size(), 1U);
  EXPECT_EQ(picture.lanes.back().items.front().kind, ItemKind::kTombstone);
  EXPECT_EQ(picture.lanes.back().items.front().cited, 1U);
}

// The first lane of a disk, as "sync 1000-41000 x2 [log]".
std::string DiskItems(const Picture& picture) {
  std::string text;
  for (const PictureLane& lane : picture.lanes) {
    if (lane.kind != LaneKind::kDisk || !text.empty()) continue;
    for (const PictureItem& item : lane.items) {
      text += fmt::format("{}{} {}-{} x{} [{}]", text.empty() ? "" : ", ", Name(item.kind),
                          Micros(item.at), Micros(item.until), item.count, LabelOf(item));
    }
  }
  return text;
}

// Two syncs, one of which a kill follows, with what the power took.
Script OfADisk() {
  Script script;
  script.Put("k", "a", 2)
      .Annotate(DiskActivity{.kind = "sync",
                             .from_us = 1000,
                             .until_us = 41000,
                             .longest_us = 40000,
                             .of = "log",
                             .what = "sync of member/wal/0.wal"});
  script.Annotate(DiskActivity{.kind = "lost",
                               .from_us = 42000,
                               .until_us = 50000,
                               .count = 2,
                               .bytes = 1280,
                               .what = "member/wal/0.wal: 1 write, 1280 bytes"});
  script.Annotate(DiskActivity{.kind = "killed",
                               .from_us = 50000,
                               .until_us = 50000,
                               .of = "log",
                               .what = "sync of member/wal/0-1.wal"});
  return script;
}

TEST(Picture, HasALaneForADisk) {
  const Picture picture =
      PictureOf(OfADisk().Annotate(DiskActivity{.kind = "of a later release"}), {});
  EXPECT_EQ(DiskItems(picture),
            "sync 1000-41000 x1 [log], lost 42000-50000 x1 [lost: 2 changes, 1,280 bytes], "
            "killed 50000-50000 x1 [killed: sync, log]");
  ASSERT_EQ(picture.lanes.front().name, "disk");
  EXPECT_THAT(picture.lanes.front().items[0].text, HasSubstr("member/wal/0.wal; sync, 40.0 ms"));
  EXPECT_THAT(picture.lanes.front().items[1].text, HasSubstr("1 write, 1280 bytes"));
}

TEST(Picture, APowerFailureMayTakeNothing) {
  Script script;
  script.Annotate(DiskActivity{.kind = "lost", .from_us = 5, .until_us = 5, .count = 0});
  EXPECT_EQ(DiskItems(PictureOf(script, {})), "lost 5-5 x1 [lost: nothing]");
}

TEST(Picture, EachDiskOfAClusterHasALane) {
  Script script;
  script.Annotate(DiskActivity{.member = 3, .kind = "started"})
      .Annotate(DiskActivity{.member = 2, .kind = "started"});
  const Picture picture = PictureOf(script, {});
  EXPECT_EQ(std::ranges::count(picture.lanes, LaneKind::kDisk, &PictureLane::kind), 2);
}

TEST(Picture, JoinsSyncsOfOneClassButNotAcrossAKill) {
  Script script;
  const auto sync = [&script](std::int64_t at, const char* of) {
    script.Annotate(DiskActivity{.kind = "sync",
                                 .from_us = at,
                                 .until_us = at + 5,
                                 .longest_us = at,
                                 .of = of,
                                 .what = "w"});
  };
  for (std::int64_t at = 0; at < 100; at += 10) sync(at, at == 50 ? "database" : "log");
  script.Annotate(DiskActivity{
      .kind = "killed", .from_us = 100, .until_us = 100, .of = "log", .what = "sync of w"});
  for (std::int64_t at = 110; at < 140; at += 10) sync(at, "log");
  const Picture picture = PictureOf(script, {}, 3);
  EXPECT_EQ(
      DiskItems(picture),
      "sync 0-95 x9 [log ×9], sync 50-55 x1 [database], killed 100-100 x1 [killed: sync, log], "
      "sync 110-135 x3 [log ×3]");
  EXPECT_EQ(picture.lanes.front().items.front().text, "9 syncs of log, the longest 0.1 ms");
}

TEST(Picture, ThePaceOrdersMomentsAndShortensPauses) {
  const Picture picture = PictureOf(Script().Put("k", "a", 2).Put("k", "b", 3), {});
  EXPECT_EQ(PlaceOf(picture, picture.from), 0);
  EXPECT_EQ(PlaceOf(picture, picture.until), 1);
  EXPECT_LT(PlaceOf(picture, picture.from + 1ms), PlaceOf(picture, picture.from + 2ms));
}

TEST(Svg, ShowsTheCaptionAndEscapesForeignText) {
  Script script;
  script.Put("<k>", "a", 2).Watch("<k>", 2).Created(0).Deliver(0, {{2, "<k>"}});
  const std::string svg = ToSvg(PictureOf(script, {{script.lines().back().line.value}}),
                                {.title = "A <case>", .rows = {{"expected", "all & more"}}});
  EXPECT_THAT(svg, HasSubstr("A &lt;case&gt;"));
  EXPECT_THAT(svg, HasSubstr("all &amp; more"));
  EXPECT_THAT(svg, HasSubstr("first wrong moment"));
  EXPECT_THAT(svg, Not(HasSubstr("<k>")));
}

TEST(Svg, DrawsADisk) {
  const std::string svg = ToSvg(PictureOf(OfADisk(), {}), {.title = "t", .rows = {}});
  EXPECT_THAT(svg, HasSubstr("<pattern id=\"lost\""));
  EXPECT_THAT(svg, HasSubstr("fill=\"url(#lost)\""));
  EXPECT_THAT(svg, HasSubstr("fill=\"#1b7c83\""));                         // the sync
  EXPECT_THAT(svg, HasSubstr("stroke=\"#1b1f24\" stroke-width=\"1.8\""));  // the kill
  EXPECT_THAT(svg, HasSubstr("member/wal/0.wal: 1 write, 1280 bytes"));
}

// What the format asks of the events of each phase; slices of a track must not overlap in part.
void ExpectWellFormed(const Json& trace) {
  std::map<int, std::int64_t> busy_until;
  for (const Json& event : trace.at("traceEvents")) {
    const std::string phase = event.at("ph");
    EXPECT_TRUE(event.at("name").is_string() && event.at("pid").is_number()) << event;
    if (phase == "M") continue;
    const std::int64_t at = event.at("ts");
    if (phase == "C") {
      EXPECT_TRUE(event.at("args").at("revision").is_number()) << event;
    } else if (phase == "X") {
      EXPECT_GE(at, busy_until[event.at("tid")]) << event;
      busy_until[event.at("tid")] = at + event.at("dur").get<std::int64_t>();
    } else {
      ASSERT_EQ(phase, "i") << event;
      EXPECT_TRUE(event.at("s") == "p" || event.contains("tid")) << event;
    }
  }
}

TEST(Trace, HasTheLanesOfThePictureAndTheirItems) {
  Script script;
  script.Armed("stall", "none").Put("k", "a", 2).Watch("k", 2).Created(0);
  script.Deliver(0, {{2, "k"}}).Put("k", "b", 3).Compact(3);
  const Picture picture = PictureOf(script, {{script.lines().back().line.value}});
  const Json trace = Json::parse(ToTrace(picture, {.title = "A.B on etcd", .rows = {}}));
  ExpectWellFormed(trace);
  std::set<std::string> tracks;
  std::set<std::string> counters;
  std::size_t items = 0;
  for (const Json& event : trace["traceEvents"]) {
    if (event["name"] == "thread_name") tracks.insert(event["args"]["name"]);
    if (event["ph"] == "C") counters.insert(event["name"]);
    if (event.contains("tid") && event["ph"] != "M") ++items;
  }
  std::size_t expected = 0;
  for (const PictureLane& lane : picture.lanes) expected += lane.items.size();
  EXPECT_EQ(items, expected);
  EXPECT_EQ(tracks.size(), picture.lanes.size());
  EXPECT_THAT(tracks, testing::Contains("fault stall"));
  EXPECT_THAT(counters, testing::IsSupersetOf({"revision of the store", "compaction floor"}));
  EXPECT_THAT(trace.dump(), HasSubstr("first wrong moment"));
}

TEST(Trace, HasTheDisk) {
  const Json trace = Json::parse(ToTrace(PictureOf(OfADisk(), {}), {}));
  ExpectWellFormed(trace);
  EXPECT_THAT(trace.dump(), HasSubstr("sync: log"));
  EXPECT_THAT(trace.dump(), HasSubstr("lost: 2 changes, 1,280 bytes"));
}

TEST(Trace, OverlappingItemsOfALaneGetTracksOfTheirOwn) {
  Picture picture;
  picture.lanes = {{.kind = LaneKind::kWriter,
                    .name = "writer",
                    .items = {{.kind = ItemKind::kWrite, .at = 1ms, .until = 5ms},
                              {.kind = ItemKind::kWrite, .at = 3ms, .until = 8ms},
                              {.kind = ItemKind::kWrite, .at = 5ms, .until = 6ms}}}};
  const Json trace = Json::parse(ToTrace(picture, {}));
  ExpectWellFormed(trace);
  EXPECT_EQ(trace["traceEvents"].back()["tid"], 1);
}

}  // namespace
}  // namespace watchproof
