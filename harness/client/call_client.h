// SPDX-License-Identifier: Apache-2.0
// Key-value and lease calls with requests and answers as bytes: for callers that use more of the
// API than kv_client.h offers.
//
//   CallClient calls(context, connection);
//   WP_ASSIGN_OR_RETURN(const Bytes answer, calls.Call(Method::kPut, request, "script 7"));
//
// Each call is recorded. Threads: any; a call blocks its caller until the answer or the time limit.
// Ownership: refers to the context.
#pragma once

#include <memory>
#include <string>

#include "harness/base/bytes.h"
#include "harness/client/client_context.h"
#include "harness/client/connection.h"

namespace watchproof {

class CallClient {
 public:
  CallClient(RecordingContext& context, Connection connection, Duration call_limit = 10s);
  ~CallClient();

  // `caller` names the client in the recording: what it reads and writes has an order.
  Result<Bytes> Call(Method method, std::string request, const std::string& caller);
  // For a server with authentication enabled; before any call.
  void SetToken(const std::string& token);
  // Not recorded, because it is not judged there: "/etcdserverpb.Lease/LeaseLeases".
  Result<Bytes> Ask(const std::string& path, const std::string& request);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace watchproof
