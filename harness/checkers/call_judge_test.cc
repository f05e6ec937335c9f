// SPDX-License-Identifier: Apache-2.0
// The judge of calls as a whole: many concurrent clients, and one altered answer among them.
#include "harness/checkers/judge.h"

#include "harness/base/prng.h"
#include "harness/checkers/testing/call_load.h"
#include "harness/checkers/testing/call_table.h"
#include "harness/history/wire.h"

namespace watchproof {
namespace {

Judgement JudgeLines(const std::vector<NumberedEntry>& lines) {
  Judge judge({});
  for (const NumberedEntry& line : lines) judge.Consume(line);
  return judge.Finish();
}

TEST(CallJudgeTest, NoFindingsForACorrectStoreWithControlWatch) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Judgement judgement =
        JudgeLines(MakeCallLoad({.calls = 2000, .unknown = 0.05, .seed = seed}));
    EXPECT_TRUE(judgement.findings.empty()) << seed << "\n" << Story(judgement);
    EXPECT_GT(judgement.calls.judged, 1700u) << seed << "\n" << Story(judgement);
  }
}

TEST(CallJudgeTest, NoFindingsForACorrectStoreWithoutControlWatch) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Judgement judgement =
        JudgeLines(MakeCallLoad({.calls = 2000, .unknown = 0.05, .control = false, .seed = seed}));
    EXPECT_TRUE(judgement.findings.empty()) << seed << "\n" << Story(judgement);
    EXPECT_GT(judgement.calls.judged, 1000u) << seed << "\n" << Story(judgement);
  }
}

// Adds one to the header revision of the answer, or to the create revision of its first key.
std::string Altered(const std::string& answer, bool header) {
  RangeResponseView view;
  EXPECT_TRUE(Parse(answer, view).ok());
  Message altered = Reported(view.header.revision + (header ? 100 : 0));
  for (std::size_t i = 0; i < view.kvs.size(); ++i) {
    const KeyValueView& kv = view.kvs[i];
    altered.Nested(2, KeyValue({.key = std::string(kv.key),
                                .value = std::string(kv.value),
                                .create = kv.create_revision,
                                .mod = kv.mod_revision,
                                .version = kv.version + (header || i > 0 ? 0 : 1)}));
  }
  return altered.Optional(3, view.more ? 1 : 0).Optional(4, view.count).bytes();
}

TEST(CallJudgeTest, FindsOneAlteredReadAmongMany) {
  Prng prng(7);
  const std::vector<NumberedEntry> perfect = MakeCallLoad({.calls = 2000, .unknown = 0});
  std::vector<std::size_t> reads;
  for (std::size_t i = perfect.size() / 4; i < perfect.size() / 2; ++i) {
    const Entry& entry = perfect[i].entry;
    RangeResponseView view;
    if (entry.kind != EntryKind::kCallEnded || entry.method != Method::kRange) continue;
    if (Parse(entry.payload.view(), view).ok() && !view.kvs.empty()) reads.push_back(i);
  }
  ASSERT_GT(reads.size(), 50u);
  for (int round = 0; round < 50; ++round) {
    std::vector<NumberedEntry> lines = perfect;
    Bytes& payload = lines[prng.Pick(reads)].entry.payload;
    payload = Bytes::Take(Altered(std::string(payload.view()), round % 2 == 0));
    EXPECT_FALSE(JudgeLines(lines).findings.empty()) << round;
  }
}

}  // namespace
}  // namespace watchproof
