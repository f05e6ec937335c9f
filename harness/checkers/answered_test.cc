// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/testing/truth_table.h"

namespace watchproof {
namespace {

Script WithPut() {
  return Script().Watch("k", 2).Created(0, 1).Put("k", "a", 2).Deliver(0, {{2, "k"}});
}
AnswerDiffers Refused(const char* client, const char* expected) {
  return {.client = client, .expected = expected, .observed = "not found"};
}

INSTANTIATE_TEST_SUITE_P(
    Answered, TruthTable,
    testing::ValuesIn(std::vector<Row>{
        {"NothingDiffers", WithPut(), {}},
        {"OneDiffers", WithPut().Annotate(Refused("a", "a put to be answered")), {"Answered"}},
        {"TheSameAgain",
         WithPut().Annotate(Refused("a", "a put")).Annotate(Refused("a", "a put")),
         {"Answered"}},
        {"AnotherKind",
         WithPut().Annotate(Refused("a", "a put")).Annotate(Refused("a", "a read")),
         {"Answered", "Answered"}},
        {"AnotherClient",
         WithPut().Annotate(Refused("a", "a put")).Annotate(Refused("b", "a put")),
         {"Answered", "Answered"}},
    }),
    RowName);

}  // namespace
}  // namespace watchproof
