// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/testing/call_table.h"

namespace watchproof {
namespace {

constexpr std::int64_t kTheMember = 88;

Message HeaderOfMember(std::int64_t revision, std::int64_t term = 3) {
  return Message().Nested(
      1, Message().Number(1, 77).Number(2, kTheMember).Number(3, revision).Number(4, term));
}
// What a member that is alone and well reports.
struct StatusFields {
  std::string version = "3.6.16";
  std::int64_t size = 100;
  std::int64_t leader = kTheMember;
  std::int64_t index = 9;
  std::int64_t term = 3;
  std::int64_t header_term = 3;
  std::int64_t applied = 9;
  std::vector<std::string> errors = {};
  std::int64_t in_use = 60;
  bool learner = false;
  std::string storage = "3.6.0";
  std::int64_t quota = 1000;
  Message downgrade = {};
  Message message() const {
    Message status = HeaderOfMember(1, header_term);
    status.Text(2, version).Number(3, size).Optional(4, leader).Number(5, index).Number(6, term);
    status.Optional(7, applied);
    for (const std::string& error : errors) status.Text(8, error);
    status.Number(9, in_use).Optional(10, learner ? 1 : 0).OptionalText(11, storage);
    return status.Number(12, quota).Nested(13, downgrade);
  }
};
CallScript AsksStatus(CallScript script, const StatusFields& answer = {}) {
  return script.Do(Method::kStatus, Message(), answer.message());
}
// After the first status, which is as it should be.
CallScript ThenReports(const StatusFields& answer) {
  return AsksStatus(AsksStatus(CallScript(0)), answer);
}
// After it has answered a read.
CallScript AgreedThen(const StatusFields& answer) {
  return AsksStatus(CallScript(0).Do(Method::kRange, GetOf("k"), HeaderOfMember(1)), answer);
}
CallScript ThenKilled(CallScript script) {
  const FaultReported kill{
      .fault = "kill/1", .phase = "armed", .fired = true, .ends_streams = "every"};
  FaultReported healed = kill;
  healed.phase = "healed";
  return script.Fault(kill).Fault(healed);
}
Message Downgradable(const std::string& version) { return Message().Number(1, 1).Text(2, version); }
CallScript AsksDowngrade(CallScript script, std::int64_t action, const std::string& version) {
  return script.Do(Method::kDowngrade, Message().Optional(1, action).Text(2, "3.5.0"),
                   HeaderOfMember(1).OptionalText(2, version));
}
CallScript AsksDowngrade(std::int64_t action) {
  return AsksDowngrade(CallScript(0), action, "3.6");
}
CallScript CancelsDowngrade() { return AsksDowngrade(AsksDowngrade(1), 2, "3.6"); }
// After a status of a member of version 3.6.
CallScript ThenAsksDowngrade(const std::string& version) {
  return AsksDowngrade(AsksStatus(CallScript(0)), 0, version);
}

const std::vector<CallRow>& StatusRows() {
  static const std::vector<CallRow> kRows = {
      {"AsBefore", ThenReports({})},
      {"Further", ThenReports({.size = 200, .index = 12, .applied = 11, .in_use = 150})},
      {"AnotherVersion", ThenReports({.version = "3.6.15"}), {"Reported"}},
      {"AnotherVersionAfterAKill",
       AsksStatus(ThenKilled(AsksStatus(CallScript(0))), {.version = "3.6.15"})},
      {"AnotherQuota", ThenReports({.quota = 2000}), {"Reported"}},
      {"TheLogGoesBack", ThenReports({.index = 8, .applied = 8}), {"Reported"}},
      {"TheLogGoesBackAfterAKill",
       AsksStatus(ThenKilled(AsksStatus(CallScript(0))), {.index = 8, .applied = 8})},
      {"WhatIsCarriedOutGoesBack", ThenReports({.applied = 8}), {"Reported"}},
      {"CarriedOutButNotCommitted",
       AsksStatus(AsksStatus(CallScript(0), {.applied = 10}), {.applied = 10}),
       {"Reported"}},
      {"CommittedByTheNextStatus",
       AsksStatus(AsksStatus(CallScript(0), {.applied = 10}), {.index = 10, .applied = 10})},
      {"ATermBelowThatOfTheHeader", ThenReports({.term = 2}), {"Reported"}},
      {"ATermAboveThatOfTheHeader",
       AsksStatus(AsksStatus(CallScript(0), {.term = 4}), {.term = 4}),
       {"Reported"}},
      {"ALaterTerm", ThenReports({.term = 4, .header_term = 4})},
      {"AskedAgainBeforeTheAnswer",
       CallScript(0)
           .Begin(1, Method::kStatus, Message())
           .Do(Method::kStatus, Message(), StatusFields().message())
           .End(1, Method::kStatus, StatusFields{.index = 8, .applied = 8}.message())},
      {"MoreInUseThanThereIsOnce", AsksStatus(ThenReports({.in_use = 101}))},
      {"MoreInUseThanThereIs",
       AsksStatus(ThenReports({.in_use = 101}), {.in_use = 101}),
       {"Reported"}},
      {"NoLeader", AgreedThen({.leader = 0, .errors = {"etcdserver: no leader"}}), {"Reported"}},
      {"AnotherLeader", AgreedThen({.leader = 89}), {"Reported"}},
      {"NoLeaderYet",
       AsksStatus(CallScript(0), {.leader = 0, .errors = {"etcdserver: no leader"}})},
      {"NoLeaderWithoutAnError", AsksStatus(CallScript(0), {.leader = 0}), {"Reported"}},
      {"ALearnerThatAnswersReads", AgreedThen({.learner = true}), {"Reported"}},
      {"ALearner", AsksStatus(CallScript(0), {.learner = true})},
      {"AnErrorWithoutAnAlarm",
       ThenReports({.errors = {"memberID:1 alarm:NOSPACE "}}),
       {"Reported"}},
      {"StorageOfALaterVersion", ThenReports({.storage = "3.7.0"}), {"Reported"}},
      {"StorageOfAnEarlierVersion", ThenReports({.storage = "3.5.0"})},
      {"StorageOfNoVersion", ThenReports({.storage = "new"}), {"Reported"}},
      {"NoVersionOfStorage", ThenReports({.version = "3.6.16", .storage = ""})},
  };
  return kRows;
}
const std::vector<CallRow>& DowngradeRows() {
  static const std::vector<CallRow> kRows = {
      {"ADowngradeUnasked", ThenReports({.downgrade = Downgradable("3.5.0")}), {"Reported"}},
      {"ADowngradeThatWasChecked",
       AsksStatus(AsksDowngrade(0), {.downgrade = Downgradable("3.5.0")}),
       {"Reported"}},
      {"ADowngradeThatWasPermittedIsNotNamed", AsksStatus(AsksDowngrade(1)), {"Reported"}},
      {"ADowngradeThatWasPermittedIsNotNamedByOneWithoutStorage",
       AsksStatus(AsksDowngrade(1), {.storage = ""})},
      {"ADowngradeThatWasCancelled", AsksStatus(CancelsDowngrade())},
      {"ADowngradeThatWasCancelledIsNamed",
       AsksStatus(CancelsDowngrade(), {.downgrade = Downgradable("3.5.0")}),
       {"Reported"}},
      {"ADowngradeThatMayYetBePermittedIsNamed",
       AsksStatus(AsksDowngrade(CallScript(0).Lose(Method::kDowngrade,
                                                   Message().Number(1, 1).Text(2, "3.5.0")),
                                2, "3.6"),
                  {.downgrade = Downgradable("3.5.0")})},
      {"TheVersionOfTheCluster", ThenAsksDowngrade("3.6.0")},
      {"NoVersionOfTheCluster", ThenAsksDowngrade(""), {"Reported"}},
      {"AnotherVersionOfTheCluster", ThenAsksDowngrade("3.5"), {"Reported"}},
      {"ALowerVersionOfTheClusterWhileItIsPermitted",
       AsksDowngrade(AsksDowngrade(AsksStatus(CallScript(0)), 1, "3.6"), 0, "3.5")},
      {"ADowngradeThatWasPermitted",
       AsksStatus(AsksDowngrade(1), {.downgrade = Downgradable("3.5.0")})},
      {"ADowngradeToNothing",
       AsksStatus(AsksDowngrade(1), {.downgrade = Message().Number(1, 1)}),
       {"Reported"}},
      {"NoDowngradeToAVersion",
       ThenReports({.downgrade = Message().Text(2, "3.5.0")}),
       {"Reported"}},
  };
  return kRows;
}

Message OneAlarm(std::int64_t kind = 1, std::int64_t member = 0) {
  return Message().Optional(1, member).Number(2, kind);
}
Message AlarmsListed(const std::vector<Message>& alarms) {
  Message answer = HeaderOfMember(1);
  for (const Message& alarm : alarms) answer.Nested(2, alarm);
  return answer;
}
CallScript RaisedAlarm() {
  return CallScript(0).Do(Method::kAlarm, Message().Number(1, 1).Number(3, 1),
                          AlarmsListed({OneAlarm()}));
}
CallScript DisarmedAlarm() {
  return RaisedAlarm().Do(Method::kAlarm, Message().Number(1, 2).Number(3, 1),
                          AlarmsListed({OneAlarm()}));
}
CallScript ListsAlarms(CallScript script, const std::vector<Message>& alarms,
                       const Message& request = Message()) {
  return script.Do(Method::kAlarm, request, AlarmsListed(alarms));
}
const std::string kSpaceError = "memberID:0 alarm:NOSPACE ";

const std::vector<CallRow>& AlarmRows() {
  static const std::vector<CallRow> kRows = {
      {"NoneListed", ListsAlarms(CallScript(0), {})},
      {"OneThatWasNotRaised", ListsAlarms(CallScript(0), {OneAlarm()}), {"Reported"}},
      {"OneThatMayHaveBeenRaised",
       ListsAlarms(CallScript(0).Lose(Method::kAlarm, Message().Number(1, 1).Number(3, 1)),
                   {OneAlarm()})},
      {"OneBeyondAQuota",
       ListsAlarms(CallScript(0).Annotate(StoreLimits{.space = 1000}), {OneAlarm()})},
      {"TheOneThatWasRaised", ListsAlarms(RaisedAlarm(), {OneAlarm()})},
      {"OfAnotherMember", ListsAlarms(RaisedAlarm(), {OneAlarm(1, 5)}), {"Reported"}},
      {"NotListed", ListsAlarms(RaisedAlarm(), {}), {"Reported"}},
      {"NotListedAfterAKill", ListsAlarms(ThenKilled(RaisedAlarm()), {}), {"Reported"}},
      {"NotListedWhileItIsRaised",
       ListsAlarms(CallScript(0).Begin(1, Method::kAlarm, Message().Number(1, 1).Number(3, 1)),
                   {})},
      {"ListedAmongAnotherKind",
       ListsAlarms(RaisedAlarm(), {OneAlarm()}, Message().Number(3, 2)),
       {"Reported"}},
      {"NoneOfAnotherKind", ListsAlarms(RaisedAlarm(), {}, Message().Number(3, 2))},
      {"OfAForeignMember", ListsAlarms(RaisedAlarm(), {}, Message().Number(2, 5).Number(3, 1))},
      {"ListedOnceDisarmed", ListsAlarms(DisarmedAlarm(), {OneAlarm()}), {"Reported"}},
      {"AmongTheErrors", AsksStatus(RaisedAlarm(), {.errors = {kSpaceError}})},
      {"NotAmongTheErrors", AsksStatus(RaisedAlarm()), {"Reported"}},
      {"AmongNoErrorsOfAReleaseWithoutThem", AsksStatus(RaisedAlarm(), {.applied = 0})},
      {"AmongTheErrorsOnceDisarmed",
       AsksStatus(DisarmedAlarm(), {.errors = {kSpaceError}}),
       {"Reported"}},
      {"NotAmongTheErrorsOnceDisarmed", AsksStatus(DisarmedAlarm())},
      {"OfARestoredStore",
       ListsAlarms(RaisedAlarm().Annotate(Restored{.saved = 1, .revision = 1}), {})},
  };
  return kRows;
}

Message HashAnswer(std::int64_t up_to, std::int64_t compacted = -1) {
  return HeaderOfMember(5).Number(2, 7).Number(3, compacted).Optional(4, up_to);
}
CallScript AsksHash(std::int64_t at, const Message& answer) {
  return CallScript(0).Do(Method::kHashKv, Message().Optional(1, at), answer);
}
Message ListedFellow(const std::string& name, const std::string& peer = "p", bool learner = false,
                     const std::string& client = "c") {
  return Message()
      .Number(1, 5)
      .OptionalText(2, name)
      .Text(3, peer)
      .OptionalText(4, client)
      .Optional(5, learner ? 1 : 0);
}
CallScript TwoListsOf(const Message& first, const Message& second) {
  const auto list = [](const Message& one) {
    return Message()
        .Nested(1, Message().Number(1, 77).Number(2, kTheMember).Number(4, 3))
        .Nested(2, one);
  };
  return CallScript(0)
      .Do(Method::kMemberList, Message(), list(first))
      .Do(Method::kMemberList, Message(), list(second));
}

// A learner at q.
CallScript Adds(const Message& listed) {
  return CallScript(0).Do(
      Method::kMemberAdd, Message().Text(1, "q").Number(2, 1),
      HeaderOfMember(0).Nested(2, ListedFellow("", "q", true)).Nested(3, listed));
}
CallScript Saves(const std::string& version, const std::string& blob) {
  return AsksStatus(CallScript(0))
      .Do(Method::kSnapshot, Message(),
          Message().Number(2, 9).OptionalText(3, blob).OptionalText(4, version));
}

const std::vector<CallRow>& ListRows() {
  static const std::vector<CallRow> kRows = {
      {"AHashOfThePresent", AsksHash(0, HashAnswer(5))},
      {"AHashOfThePresentThatIsOld", AsksHash(0, HashAnswer(4)), {"Reported"}},
      {"AHashOfThePast", AsksHash(3, HashAnswer(3, 2))},
      {"AHashOfAnotherRevision", AsksHash(3, HashAnswer(5)), {"Reported"}},
      {"AHashThatSaysNothing", AsksHash(3, HashAnswer(0))},
      {"AHashOfWhatIsCompacted", AsksHash(3, HashAnswer(3, 4)), {"Reported"}},
      {"AMemberAsBefore", TwoListsOf(ListedFellow("m"), ListedFellow("m"))},
      {"AMemberThatHasStarted", TwoListsOf(ListedFellow("", "p", false, ""), ListedFellow("m"))},
      {"AnotherName", TwoListsOf(ListedFellow("m"), ListedFellow("n")), {"Reported"}},
      {"AnotherPlace", TwoListsOf(ListedFellow("m"), ListedFellow("m", "q")), {"Reported"}},
      {"AnotherPlaceForClients",
       TwoListsOf(ListedFellow("m"), ListedFellow("m", "p", false, "d")),
       {"Reported"}},
      {"AMemberThatWasAdded", Adds(ListedFellow("", "q", true))},
      {"AMemberThatWasAddedButNotListed", Adds(ListedFellow("", "p", true)), {"Reported"}},
      {"AMemberThatWasAddedWithAVote", Adds(ListedFellow("", "q", false)), {"Reported"}},
      {"ASnapshot", Saves("3.6.0", "data")},
      {"ASnapshotOfAnEarlierRelease", Saves("", "data")},
      {"ASnapshotOfALaterVersion", Saves("3.7.0", "data"), {"Reported"}},
      {"ASnapshotOfNoVersion", Saves("new", "data"), {"Reported"}},
      {"ASnapshotOfNothing", Saves("3.6.0", ""), {"Reported"}},
      {"ALearnerMoves", TwoListsOf(ListedFellow("", "p", true), ListedFellow("", "q", true))},
  };
  return kRows;
}

INSTANTIATE_TEST_SUITE_P(Status, CallTable, testing::ValuesIn(StatusRows()), CallRowName);
INSTANTIATE_TEST_SUITE_P(Downgrades, CallTable, testing::ValuesIn(DowngradeRows()), CallRowName);
INSTANTIATE_TEST_SUITE_P(Alarms, CallTable, testing::ValuesIn(AlarmRows()), CallRowName);
INSTANTIATE_TEST_SUITE_P(Lists, CallTable, testing::ValuesIn(ListRows()), CallRowName);

// Others may restart a server that was there before, and downgrade it, and raise its alarms.
TEST(Reported, OfAServerThatOthersUseOnlyWhatAgreesWithItself) {
  const auto found = [](const CallScript& script) {
    Judge judge({.members = 0});
    for (const NumberedEntry& line : script.lines()) judge.Consume(line);
    return judge.Finish().findings.size();
  };
  EXPECT_EQ(found(ThenReports({.version = "3.6.15", .downgrade = Downgradable("3.5.0")})), 0U);
  EXPECT_EQ(found(ThenReports({.errors = {kSpaceError}})), 0U);
  EXPECT_EQ(found(ListsAlarms(CallScript(0), {OneAlarm()})), 0U);
  EXPECT_EQ(found(ThenReports({.storage = "3.7.0"})), 1U);
}

// Members of a cluster may carry out that an alarm is raised later, and have another leader.
TEST(Reported, AMemberOfAClusterNeedNotLeadNorKnowTheAlarms) {
  const auto found = [](const CallScript& script) {
    Judge judge({.members = 3});
    for (const NumberedEntry& line : script.lines()) judge.Consume(line);
    return judge.Finish().findings.size();
  };
  EXPECT_EQ(found(AgreedThen({.leader = 89})), 0U);
  EXPECT_EQ(found(AsksStatus(RaisedAlarm())), 0U);
  EXPECT_EQ(found(ThenReports({.index = 8, .applied = 8})), 1U);
}

}  // namespace
}  // namespace watchproof
