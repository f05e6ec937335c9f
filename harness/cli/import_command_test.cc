// SPDX-License-Identifier: Apache-2.0
// Reports as etcd's robustness tests leave them, imported and judged through the executable.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/cli/testing/scripted_run.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

// What Go makes of structures: embedded ones are flat, what is empty may be null or missing.
Json Value(const std::string& text) { return {{"Value", text}}; }
// The hash of "a value of more than twenty bytes".
const Json kHashedValue = {{"Hash", 684236440U}};
const std::string kLongValue = "a value of more than twenty bytes";

Json PutOperation(const std::string& key, const Json& value, std::int64_t lease = 0) {
  return {{"Type", "put-operation"},
          {"Range", {{"Start", ""}, {"End", ""}, {"Limit", 0}}},
          {"Put", {{"Key", key}, {"Value", value}, {"LeaseID", lease}}},
          {"Delete", {{"Key", ""}}}};
}
Json DeleteOperation(const std::string& key) {
  return {{"Type", "delete-operation"}, {"Delete", {{"Key", key}}}};
}
Json TxnOf(Json operations, Json conditions = nullptr) {
  return {{"Type", "txn"},
          {"LeaseGrant", nullptr},
          {"Txn",
           {{"Conditions", std::move(conditions)},
            {"OperationsOnSuccess", std::move(operations)},
            {"OperationsOnFailure", nullptr}}}};
}
Json RangeOf(const std::string& start, const std::string& end) {
  return {{"Type", "range"}, {"Range", {{"Start", start}, {"End", end}, {"Revision", 0}}}};
}
Json TxnAnswer(std::int64_t revision, std::int64_t deleted = 0, bool failure = false) {
  const Json result = {{"KVs", nullptr}, {"Count", 0}, {"Deleted", deleted}};
  const Json results = failure ? Json(nullptr) : Json::array({result});
  return {{"Txn", {{"Failure", failure}, {"Results", results}}},
          {"Revision", revision},
          {"member-id", "8e9e05c52164694d"},
          {"Error", ""}};
}
Json KeyOf(const std::string& key, const Json& value, std::int64_t revision) {
  return {{"Key", key}, {"Value", value}, {"ModRevision", revision}, {"Version", 1}};
}
Json RangeAnswer(std::int64_t revision, Json kvs) {
  const std::size_t count = kvs.size();
  return {{"Range", {{"KVs", std::move(kvs)}, {"Count", count}}}, {"Revision", revision}};
}
Json PutEvent(const std::string& key, const Json& value, std::int64_t revision, bool creates) {
  return {{"Type", "put-operation"},
          {"Key", key},
          {"Value", value},
          {"Revision", revision},
          {"IsCreate", creates}};
}
Json DeleteEvent(const std::string& key, std::int64_t revision) {
  return {{"Type", "delete-operation"},
          {"Key", key},
          {"Value", Json::object()},
          {"Revision", revision}};
}
Json Previous(Json event, const Json& value, std::int64_t revision) {
  event["PrevValue"] = {{"Value", value}, {"ModRevision", revision}};
  return event;
}

// The reports of one test; calls and responses are one microsecond apart.
class Reports {
 public:
  Reports() { Call(RangeOf("", std::string(1, '\0')), RangeAnswer(1, Json::array())); }

