// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/testing/call_table.h"

namespace watchproof {
namespace {

Message Named(std::uint64_t term, std::uint64_t member = 88) {
  return Message().Nested(1, Message()
                                 .Number(1, 77)
                                 .Number(2, static_cast<std::int64_t>(member))
                                 .Number(3, 1)
                                 .Number(4, static_cast<std::int64_t>(term)));
}
CallScript Answers(CallScript script, const Message& header) {
  return script.Do(Method::kRange, GetOf("k"), header);
}
CallScript First(const Message& header = Named(3)) { return Answers(CallScript(0), header); }

// A watch names cluster, member and term.
CallScript Watched() { return CallScript(0).OpenWatch("proxied").Sees(Named(3).Number(3, 1)); }
CallScript PutsFirst() { return CallScript().Put("k", "v", 2); }
// After a put with revision 2.
CallScript Keeps(std::int64_t revision) {
  return PutsFirst().Do(Method::kLeaseKeepAlive, Message().Number(1, 7),
                        Reported(revision).Number(2, 7));
}

const std::vector<CallRow>& Rows() {
  static const std::vector<CallRow> kRows = {
      {"ALaterTerm", Answers(First(), Named(4))},
      {"AnEarlierTerm", Answers(First(), Named(2)), {"Headers"}},
      {"AnEarlierTermToAnotherClient", Answers(First().As("b"), Named(2)), {"Headers"}},
      {"AnEarlierTermOfAnotherMember", Answers(First().As("b"), Named(2, 89))},
      {"AnEarlierTermThatWasAskedForBefore", CallScript(0)
                                                 .Begin(1, Method::kRange, GetOf("k"))
                                                 .Do(Method::kRange, GetOf("k"), Named(3))
                                                 .End(1, Method::kRange, Named(2))},
      {"ACallAboutLeasesWithoutItsRevision", Keeps(0), {"Headers"}},
      {"ACallAboutLeasesWithTheRevisionOfAPut", Keeps(2)},
      {"ACallThatNamesWhatAWatchNames", Answers(Watched(), Named(3))},
      {"ACallThatNamesNoTerm", Answers(Watched(), Named(0)), {"Headers"}},
      {"ACallThatNamesNoMember", Answers(Watched(), Named(3, 0)), {"Headers"}},
      {"AWatchThatNamesNoMember",
       First().OpenWatch("proxied").Sees(Named(3).Number(3, 1)).Sees(Named(3, 0)),
       {"Headers", "Bookmarkable"}},
      {"ACallThatNamesNothingWhereNoWatchDoes", Answers(CallScript(0), Named(0, 0))},
      {"ACallAboutUsersThatNamesNoMember",
       Watched().Do(Method::kUserList, Message(), Named(3, 0)),
       {"Headers"}},
      {"AStatusThatNamesNoTerm",
       Watched().Do(Method::kStatus, Message(), Named(0).Number(4, 88)),
       {"Headers"}},
      {"ALockThatNamesNoMember",
       Watched().Do(Method::kLock, Message().Text(1, "l").Number(2, 7), Named(3, 0).Text(2, "l/7")),
       {"Headers"}},
      {"ACallOfAnOperatorThatEtcdAnswersWithoutAHeader",
       Watched().Do(Method::kDefragment, Message(), Message())},
      {"ACallOfAnOperatorThatEtcdAnswersWithAPartOfAHeader",
       Watched().Do(Method::kDefragment, Message(), Named(3, 0)),
       {"Headers"}},
      {"AlarmsWithoutAHeader",
       Watched().Do(Method::kAlarm, Message(), Message()).Do(Method::kAlarm, Message(), Message())},
      {"AlarmsWithoutAHeaderAfterOneWithIt",
       Watched().Do(Method::kAlarm, Message(), Named(3)).Do(Method::kAlarm, Message(), Message()),
       {"Headers"}},
      {"ACallOfAnOperatorWithoutItsRevision",
       PutsFirst().Do(Method::kAuthStatus, Message(), Reported(0)),
       {"Headers"}},
      {"ACallOfAnOperatorWithTheRevisionOfAPut",
       PutsFirst().Do(Method::kAuthStatus, Message(), Reported(2))},
      {"ACallOfAnotherClientWithoutItsRevision",
       PutsFirst().As("b").Do(Method::kAuthStatus, Message(), Reported(0)),
       {"Headers"}},
      {"TheListOfMembersHasNoRevision",
       PutsFirst().Do(Method::kMemberList, Message(), Reported(0))},
      {"AnotherMember", Answers(First(), Named(3, 89)), {"Headers"}},
      {"AnotherMemberAfterACallWithoutAnswer",
       Answers(First().Lose(Method::kPut, PutOf("k", "1")), Named(3, 89))},
  };
  return kRows;
}

std::size_t Found(const CallScript& script, int members) {
  Judge judge({.members = members});
  for (const NumberedEntry& line : script.lines()) judge.Consume(line);
  return judge.Finish().findings.size();
}

// Several members of a store that was there before may answer one client, but no other cluster.
TEST(HeadersOfCalls, OneMemberAnswersOnlyWhereItWasStartedForTheRun) {
  const auto found = [](const Message& header, int members) {
    return Found(Answers(First(), header), members);
  };
  const Message elsewhere = Message().Nested(1, Message().Number(1, 78).Number(2, 88).Number(3, 1));
  EXPECT_EQ(found(Named(3, 89), 1), 1U);
  EXPECT_EQ(found(Named(3, 89), 0), 0U);
  EXPECT_EQ(found(elsewhere, 0), 1U);
}

TEST(HeadersOfCalls, AnotherClientMayBeAnsweredByAMemberThatIsBehind) {
  const CallScript script = PutsFirst().As("b").Do(Method::kAuthStatus, Message(), Reported(1));
  EXPECT_EQ(Found(script, 1), 1U);
  EXPECT_EQ(Found(script, 3), 0U);
}

INSTANTIATE_TEST_SUITE_P(HeadersOfCalls, CallTable, testing::ValuesIn(Rows()), CallRowName);

}  // namespace
}  // namespace watchproof
