// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/line_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/checkers/testing/script.h"

namespace watchproof {
namespace {

using ::testing::HasSubstr;

// The text of the script's last line.
std::string Last(const Script& script) { return LineText(script.lines().back()); }

Script Begun() { return Script().Put("k", "a", 2).Watch("k", 2).Created(3, 2); }

TEST(LineText, NamesTheLineAndItsTime) {
  EXPECT_THAT(Last(Script()), HasSubstr("line 4, at 4.0 ms: stream 1 is opened"));
}

TEST(LineText, DescribesRequests) {
  EXPECT_THAT(
      Last(Script().Watch("a", 2, {.range_end = "b", .previous = true})),
      HasSubstr("stream 1 is asked to watch [\"a\", \"b\") from revision 2, with previous"));
  EXPECT_THAT(Last(Script().Watch("a", 0)), HasSubstr("asked to watch \"a\" from now on"));
  EXPECT_THAT(Last(Begun().Cancel(3)), HasSubstr("asked to cancel watch 3"));
}

TEST(LineText, DescribesResponses) {
  EXPECT_THAT(Last(Begun()), HasSubstr("delivers to watch 3: created, the store at 2"));
  EXPECT_THAT(Last(Begun().Deliver(3, {{2, "k"}})),
              HasSubstr("delivers to watch 3: put of \"k\" at revision 2"));
  EXPECT_THAT(Last(Begun().Progress(3, 2)), HasSubstr("delivers to watch 3: progress 2"));
  EXPECT_THAT(Last(Begun().Progress(-1, 2)), HasSubstr("delivers to every watch: progress 2"));
  EXPECT_THAT(Last(Begun().Compacted(3, 7)), HasSubstr("ErrCompacted, compact revision 7"));
  EXPECT_THAT(Last(Begun().Refused(3, "no right")), HasSubstr("canceled: no right"));
}

TEST(LineText, ShowsAFewOfManyEvents) {
  const Script script = Begun().Put("k", "b", 3).Put("k", "c", 4).Put("k", "d", 5);
  EXPECT_THAT(Last(Script(script).Deliver(3, {{2, "k"}, {3, "k"}, {4, "k"}, {5, "k"}})),
              HasSubstr("at revision 4 and 1 more up to revision 5"));
}

TEST(LineText, DescribesCalls) {
  EXPECT_THAT(Last(Script().StartPut(7, "k", "a")),
              HasSubstr("call 7 begins: put of \"k\" = \"a\""));
  EXPECT_THAT(Last(Script().StartPut(7, "k", "a").AckPut(7, 2)),
              HasSubstr("call 7 answered with revision 2"));
  EXPECT_THAT(
      Last(Script().StartPut(7, "k", "a").FailCall(7, Method::kPut, StatusCode::kUnavailable)),
      HasSubstr("call 7 failed: unavailable"));
  EXPECT_THAT(Last(Script().StartCompact(7, 5)), HasSubstr("begins: compaction to revision 5"));
}

TEST(LineText, DescribesCallsForLocks) {
  const auto begins = [](Method method, const Message& request) {
    return LineText({.line = Line(1),
                     .entry = {.kind = EntryKind::kCallStarted,
                               .method = method,
                               .call = CallId(7),
                               .payload = Bytes::Take(request.bytes())}});
  };
  const Message claim = Message().Text(1, "l").Number(2, 5);
  EXPECT_THAT(begins(Method::kLock, claim), HasSubstr("request for the lock \"l\" with lease 5"));
  EXPECT_THAT(begins(Method::kCampaign, claim),
              HasSubstr("campaign in the election \"l\" with lease 5"));
  EXPECT_THAT(begins(Method::kUnlock, Message().Text(1, "l/5")),
              HasSubstr("release of the lock held by \"l/5\""));
  EXPECT_THAT(begins(Method::kResign, Message().Nested(1, Message().Text(2, "l/5"))),
              HasSubstr("resignation of the leader \"l/5\""));
}

TEST(LineText, DescribesRights) {
  const auto says = [](const Annotation& annotation) {
    return Last(Script().Annotate(annotation));
  };
  EXPECT_THAT(says(UserRights{"x", {"of x"}, {{true, true, {"a/"}, {"a0"}}, {true, false, {"b"}}}}),
              HasSubstr("from here on user x may read and write [\"a/\", \"a0\"), read \"b\", "
                        "and nothing else"));
  EXPECT_THAT(says(UserRights{"x", {}, {}}),
              HasSubstr("user x may neither read nor write any key"));
  EXPECT_THAT(says(UserRights{"x", {"root"}, {}}), HasSubstr("user x may do everything"));
  EXPECT_THAT(says(ReadRight{StreamId(3), {}, {}}),
              HasSubstr("from here on the user of stream 3 may read nothing"));
  EXPECT_THAT(says(StoreLimits{.operations = 2, .request = 400}),
              HasSubstr("a limit of 2 operations in a transaction, 400 bytes in a request"));
}

TEST(LineText, ReportsUnreadableMessages) {
  EXPECT_THAT(Last(Script().Payload(EntryKind::kResponseReceived, "\xff\xff")),
              HasSubstr("a response that cannot be read"));
}

}  // namespace
}  // namespace watchproof
