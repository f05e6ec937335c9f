// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/testing/truth_table.h"

namespace watchproof {
namespace {

Script Complete() {
  return Script().Watch("k", 2).Created(0, 1).Put("k", "a", 2).Deliver(0, {{2, "k"}});
}

INSTANTIATE_TEST_SUITE_P(
    Available, TruthTable,
    testing::ValuesIn(std::vector<Row>{
        {"RunsAndAnswers", Complete(), {}},
        {"Dies",
         Complete().Annotate(TargetEnded{1, "was killed by signal 11 (SIGSEGV)", "segfault"}),
         {"Available"}},
        {"TwoMembersDie",
         Complete()
             .Annotate(TargetEnded{1, "exited with 2", ""})
             .Annotate(TargetEnded{3, "exited", ""}),
         {"Available", "Available"}},
        {"IsSilent", Complete().Annotate(TargetSilent{1, "a put", 10000}), {"Available"}},
        {"RefusesWhatItOffers",
         Complete().Annotate(TargetRefused{"a lease", "unimplemented"}),
         {"Available"}},
        {"DoesNotCatchUp",
         Complete().Annotate(MemberBehind{3, 9, "it is at revision 7", 20000}),
         {"Available"}},
    }),
    RowName);

}  // namespace
}  // namespace watchproof
