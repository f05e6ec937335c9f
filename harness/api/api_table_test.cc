// SPDX-License-Identifier: Apache-2.0
#include "harness/api/api_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace watchproof {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ApiTable, RowsAreInTheOrderOfTheTextAndHaveWhatEveryRowOfTheirTableHas) {
  const auto api = ApiTable::Parse(
      "[KV]\n"
      "Range = { drawn = [\"get\"], right = \"read\" }\n"
      "[Answer]\n"
      "every = { drawn = [\"get\"], judged = [\"Headers\"], right = \"as the call\" }\n"
      "z = { judged = \"no effect\" }\n"
      "a = { drawn = [\"txn\"], right = \"none\" }\n");
  ASSERT_TRUE(api.has_value()) << api.error().message();
  ASSERT_EQ(api->rows().size(), 3U);
  const ApiRow& call = api->rows()[0];
  EXPECT_EQ(call.name, "KV.Range");
  EXPECT_TRUE(call.judged.missing());
  EXPECT_FALSE(call.drawn.missing());
  const ApiRow& first = api->rows()[1];
  EXPECT_EQ(first.name, "Answer.z");
  EXPECT_THAT(first.drawn.names, ElementsAre("get"));
  EXPECT_TRUE(first.judged.names.empty());
  EXPECT_EQ(first.judged.why_none, "no effect");
  EXPECT_FALSE(first.judged.missing());
  EXPECT_EQ(first.right, "as the call");
  const ApiRow& second = api->rows()[2];
  EXPECT_THAT(second.drawn.names, ElementsAre("txn"));
  EXPECT_THAT(second.judged.names, ElementsAre("Headers"));
  EXPECT_EQ(second.right, "none");
}

TEST(ApiTable, ErrorsNameTheLineAndWhatWasExpected) {
  const auto message = [](std::string_view text) {
    const auto parsed = ApiTable::Parse(text);
    return parsed.has_value() ? std::string("accepted") : parsed.error().message();
  };
  EXPECT_EQ(message("[A]\nb = { right = \"none\" }\n"), "accepted");
  EXPECT_THAT(message("[A"), HasSubstr("line 1"));
  EXPECT_THAT(message("a = 1\n"), HasSubstr("line 1: expected [a], a service, a message or"));
  EXPECT_THAT(message("[A]\nb = 1\n"), HasSubstr("line 2: expected A.b = { ... }"));
  EXPECT_THAT(message("[A]\nb = { }\n"), HasSubstr("line 2: expected 'right', here or in 'every'"));
  EXPECT_THAT(message("[A]\nb = { right = \"none\", draw = [] }\n"),
              HasSubstr("unknown field 'draw'"));
  EXPECT_THAT(message("[A]\nb = { right = \"none\", drawn = [] }\n"),
              HasSubstr("'drawn' with a list that is not empty"));
  EXPECT_THAT(message("[A]\nb = { right = \"none\", drawn = \"\" }\n"),
              HasSubstr("'drawn' with a text that is not empty"));
}

}  // namespace
}  // namespace watchproof