  Reports& Call(Json input, Json output, int client = 1) {
    calls_[client] += Json{{"ClientId", client},
                           {"Input", std::move(input)},
                           {"Call", ++now_ * 1000},
                           {"Output", std::move(output)},
                           {"Return", now_ * 1000 + 500}}
                          .dump(2) +
                      "\n";
    return *this;
  }
  Reports& Put(const std::string& key, const Json& value, std::int64_t revision) {
    return Call(TxnOf({PutOperation(key, value)}), TxnAnswer(revision));
  }
  // All keys by default.
  Reports& Watch(std::int64_t start, const Json& more = Json::object()) {
    watch_ = {
        {"Request",
         {{"Key", ""}, {"Revision", start}, {"WithPrefix", true}, {"WithProgressNotify", true}}},
        {"Responses", Json::array()}};
    watch_["Request"].update(more);
    return *this;
  }
  Reports& Reported(std::int64_t revision, Json events) {
    return Respond(revision, "Events", events);
  }
  Reports& Progress(std::int64_t revision) { return Respond(revision, "IsProgressNotify", true); }
  Reports& Error(const std::string& text) { return Respond(0, "Error", text); }
  // The watch is complete.
  Reports& Done(int client = 2) {
    watches_[client] += watch_.dump(2) + "\n";
    return *this;
  }

  fs::path Leave() const {
    const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
    const fs::path folder = fs::path(testing::TempDir()) / "watchproof-imports" / test->name();
    fs::remove_all(folder);
    for (const auto& [client, text] : calls_) Write(folder, client, "operations.json", text);
    for (const auto& [client, text] : watches_) Write(folder, client, "watch.json", text);
    return folder;
  }

 private:
  Reports& Respond(std::int64_t revision, const char* field, const Json& value) {
    watch_["Responses"].push_back(
        {{"Revision", revision}, {"Time", ++now_ * 1000}, {field, value}});
    return *this;
  }
  static void Write(const fs::path& folder, int client, const char* file, const std::string& text) {
    const fs::path mine = folder / ("client-" + std::to_string(client));
    fs::create_directories(mine);
    std::ofstream(mine / file) << text;
  }

  std::int64_t now_ = 0;
  Json watch_;
  std::map<int, std::string> calls_;
  std::map<int, std::string> watches_;
};

std::string Import(const fs::path& folder, int expected) {
  ScriptedRun run = ScriptedRun::Command(
      {"history", "import", folder.string(), (folder / "history.wire.zst").string()});
  EXPECT_EQ(run.Wait(), expected) << run.output();
  return run.output();
}
std::string Judge(const Reports& reports, int expected) {
  const fs::path folder = reports.Leave();
  Import(folder, 0);
  ScriptedRun run = ScriptedRun::Command({"check", folder.string()});
  EXPECT_EQ(run.Wait(), expected) << run.output();
  return run.output();
}
std::string Clean(const Reports& reports) {
  std::string output = Judge(reports, 0);
  EXPECT_THAT(output, AllOf(HasSubstr("clean"), testing::Not(HasSubstr("undecided")))) << output;
  return output;
}

Reports ThreeWrites() {
  return Reports().Put("a", Value("1"), 2).Put("b", kHashedValue, 3).Put("a", Value("2"), 4);
}

TEST(ImportedReports, PassIfEveryEventArrived) {
  Clean(ThreeWrites()
            .Call(RangeOf("a", "c"),
                  RangeAnswer(4, {KeyOf("a", Value("2"), 4), KeyOf("b", kHashedValue, 3)}))
            .Call(TxnOf({DeleteOperation("b")}), TxnAnswer(5, 1))
            .Watch(2, {{"WithPrevKV", true}})
            .Reported(3, {PutEvent("a", Value("1"), 2, true), PutEvent("b", kHashedValue, 3, true)})
            .Reported(5, {Previous(PutEvent("a", Value("2"), 4, false), Value("1"), 2),
                          Previous(DeleteEvent("b", 5), kHashedValue, 3)})
            .Progress(5)
            .Done());
}

TEST(ImportedReports, AreCounted) {
  EXPECT_THAT(Import(ThreeWrites().Watch(2).Done().Leave(), 0),
              HasSubstr("4 calls and 1 watches of 2 clients"));
}

