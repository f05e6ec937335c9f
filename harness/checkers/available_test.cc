// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/testing/truth_table.h"

namespace watchproof {
namespace {

Script Complete() {
  return Script().Watch("k", 2).Created(0, 1).Put("k", "a", 2).Deliver(0, {{2, "k"}});
}

// So many comparisons beyond a limit of 2, and so many within it.
Script Beside(const std::string& of, int beyond, int within, double limit = 2) {
  Script script = Complete();
  for (int i = 0; i < beyond; ++i) script.Annotate(MeasuredPair{of, "reads", 300, 1000, limit});
  for (int i = 0; i < within; ++i) script.Annotate(MeasuredPair{of, "reads", 900, 1000, limit});
  return script;
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
        {"FewPutsBesideABurden", Beside("puts", 5, 0), {"Available"}},
        {"AsManyPutsBesideABurden", Beside("puts", 0, 5), {}},
        {"OneOfSixDecidesNothing", Beside("puts", 1, 5), {}, true},
        {"FewComparisonsDecideNothing", Beside("puts", 4, 0), {}, true},
        {"NoLimitNoFinding", Beside("puts", 5, 0, 0), {}},
        {"MoreIsBetterForPutsOnly", Beside("longest-put", 5, 0), {}},
        {"PutsAndDelaysAreTwo",
         Beside("puts", 6, 0)
             .Annotate(MeasuredPair{"event-delay", "reads", 90, 1, 20})
             .Annotate(MeasuredPair{"event-delay", "reads", 90, 1, 20})
             .Annotate(MeasuredPair{"event-delay", "reads", 90, 1, 20})
             .Annotate(MeasuredPair{"event-delay", "reads", 90, 1, 20})
             .Annotate(MeasuredPair{"event-delay", "reads", 90, 1, 20}),
         {"Available", "Available"}},
        {"MemoryIsAnothersToJudge", Beside("kept", 0, 0), {}},
    }),
    RowName);

}  // namespace
}  // namespace watchproof
