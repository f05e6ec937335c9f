// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/testing/truth_table.h"

namespace watchproof {
namespace {

Script Listed(std::vector<std::string> listed, const std::string& after = "") {
  return Script()
      .Watch("k", 2)
      .Created(0, 1)
      .Put("k", "a", 2)
      .Deliver(0, {{2, "k"}})
      .Annotate(MembersListed{2, after, {"1a", "2b", "3c (learner)"}, std::move(listed)});
}

INSTANTIATE_TEST_SUITE_P(
    Enrolled, TruthTable,
    testing::ValuesIn(std::vector<Row>{
        {"AsMade", Listed({"1a", "2b", "3c (learner)"}), {}},
        {"InAnyOrder", Listed({"3c (learner)", "2b", "1a"}), {}},
        {"OneMissing", Listed({"1a", "3c (learner)"}), {"Enrolled"}},
        {"OneTwice", Listed({"1a", "2b", "2b", "3c (learner)"}), {"Enrolled"}},
        {"None", Listed({}), {"Enrolled"}},
        {"OneThatIsGone", Listed({"1a", "2b", "3c (learner)", "4d"}), {"Enrolled"}},
        {"AVoteUnasked", Listed({"1a", "2b", "3c"}, "an update"), {"Enrolled"}},
        {"AVoteLost", Listed({"1a", "2b (learner)", "3c (learner)"}), {"Enrolled"}},
        {"EachList",
         Listed({"1a"}).Annotate(MembersListed{3, "", {"1a", "2b"}, {"2b"}}),
         {"Enrolled", "Enrolled"}},
    }),
    RowName);

}  // namespace
}  // namespace watchproof
