// SPDX-License-Identifier: Apache-2.0
// Each request as a statement of Go, with every field that it may have.
#include "harness/explore/live/go_requests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/explore/live/go_frame.h"
#include "harness/history/requests.h"
#include "harness/history/wire_writer.h"

namespace watchproof::explore {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

template <typename Request>
std::string CallOf(Method method, const Request& request) {
  return GoStatement(method, ToMessage(request).bytes());
}

TEST(GoStatement, APutHasItsOptions) {
  EXPECT_EQ(CallOf(Method::kPut, PutRequest{.key = "k", .value = "v"}),
            R"(show(kv.Put(ctx, &pb.PutRequest{Key: []byte("k"), Value: []byte("v")})))");
  EXPECT_EQ(
      CallOf(
          Method::kPut,
          PutRequest{
              .key = "k", .lease = 7, .previous = true, .keeps_value = true, .keeps_lease = true}),
      R"(show(kv.Put(ctx, &pb.PutRequest{Key: []byte("k"), Lease: 7, PrevKv: true, )"
      R"(IgnoreValue: true, IgnoreLease: true})))");
  EXPECT_EQ(CallOf(Method::kPut, PutRequest{}), "show(kv.Put(ctx, &pb.PutRequest{}))");
}

TEST(GoStatement, AReadHasItsOptions) {
  const std::string read = CallOf(Method::kRange, ReadRequest{.key = "a",
                                                              .range_end = "b",
                                                              .limit = 2,
                                                              .revision = Revision(3),
                                                              .serializable = true,
                                                              .count_only = true,
                                                              .keys_only = true,
                                                              .order = ReadRequest::Order::kDescend,
                                                              .sort_by = ReadRequest::By::kMod,
                                                              .min_mod = Revision(4),
                                                              .max_mod = Revision(5),
                                                              .min_create = Revision(6),
                                                              .max_create = Revision(7)});
  for (const char* field :
       {R"(Key: []byte("a"))", R"(RangeEnd: []byte("b"))", "Limit: 2", "Revision: 3",
        "Serializable: true", "CountOnly: true", "KeysOnly: true", "MinModRevision: 4",
        "MaxModRevision: 5", "MinCreateRevision: 6", "MaxCreateRevision: 7"}) {
    EXPECT_THAT(read, HasSubstr(field));
  }
}

TEST(GoStatement, OtherCallsAreThoseOfTheirService) {
  EXPECT_EQ(CallOf(Method::kDeleteRange, DeleteRequest{.key = "a", .previous = true}),
            R"(show(kv.DeleteRange(ctx, &pb.DeleteRangeRequest{Key: []byte("a"), PrevKv: true})))");
  EXPECT_EQ(GoStatement(Method::kCompact, CompactionAt(Revision(7)).bytes()),
            "show(kv.Compact(ctx, &pb.CompactionRequest{Revision: 7}))");
  EXPECT_EQ(GoStatement(Method::kLeaseLeases, ""),
            "show(lease.LeaseLeases(ctx, &pb.LeaseLeasesRequest{}))");
  EXPECT_EQ(GoStatement(Method::kLeaseRevoke, LeaseOf(7).bytes()),
            "show(lease.LeaseRevoke(ctx, &pb.LeaseRevokeRequest{ID: 7}))");
}

TEST(GoStatement, AWatchHasItsOptions) {
  const auto asked = [](const WatchCreate& watch) {
    return GoStatement(StreamId(2), CreateRequest(watch).bytes());
  };
  EXPECT_EQ(asked({.key = "k"}), R"(create(2, &pb.WatchCreateRequest{Key: []byte("k")}))");
  EXPECT_EQ(asked({.key = "a",
                   .range_end = "b",
                   .start = Revision(3),
                   .id = WatchId(4),
                   .options = {.prev_kv = true,
                               .progress_notify = true,
                               .fragment = true,
                               .no_put = true,
                               .no_delete = true}}),
            R"(create(2, &pb.WatchCreateRequest{Key: []byte("a"), RangeEnd: []byte("b"), )"
            R"(StartRevision: 3, WatchId: 4, PrevKv: true, ProgressNotify: true, Fragment: true, )"
            R"(Filters: []pb.WatchCreateRequest_FilterType{pb.WatchCreateRequest_NOPUT, )"
            R"(pb.WatchCreateRequest_NODELETE}}))");
}

TEST(GoStatement, WhatCannotBeReadIsAComment) {
  for (const Method method : {Method::kPut, Method::kTxn, Method::kLeaseRevoke, Method::kNone}) {
    EXPECT_EQ(GoStatement(method, "\x0f"), "// a request that cannot be read");
  }
  EXPECT_EQ(GoStatement(StreamId(1), "\x0f"), "// a request that cannot be read");
  EXPECT_EQ(GoStatement(StreamId(1), ""), "// a request that cannot be read");
}

TEST(GoString, IsAStringOfGo) {
  struct Row {
    std::string text;
    const char* go;
  };
  for (const Row& row : {Row{"", R"("")"}, Row{"a/1", R"("a/1")"}, Row{"\"\\", R"("\"\\")"},
                         Row{std::string("\0\n\xff", 3), R"("\x00\x0a\xff")"},
                         Row{std::string(23, 'x'), R"("xxxxxxxxxxxxxxxxxxxxxxx")"},
                         Row{std::string(24, 'x'), R"(strings.Repeat("x", 24))"},
                         Row{"y" + std::string(30, '\0'), R"("y" + strings.Repeat("\x00", 30))"}}) {
    EXPECT_EQ(GoString(row.text), row.go);
  }
}

// The rest of the program.

TEST(GoFrame, HoldsTheBodyAndWhatItCalls) {
  const std::string program = GoFrame("\topen(1, ctx)\n\tend(false)\n", false);
  EXPECT_THAT(program, AllOf(testing::StartsWith("package main\n"),
                             HasSubstr("\topen(1, ctx)\n\tend(false)\n")));
  for (const char* function :
       {"open",  "create",     "cancel",  "askProgress", "closeStream", "await",   "allow",
        "show",  "end",        "soFar",   "noMore",      "only",        "came",    "ended",
        "alive", "isOf",       "fill",    "restart",     "keepAlive",   "ofWatch", "linesOf",
        "endOf", "isCreation", "isBound", "progressFrom"}) {
    EXPECT_THAT(program, HasSubstr(fmt::format("func {}(", function)));
  }
  EXPECT_EQ(std::ranges::count(program, '{'), std::ranges::count(program, '}'));
  EXPECT_EQ(program.find("func main()"), program.rfind("func main()"));
}

// Go refuses an import that is not used.
TEST(GoFrame, UsersAreThereWhereTheBodyHasThem) {
  const std::string plain = GoFrame("", false), users = GoFrame("", true);
  for (const char* word : {"func permit(", "asReader", "etcd/api/v3/authpb", "grpc/metadata"}) {
    EXPECT_THAT(plain, Not(HasSubstr(word)));
    EXPECT_THAT(users, HasSubstr(word));
  }
  EXPECT_EQ(std::ranges::count(users, '{'), std::ranges::count(users, '}'));
}

}  // namespace
}  // namespace watchproof::explore
