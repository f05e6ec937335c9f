// SPDX-License-Identifier: Apache-2.0
// A running store server and a blocking client of it, over loopback.
//
// Not thread-safe. Test code only.
#pragma once

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <boost/asio.hpp>
#include <chrono>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "embedded_store/server/store_server.h"
#include "fixtures/protos/rpc.grpc.pb.h"
#include "harness/base/check.h"

namespace watchproof::store {

namespace pb = etcdserverpb;

// GET over HTTP/1.0; the whole answer, head and body.
inline std::string Fetch(const std::string& endpoint, const std::string& page) {
  boost::asio::ip::tcp::iostream stream;
  const auto colon = endpoint.find(':');
  stream.connect(endpoint.substr(0, colon), endpoint.substr(colon + 1));
  stream << "GET " << page << " HTTP/1.0\r\nHost: " << endpoint << "\r\n\r\n" << std::flush;
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

// One open watch stream. Reads only when Read is called.
class WatchClient {
 public:
  explicit WatchClient(const std::string& endpoint, const std::string& token = "") {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    // Probing would raise the window of a reader that means to stall.
    arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
    arguments.SetMaxReceiveMessageSize(-1);
    channel_ = grpc::CreateCustomChannel(endpoint, grpc::InsecureChannelCredentials(), arguments);
    stub_ = pb::Watch::NewStub(channel_);
    context_.set_wait_for_ready(true);
    if (!token.empty()) context_.AddMetadata("token", token);
    // A response that does not come within this ends the stream, and the test with it.
    context_.set_deadline(std::chrono::system_clock::now() + 20s);
    stream_ = stub_->Watch(&context_);
  }
  ~WatchClient() { Cancel(); }

  void Create(const std::string& key, std::int64_t start = 0, std::int64_t id = 0) {
    pb::WatchCreateRequest create;
    create.set_key(key);
    create.set_start_revision(start);
    create.set_watch_id(id);
    Create(create);
  }
  void Create(const pb::WatchCreateRequest& create) {
    pb::WatchRequest request;
    *request.mutable_create_request() = create;
    EXPECT_TRUE(stream_->Write(request));
  }
  void AskProgress() {
    pb::WatchRequest request;
    request.mutable_progress_request();
    EXPECT_TRUE(stream_->Write(request));
  }
  void CloseHalf() { EXPECT_TRUE(stream_->WritesDone()); }
  // Blocks until something comes; empty at the end of the stream.
  std::optional<pb::WatchResponse> Read() {
    pb::WatchResponse response;
    if (!stream_->Read(&response)) return std::nullopt;
    return response;
  }
  using Seen = std::vector<pb::WatchResponse>;
  // Reads until this many responses fit, and returns those.
  Seen ReadUntil(std::size_t count, const std::function<bool(const pb::WatchResponse&)>& fits) {
    Seen seen;
    while (seen.size() < count) {
      auto response = Read();
      if (!response) break;
      if (fits(*response)) seen.push_back(*std::move(response));
    }
    return seen;
  }
  grpc::Status Cancel() {
    if (!stream_) return last_;
    context_.TryCancel();
    while (Read()) continue;
    return Finish();
  }
  grpc::Status Finish() {
    last_ = stream_->Finish();
    stream_.reset();
    return last_;
  }

 private:
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<pb::Watch::Stub> stub_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<pb::WatchRequest, pb::WatchResponse>> stream_;
  grpc::Status last_;
};

class ServerTest : public testing::Test {
 protected:
  explicit ServerTest(const StoreOptions& chosen = {}) {
    StoreOptions options = chosen;
    options.port = 0;
    options.http_port = 0;
    auto started = StoreServer::Start(options);
    WP_CHECK(started.has_value(), "the server starts on free ports");
    server_ = *std::move(started);
    channel_ = grpc::CreateChannel(server_->endpoint(), grpc::InsecureChannelCredentials());
    kv_ = pb::KV::NewStub(channel_);
  }
  std::int64_t Put(const std::string& key, const std::string& value) {
    grpc::ClientContext context;
    context.set_wait_for_ready(true);
    pb::PutRequest request;
    request.set_key(key);
    request.set_value(value);
    pb::PutResponse response;
    const grpc::Status status = kv_->Put(&context, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response.header().revision();
  }
  grpc::Status Compact(std::int64_t revision) {
    grpc::ClientContext context;
    context.set_wait_for_ready(true);
    pb::CompactionRequest request;
    request.set_revision(revision);
    pb::CompactionResponse response;
    return kv_->Compact(&context, request, &response);
  }
  std::int64_t Metric(const std::string& name) {
    const std::string page = Fetch(server_->http_endpoint(), "/metrics");
    const auto at = page.find("\n" + name + " ");
    WP_CHECK(at != std::string::npos, "the page has this metric");
    return std::stoll(page.substr(at + name.size() + 2));
  }
  // Polls the metrics page until the number is as wanted.
  bool AwaitMetric(const std::string& name, const std::function<bool(std::int64_t)>& wanted) {
    const Deadline deadline(10s);
    while (!deadline.expired()) {
      if (wanted(Metric(name))) return true;
    }
    return false;
  }

  std::unique_ptr<StoreServer> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<pb::KV::Stub> kv_;
};

}  // namespace watchproof::store
