// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/server/services.h"

#include "embedded_store/backend/backend_fixture.h"
#include "embedded_store/server/server_fixture.h"
#include "embedded_store/server/wire_client_fixture.h"

namespace watchproof::store {
namespace {

using Pieces = std::vector<pb::RangeResponse>;

class RangeStream : public ServerTest {
 protected:
  explicit RangeStream(const StoreOptions& options = {}) : ServerTest(options) {}

  void PutMany(int keys, const std::string& value = "v") {
    for (int i = 0; i < keys; ++i) Put(fmt::format("k{:03}", i), value);
  }
  static pb::RangeRequest All(std::int64_t limit = 0) {
    pb::RangeRequest request;
    request.set_key("k");
    request.set_range_end("l");
    request.set_limit(limit);
    return request;
  }
  // `between` is called after the first piece has come.
  Pieces Read(
      const pb::RangeRequest& request, const std::function<void()>& between = [] {}) {
    grpc::ClientContext context;
    context.set_wait_for_ready(true);
    context.set_deadline(std::chrono::system_clock::now() + 20s);
    const auto stream = kv_->RangeStream(&context, request);
    Pieces pieces;
    pb::RangeStreamResponse piece;
    while (stream->Read(&piece)) {
      pieces.push_back(piece.range_response());
      if (pieces.size() == 1) between();
    }
    status_ = stream->Finish();
    return pieces;
  }
  // What the pieces come to, and the one answer without them.
  void ExpectAsRange(const pb::RangeRequest& request) {
    WireClient client(server_->endpoint());
    const auto whole = client.Range(request);
    const auto merged = client.RangeStream(request);
    EXPECT_EQ(merged.text(), whole.text());
    EXPECT_EQ(merged.body.DebugString(), whole.body.DebugString()) << request.DebugString();
  }

  grpc::Status status_;
};

TEST_F(RangeStream, AddsUpToTheRange) {
  PutMany(47);
  ASSERT_TRUE(Compact(10).ok());
  for (const std::int64_t limit : {0, 1, 9, 10, 11, 30, 46, 47, 48, 1000})
    ExpectAsRange(All(limit));
  pb::RangeRequest request = All();
  request.set_revision(20);
  ExpectAsRange(request);
  request.set_keys_only(true);
  ExpectAsRange(request);
  request.set_count_only(true);
  ExpectAsRange(request);
  request = All();
  request.set_key("nothing");
  ExpectAsRange(request);
  request.set_revision(5);
  ExpectAsRange(request);
  request.set_revision(1000);
  ExpectAsRange(request);
  request.set_key("");
  ExpectAsRange(request);
}

TEST_F(RangeStream, SortsByAnotherTargetThanTheKey) {
  for (const char* key : {"k3", "k1", "k2"}) Put(key, "v");
  for (int i = 30; i > 10; --i) Put(fmt::format("k{}", i), "v");
  pb::RangeRequest request = All();
  request.set_sort_target(pb::RangeRequest::CREATE);
  ExpectAsRange(request);
  request.set_limit(12);
  ExpectAsRange(request);
}

TEST_F(RangeStream, EndsWithHeaderAndCount) {
  PutMany(30);
  const Pieces pieces = Read(All(15));
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_EQ(pieces[0].kvs_size(), 10);
  EXPECT_FALSE(pieces[0].has_header());
  EXPECT_FALSE(pieces[0].more());
  EXPECT_EQ(pieces[0].count(), 0);
  EXPECT_EQ(pieces[1].kvs_size(), 5);
  EXPECT_EQ(pieces[1].header().revision(), 31);
  EXPECT_NE(pieces[1].header().member_id(), 0U);
  EXPECT_TRUE(pieces[1].more());
  EXPECT_EQ(pieces[1].count(), 30);
}

TEST_F(RangeStream, IsOfOneRevision) {
  // More than gRPC takes ahead of a client that does not read.
  PutMany(300, std::string(100'000, 'v'));
  const Pieces pieces = Read(All(), [&] {
    Put("k299", "new");
    Put("k999", "new");
  });
  ASSERT_TRUE(status_.ok()) << status_.error_message();
  ASSERT_GT(pieces.size(), 10U);
  EXPECT_EQ(pieces.back().header().revision(), 301);
  EXPECT_EQ(pieces.back().count(), 300);
  const auto& last = pieces.back().kvs(pieces.back().kvs_size() - 1);
  EXPECT_EQ(last.key(), "k299");
  EXPECT_EQ(last.mod_revision(), 301);
  for (const auto& piece : pieces) EXPECT_LE(piece.ByteSizeLong(), 4 * kMaxRequestBytes);
}

TEST_F(RangeStream, IsCutShortByACompaction) {
  PutMany(300, std::string(100'000, 'v'));
  Read(All(), [&] {
    const std::int64_t now = Put("k000", "new");
    ASSERT_TRUE(Compact(now).ok());
  });
  EXPECT_EQ(status_.error_message(), "etcdserver: mvcc: required revision has been compacted");
}

TEST_F(RangeStream, RefusesOrdersAndBounds) {
  pb::RangeRequest request = All();
  request.set_sort_target(pb::RangeRequest::CREATE);
  request.set_sort_order(pb::RangeRequest::ASCEND);
  EXPECT_THAT(Read(request), testing::IsEmpty());
  EXPECT_EQ(status_.error_code(), grpc::UNIMPLEMENTED);
  request = All();
  request.set_max_mod_revision(7);
  EXPECT_THAT(Read(request), testing::IsEmpty());
  EXPECT_EQ(status_.error_code(), grpc::UNIMPLEMENTED);
}

TEST_F(RangeStream, EndsWithTheServerOrTheClient) {
  PutMany(300, std::string(100'000, 'v'));
  grpc::ClientContext context;
  const auto stream = kv_->RangeStream(&context, All());
  pb::RangeStreamResponse piece;
  ASSERT_TRUE(stream->Read(&piece));
  grpc::ClientContext left;
  {
    const auto abandoned = kv_->RangeStream(&left, All());
    ASSERT_TRUE(abandoned->Read(&piece));
    left.TryCancel();
    EXPECT_EQ(abandoned->Finish().error_code(), grpc::CANCELLED);
  }
  server_->Stop();
  while (stream->Read(&piece)) continue;
  EXPECT_FALSE(stream->Finish().ok());
}

struct WithFolder {
  const TemporaryFolder folder_;
};
class DurableRangeStream : WithFolder, public RangeStream {
 protected:
  DurableRangeStream() : RangeStream(Over(folder_.path())) {}
  static StoreOptions Over(const std::filesystem::path& folder) {
    StoreOptions options;
    options.data = folder;
    return options;
  }
};

TEST_F(DurableRangeStream, AddsUpToTheRange) {
  PutMany(47);
  ExpectAsRange(All());
}

}  // namespace
}  // namespace watchproof::store