TEST(ImportedReports, FailIfAnEventIsMissing) {
  EXPECT_THAT(Judge(ThreeWrites()
                        .Watch(2)
                        .Reported(2, {PutEvent("a", Value("1"), 2, true)})
                        .Reported(4, {PutEvent("a", Value("2"), 4, false)})
                        .Done(),
                    1),
              AllOf(HasSubstr("Reliable"), HasSubstr("put of \"b\" at revision 3")));
}

TEST(ImportedReports, FailIfProgressOvertakesAnEvent) {
  EXPECT_THAT(Judge(ThreeWrites()
                        .Watch(2)
                        .Reported(3, {PutEvent("a", Value("1"), 2, true),
                                      PutEvent("b", kHashedValue, 3, true)})
                        .Progress(4)
                        .Reported(4, {PutEvent("a", Value("2"), 4, false)})
                        .Done(),
                    1),
              HasSubstr("Bookmarkable"));
}

TEST(ImportedReports, FailIfAReadIsStale) {
  EXPECT_THAT(
      Judge(ThreeWrites().Call(RangeOf("a", ""), RangeAnswer(2, {KeyOf("a", Value("1"), 2)}), 7),
            1),
      AllOf(HasSubstr("Linearizable"), HasSubstr("client 7")));
}

TEST(ImportedReports, FailIfAnEventCreatesAnOldKey) {
  EXPECT_THAT(
      Judge(ThreeWrites().Watch(4).Reported(4, {PutEvent("a", Value("2"), 4, true)}).Done(), 1),
      AllOf(HasSubstr("Fields"), HasSubstr("which existed before")));
}

TEST(ImportedReports, FailIfThePreviousValueIsWrong) {
  const Json wrong = Previous(PutEvent("a", Value("2"), 4, false), Value("0"), 2);
  EXPECT_THAT(Judge(ThreeWrites().Watch(4, {{"WithPrevKV", true}}).Reported(4, {wrong}).Done(), 1),
              HasSubstr("PreviousValue"));
}

TEST(ImportedReports, FailIfErrCompactedHasNoReason) {
  EXPECT_THAT(Judge(ThreeWrites()
                        .Watch(2)
                        .Error("etcdserver: mvcc: required revision has been compacted")
                        .Done(),
                    1),
              AllOf(HasSubstr("CompactionSurfaced"), HasSubstr("no compaction was requested")));
}

TEST(ImportedReports, PassIfACompactionWasRequested) {
  Clean(ThreeWrites()
            .Call({{"Type", "compact"}, {"Compact", {{"Revision", 4}}}},
                  {{"Compact", Json::object()}, {"Revision", -1}})
            .Call({{"Type", "compact"}, {"Compact", {{"Revision", 3}}}},
                  {{"ClientError", "mvcc: required revision has been compacted"}})
            .Watch(2)
            .Error("etcdserver: mvcc: required revision has been compacted")
            .Done());
}

TEST(ImportedReports, PassIfARevokedLeaseDeletedItsKeys) {
  Clean(Reports()
            .Call({{"Type", "leaseGrant"}, {"LeaseGrant", {{"LeaseID", 77}}}},
                  {{"LeaseGrant", {{"LeaseID", 77}}}, {"Revision", 1}})
            .Call(TxnOf({PutOperation("a", Value("1"), 77)}), TxnAnswer(2))
            .Put("b", Value("1"), 3)
            .Call({{"Type", "leaseRevoke"}, {"LeaseRevoke", {{"LeaseID", 77}}}},
                  {{"LeaseRevoke", Json::object()}, {"Revision", 4}})
            .Put("b", Value("2"), 5)
            .Watch(2)
            .Reported(5, {PutEvent("a", Value("1"), 2, true), PutEvent("b", Value("1"), 3, true),
                          DeleteEvent("a", 4), PutEvent("b", Value("2"), 5, false)})
            .Done());
}

