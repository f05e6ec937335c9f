// SPDX-License-Identifier: Apache-2.0
#include "harness/results/result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace watchproof {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Lag SampleLag() {
  Lag lag;
  lag.delivery_us.Add(1234);
  lag.delivery_us.Add(56'789);
  lag.recoveries.push_back({"stall", {}});
  lag.recoveries.back().microseconds.Add(1'000'000);
  lag.footprints.push_back({"stall", 30 << 20, {}});
  lag.footprints.back().bytes.Add(40 << 20);
  lag.course = {.step_us = 10'000, .events = {0, 2}, .waiting = {2, 0}};
  return lag;
}

AttemptResult Sample() {
  return {
      .case_name = "Ordered.NeverGoesBack",
      .target = "etcd:/usr/bin/etcd",
      .target_version = "3.4.23",
      .seed = "0x51e9c2",
      .attempt = 3,
      .verdict = Verdict::kFail,
      .known = true,
      .target_failed = false,
      .upstream = {15220, 20221},
      .started = "2026-01-14T10:15:00Z",
      .seconds = 4.125,
      .reason = "known",
      .findings = {{.guarantee = "Ordered",
                    .promise = "revisions never decrease",
                    .impact = "It goes back in time.",
                    .watch = "watch 3",
                    .expected = "a revision of at least 799",
                    .observed = "revision 3 (key \"k/4\")",
                    .signature = "etcd #15271",
                    .meanwhile = "stall",
                    .evidence = {211, 212},
                    .messages = {"line 211", "line 212"}}},
      .receipts =
          {{.fault = "stall",
            .fired = true,
            .required = true,
            .armed_at = 0.5,
            .healed_at = 1.25,
            .measured = {{"bytes_withheld", 65536}},
            .overlap = {.calls = 9, .lost = 2, .responses = 40, .first_line = 5, .last_line = 90},
            .text = "held back 64 KiB"}},
      .calls = {.judged = 17, .undecided = {"3 of 20 answers could not be judged whole"}},
      .lag = SampleLag(),
      .measured = {{"puts", "a watch far behind", {400.5, 500}, {3000, 3100}}},
      .folder = "cases/etcd/Ordered.NeverGoesBack/3",
      .undecided_tries = {{.seed = "0x7", .seconds = 1.5, .reason = "fault stall took no effect"}},
      .counts = {{.layer = "wire", .counted = {{"creates", 2}}},
                 {.layer = "client", .counted = {{"lists", 1}, {"errors", 3}}}}};
}

TEST(ResultLine, RoundTrip) {
  const std::string line = ToJsonLine(Sample());
  EXPECT_THAT(line, Not(HasSubstr("\n")));
  const auto parsed = ParseResultLine(line);
  ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
  EXPECT_EQ(ToJsonLine(*parsed), line);
  EXPECT_EQ(parsed->findings.at(0).evidence, (std::vector<std::uint64_t>{211, 212}));
  EXPECT_EQ(parsed->receipts.at(0).measured.at("bytes_withheld"), 65536);
  EXPECT_EQ(parsed->upstream, (std::vector<int>{15220, 20221}));
  EXPECT_TRUE(parsed->known);
  EXPECT_EQ(parsed->calls.judged, 17u);
  EXPECT_EQ(parsed->counts.at(1).counted.at("errors"), 3u);
  EXPECT_EQ(parsed->lag.delivery_us.count(), 2u);
  EXPECT_EQ(parsed->lag.recoveries.at(0).microseconds.highest(), 1'000'000);
  EXPECT_EQ(parsed->lag.footprints.at(0).before, 30 << 20);
  EXPECT_EQ(parsed->lag.footprints.at(0).bytes.highest(), 40 << 20);
  EXPECT_EQ(parsed->lag.course.events, (std::vector<std::int64_t>{0, 2}));
}

TEST(ResultLine, AnyBytesOfAKeyMakeAValidLine) {
  AttemptResult result = Sample();
  result.findings[0].observed = "key \xff\xfe\n\x01";
  const auto parsed = ParseResultLine(ToJsonLine(result));
  ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
  EXPECT_THAT(parsed->findings.at(0).observed, HasSubstr("\xef\xbf\xbd"));
}

TEST(ResultLine, RejectsOtherTextWithAReason) {
  const auto message = [](std::string_view line) {
    const auto parsed = ParseResultLine(line);
    return parsed.has_value() ? std::string("accepted") : parsed.error().message();
  };
  EXPECT_THAT(message(""), HasSubstr("one JSON object"));
  EXPECT_THAT(message("hello"), HasSubstr("one JSON object"));
  EXPECT_THAT(message("[1]"), HasSubstr("one JSON object"));
  EXPECT_THAT(message("{}"), HasSubstr("schema"));
  EXPECT_THAT(message(R"({"schema":2})"), HasSubstr("schema 2"));
  EXPECT_THAT(message(R"({"schema":"1"})"), HasSubstr("field schema"));
  EXPECT_THAT(message(R"({"schema":1,"verdict":"great","case":"A.B","target":"embedded",)"
                      R"("seed":"0x1","attempt":1})"),
              HasSubstr("great"));
  EXPECT_THAT(message(R"({"schema":1,"verdict":"pass"})"), HasSubstr("case"));
  EXPECT_THAT(message(R"({"schema":1,"verdict":"pass","case":"A.B","target":"embedded",)"
                      R"("seed":"0x1","attempt":1,"findings":[{}]})"),
              HasSubstr("guarantee"));
}

TEST(VerdictNames, EachIsFoundByItsName) {
  for (const Verdict verdict : {Verdict::kPass, Verdict::kFail, Verdict::kInconclusive,
                                Verdict::kUnsupported, Verdict::kHarnessError}) {
    EXPECT_EQ(FindVerdict(Name(verdict)), verdict);
  }
  EXPECT_EQ(Name(Verdict::kHarnessError), "harness_error");
  EXPECT_EQ(FindVerdict("error"), std::nullopt);
}

TEST(SetApartTest, WhatElseHappenedDecides) {
  AttemptResult mixed = Sample();
  EXPECT_FALSE(SetApart(mixed));  // something else was broken, too
  EXPECT_EQ(mixed.verdict, Verdict::kFail);

  AttemptResult only = Sample();
  only.findings.front().standing = "read-of-every-key";
  only.besides = Verdict::kInconclusive;
  only.besides_reason = "the load was too low";
  const auto read = ParseResultLine(ToJsonLine(only));
  ASSERT_TRUE(read.has_value()) << read.error().message();
  AttemptResult apart = *read;
  EXPECT_TRUE(SetApart(apart));
  EXPECT_EQ(apart.verdict, Verdict::kInconclusive);
  EXPECT_EQ(apart.reason, "the load was too low");
  EXPECT_TRUE(apart.findings.empty());
  ASSERT_EQ(apart.standing.size(), 1U);
  EXPECT_EQ(apart.standing.front().standing, "read-of-every-key");
  EXPECT_FALSE(SetApart(apart));  // once
}

}  // namespace
}  // namespace watchproof
