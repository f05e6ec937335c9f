// SPDX-License-Identifier: Apache-2.0
#include "harness/report/picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/checkers/testing/script.h"
#include "harness/history/recorder.h"

namespace watchproof {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// The recording as a file, read as a picture.
Picture PictureOf(const Script& script, std::vector<std::uint64_t> evidence,
                  std::size_t most = 80) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) /
                                     testing::UnitTest::GetInstance()->current_test_info()->name();
  auto recorder = Recorder::Open({.file = file, .follow = false}).value();
  for (const NumberedEntry& line : script.lines()) EXPECT_TRUE(recorder->Append(line.entry));
  EXPECT_TRUE(recorder->Close().ok());
  auto picture = ReadPicture({.file = file, .evidence = std::move(evidence), .most = most});
  EXPECT_TRUE(picture.has_value());
  return *std::move(picture);
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
  const Picture picture = PictureOf(script, {last});
  ASSERT_EQ(picture.evidence.size(), 1U);
  EXPECT_THAT(picture.evidence[0].text, HasSubstr("delivers to watch 1"));
  for (const PictureLane& lane : picture.lanes) {
    if (lane.kind != LaneKind::kWatch) continue;
    EXPECT_THAT(lane.name, HasSubstr("\"k\" from 2"));
    EXPECT_EQ(lane.items.back().cited, 1U);
  }
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

TEST(Picture, ThePaceOrdersMomentsAndShortensPauses) {
  const Picture picture = PictureOf(Script().Put("k", "a", 2).Put("k", "b", 3), {});
  EXPECT_EQ(PlaceOf(picture, picture.from), 0);
  EXPECT_EQ(PlaceOf(picture, picture.until), 1);
  EXPECT_LT(PlaceOf(picture, picture.from + 1ms), PlaceOf(picture, picture.from + 2ms));
}

TEST(Svg, ShowsTheCaptionAndEscapesForeignText) {
  Script script;
  script.Put("<k>", "a", 2).Watch("<k>", 2).Created(0).Deliver(0, {{2, "<k>"}});
  const std::string svg = ToSvg(PictureOf(script, {script.lines().back().line.value}),
                                {.title = "A <case>", .rows = {{"expected", "all & more"}}});
  EXPECT_THAT(svg, HasSubstr("A &lt;case&gt;"));
  EXPECT_THAT(svg, HasSubstr("all &amp; more"));
  EXPECT_THAT(svg, HasSubstr("first wrong moment"));
  EXPECT_THAT(svg, Not(HasSubstr("<k>")));
}

}  // namespace
}  // namespace watchproof