TEST(ImportedReports, AreUndecidedIfADeletionByRevocationIsUnknown) {
  const std::string output = Judge(
      Reports()
          .Call(TxnOf({PutOperation("a", Value("1"), 77)}), TxnAnswer(2))
          .Call({{"Type", "leaseRevoke"}, {"LeaseRevoke", {{"LeaseID", 77}}}}, {{"Error", "lost"}})
          .Put("b", Value("2"), 4)
          .Watch(2)
          .Reported(4, {PutEvent("a", Value("1"), 2, true), DeleteEvent("a", 3),
                        PutEvent("b", Value("2"), 4, true)})
          .Done(),
      2);
  EXPECT_THAT(output, HasSubstr("undecided: revision 3 may belong to one of 1 writes"));
}

TEST(ImportedReports, SettleAWriteWithoutAnAnswerFromAWatch) {
  Clean(Reports()
            .Call(TxnOf({PutOperation("a", Value("1"))}), {{"Error", "context deadline exceeded"}})
            .Put("b", Value("2"), 3)
            .Watch(2)
            .Reported(3, {PutEvent("a", Value("1"), 2, true), PutEvent("b", Value("2"), 3, true)})
            .Done());
}

// Also after the client has reconnected: a watch starts after the progress it had received.
TEST(ImportedReports, FailIfProgressGoesBack) {
  EXPECT_THAT(Judge(ThreeWrites()
                        .Watch(2)
                        .Reported(4, {PutEvent("a", Value("1"), 2, true),
                                      PutEvent("b", kHashedValue, 3, true),
                                      PutEvent("a", Value("2"), 4, false)})
                        .Progress(4)
                        .Progress(3)
                        .Done(),
                    1),
              AllOf(HasSubstr("Bookmarkable"), HasSubstr("progress of at least 4")));
}

TEST(ImportedReports, MatchAWholeValueWithItsHash) {
  Clean(Reports()
            .Call(TxnOf({PutOperation("a", Value(kLongValue))}), TxnAnswer(2))
            .Watch(2)
            .Reported(2, {PutEvent("a", kHashedValue, 2, true)})
            .Done());
}

TEST(ImportedReports, MissingReportsAreNamed) {
  EXPECT_THAT(Import(testing::TempDir(), 4), HasSubstr("expected folders client-1, client-2"));
  EXPECT_THAT(Import("/no/such/folder", 4), HasSubstr("/no/such/folder"));
}

std::string Refusal(const Reports& reports) { return Import(reports.Leave(), 4); }

TEST(ImportedReports, UnknownRequestIsNamed) {
  EXPECT_THAT(Refusal(Reports().Call({{"Type", "snapshot"}}, Json::object())),
              HasSubstr("client-1/operations.json, operation 2: Input.Type: 'snapshot' is none of "
                        "range, txn"));
}

TEST(ImportedReports, FieldOfAnotherVersionIsNamed) {
  EXPECT_THAT(
      Refusal(Reports().Watch(2, {{"WithFilter", true}}).Done()),
      HasSubstr("client-2/watch.json, watch 1: Request.WithFilter: this field is not known"));
}

TEST(ImportedReports, FieldOfAWrongTypeIsNamed) {
  EXPECT_THAT(Refusal(Reports().Put("a", Value("1"), 2).Watch(2).Reported(2, "all").Done()),
              HasSubstr("Responses[0].Events: expected a list, found \"all\""));
}

TEST(ImportedReports, TooFewResultsAreRejected) {
  EXPECT_THAT(Refusal(Reports().Call(TxnOf(Json::array()), TxnAnswer(2))),
              HasSubstr("operation 2: Output.Txn.Results: 1 results of 0 operations"));
}

TEST(ImportedReports, TruncatedReportsAreRejected) {
  const fs::path folder = ThreeWrites().Leave();
  const fs::path file = folder / "client-1" / "operations.json";
  fs::resize_file(file, fs::file_size(file) - 20);
  EXPECT_THAT(Import(folder, 4), HasSubstr("operations.json, operation 4: this is not JSON"));
}

}  // namespace
}  // namespace watchproof
