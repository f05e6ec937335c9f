// SPDX-License-Identifier: Apache-2.0
#include "harness/session/traffic.h"

#include <gtest/gtest.h>

namespace watchproof {
namespace {

class Overlapping : public ::testing::Test {
 protected:
  void Begin(std::uint32_t call, Duration at) {
    Add({.kind = EntryKind::kCallStarted, .call = CallId(call), .at = at});
  }
  void End(std::uint32_t call, Duration at, StatusCode code = StatusCode::kOk) {
    Add({.kind = EntryKind::kCallEnded, .code = code, .call = CallId(call), .at = at});
  }
  void Respond(Duration at) { Add({.kind = EntryKind::kResponseReceived, .at = at}); }
  void Add(Entry entry) {
    line_ = line_.next();
    table_.Consume({.line = line_, .entry = std::move(entry)});
  }

  OverlapTable table_;
  Line line_{};
};

TEST_F(Overlapping, CountsCallsThatWereOpenInBetween) {
  Begin(1, 1ms);
  End(1, 2ms);  // over before
  Begin(2, 3ms);
  Respond(9ms);
  End(2, 10ms);
  Begin(3, 11ms);
  End(3, 12ms, StatusCode::kDeadlineExceeded);
  Respond(13ms);
  Begin(4, 20ms);  // never answered, and still open
  End(3, 21ms);    // no call 3 is open any more
  Begin(5, 31ms);  // begun after
  const Overlap overlap = table_.Between(10ms, 30ms);
  EXPECT_EQ(overlap.calls, 3U);
  EXPECT_EQ(overlap.lost, 1U);
  EXPECT_EQ(overlap.responses, 1U);
  EXPECT_EQ(overlap.first_line, 3U);
  EXPECT_EQ(overlap.last_line, 9U);
}

TEST_F(Overlapping, ARefusalIsAnAnswer) {
  Begin(1, 1ms);
  End(1, 2ms, StatusCode::kResourceExhausted);
  EXPECT_EQ(table_.Between(0ms, 9ms).lost, 0U);
}

TEST_F(Overlapping, NothingOverlapsAnEmptyRecording) {
  EXPECT_EQ(table_.Between(0ms, 1h).first_line, 0U);
}

}  // namespace
}  // namespace watchproof
