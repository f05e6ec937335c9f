// SPDX-License-Identifier: Apache-2.0
// Tables of refusals, each provoked over the wire and compared with etcd's code and text.
//
//   using Row = ErrorRow<WireClient>;
//   const Row kRows[] = {{"PutWithoutKey", grpc::INVALID_ARGUMENT, kEmptyKey, Provoke}};
//   TEST_P(Table, IsEtcds) { ExpectRefused(GetParam(), GetParam().provoke(*client_)); }
//   INSTANTIATE_TEST_SUITE_P(Put, Table, testing::ValuesIn(kRows), NameOfRow<Row>);
//
// Tests only. Not thread-safe. Ownership: an AskedServer owns the server that it starts.
#pragma once

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <ostream>
#include <string>

#include "embedded_store/server/store_server.h"
#include "harness/base/check.h"

namespace watchproof::store {

// Unknown sort orders are rejected since etcd 3.6; 3.5 does not sort, or crashes.
enum class Since { k35, k36 };

template <typename Asked>
struct ErrorRow {
  const char* name;
  grpc::StatusCode code;
  const char* text;  // null: not etcd's, but the gRPC library's
  std::function<grpc::Status(Asked& asked)> provoke;
  Since since = Since::k35;

  friend void PrintTo(const ErrorRow& row, std::ostream* out) { *out << row.name; }
};

template <typename Row>
std::string NameOfRow(const testing::TestParamInfo<Row>& info) {
  return info.param.name;
}

template <typename Row>
void ExpectRefused(const Row& row, const grpc::Status& status) {
  EXPECT_EQ(status.error_code(), row.code);
  if (row.text != nullptr) {
    EXPECT_EQ(status.error_message(), row.text);
  }
}

// The server at WATCHPROOF_TEST_ENDPOINT, so that a real etcd can confirm a table, or an embedded
// one, with these options, on free ports.
class AskedServer {
 public:
  explicit AskedServer(const StoreOptions& asked) {
    if (const char* given = std::getenv("WATCHPROOF_TEST_ENDPOINT")) endpoint_ = given;
    if (!endpoint_.empty()) return;
    StoreOptions options = asked;
    options.port = 0;
    options.http_port = 0;
    auto started = StoreServer::Start(options);
    WP_CHECK(started.has_value(), "the server starts on free ports");
    ours_ = *std::move(started);
    endpoint_ = ours_->endpoint();
  }

  bool ours() const { return ours_ != nullptr; }
  const std::string& endpoint() const { return endpoint_; }

 private:
  std::unique_ptr<StoreServer> ours_;
  std::string endpoint_;
};

}  // namespace watchproof::store
