// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/testing/truth_table.h"
#include "harness/history/history_parser.h"

namespace watchproof {
namespace {

// The user of stream 1 may read the keys with the prefix a/ only.
Script Reader() { return Script().Annotate(ReadRight{StreamId(1), {"a/"}, {"a0"}}); }
Script Taken() {
  return Reader()
      .Watch("a/", 0, {.range_end = "a0"})
      .Created(0)
      .Annotate(ReadRight{StreamId(1), {}, {}});
}
ScriptedCreate Until(const std::string& end) { return {.range_end = end}; }

INSTANTIATE_TEST_SUITE_P(
    Authorized, TruthTable,
    testing::ValuesIn(std::vector<Row>{
        {"OwnKeys",
         Reader()
             .Watch("a/", 0, Until("a0"))
             .Created(0)
             .Put("a/x", "v", 2)
             .Put("b", "v", 3)
             .Deliver(0, {{2, "a/x"}}),
         {}},
        {"CorrectlyRefused",
         Reader().Watch("a/", 0, Until(std::string(1, '\0'))).Refused(-1, "no"),
         {}},
        {"AnotherKeyByAnOpenRange",
         Reader()
             .Watch("a/", 0, Until(std::string(1, '\0')))
             .Created(0)
             .Put("a/x", "v", 2)
             .Put("b", "v", 3)
             .Deliver(0, {{2, "a/x"}, {3, "b"}}),
         {"Authorized"}},
        {"CreatedBeyondTheRight", Reader().Watch("a/", 0, Until("b")).Created(0), {"Authorized"}},
        {"WrittenAfterTheRightWasTaken",
         Taken().Pause(2s).Put("a/x", "v", 2).Deliver(0, {{2, "a/x"}}),
         {"Authorized"}},
        {"WrittenWhileTheRightWasTaken", Taken().Put("a/x", "v", 2).Deliver(0, {{2, "a/x"}}), {}},
        {"EndedAsTheRightWasTaken", Taken().Cancelled(0, "no").Pause(2s).Put("a/x", "v", 2), {}},
        {"AnotherStreamHasNoUser",
         Reader().On(2).Watch("b", 0).Created(0).Put("b", "v", 2).Deliver(0, {{2, "b"}}),
         {}},
    }),
    RowName);

}  // namespace
}  // namespace watchproof
