// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/testing/truth_table.h"

namespace watchproof {
namespace {

Script Watched() { return Script().Watch("k", 2).Created(0, 1); }
// A change of the key that comes so long after its write was answered.
Script& Late(Script& script, std::int64_t revision, Duration delay) {
  return script.Put("k", "v", revision).Pause(delay).Deliver(0, {{revision, "k"}});
}
Script Late(Script&& script, std::int64_t revision, Duration delay) {
  return Late(script, revision, delay);
}

INSTANTIATE_TEST_SUITE_P(
    DelayRule, TruthTable,
    testing::ValuesIn(std::vector<Row>{
        {"InTime", Late(Watched(), 2, 900ms), {}},
        {"Late", Late(Watched(), 2, 3s), {}, false, {}, {"Settled"}},
        {"LateAfterItHadBeenInTime",
         Late(Late(Watched(), 2, 1ms), 3, 3s),
         {},
         false,
         {},
         {"Settled"}},
        {"TheWritesAreSlowToo",
         Late(Watched().StartPut(1, "x", "1").Pause(200ms).AckPut(1, 2), 3, 3s),
         {}},
        {"WhileAFaultIsActive", Late(Watched().Armed("stall", "none"), 2, 3s), {}},
        {"RightAfterAFault", Late(Watched().Armed("stall", "none").Healed("stall"), 2, 3s), {}},
        {"LongAfterAFault",
         Late(Late(Watched().Armed("stall", "none").Healed("stall"), 2, 1ms), 3, 3s),
         {},
         false,
         {},
         {"Settled"}},
        {"AskedForAfterTheWrite",
         Script().Put("k", "v", 2).Pause(3s).Watch("k", 2).Created(0, 2).Deliver(0, {{2, "k"}}),
         {}},
    }),
    RowName);

TEST(DelayRule, FindingNamesDelayAndLimit) {
  const Judgement judgement = Late(Watched(), 2, 3s).Judge();
  ASSERT_EQ(judgement.notes.size(), 1u);
  EXPECT_EQ(judgement.notes[0].expected,
            "events within 1000.0 ms of the answer to their write while no fault is active: 20 "
            "times the slowest write of the run, and a second at least");
  EXPECT_EQ(judgement.notes[0].observed, "revision 2 came 3001.0 ms after that answer");
}

}  // namespace
}  // namespace watchproof
