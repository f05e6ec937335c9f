// SPDX-License-Identifier: Apache-2.0
// One call of a probe to a server.
//
//   WP_ASSIGN_OR_RETURN(const pb::RangeResponse answer,
//                       Call(OwnChannel(endpoint), {token, Within(5s)}, request,
//                            &pb::KV::Stub::Range));
//
// Threads: any; a call blocks until it is answered or the deadline.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "harness/base/deadline.h"
#include "harness/base/status.h"
#include "harness/targets/target.h"

namespace watchproof {

// A connection of its own, without a proxy and without retries.
inline std::shared_ptr<grpc::Channel> OwnChannel(const Endpoint& endpoint) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  arguments.SetMaxReceiveMessageSize(-1);
  return grpc::CreateCustomChannel(endpoint.ToString(), grpc::InsecureChannelCredentials(),
                                   arguments);
}

struct Caller {
  std::string token = {};  // of its user; empty: none
  Deadline deadline;

  void Prepare(grpc::ClientContext& context) const {
    if (!token.empty()) context.AddMetadata("token", token);
    context.set_deadline(
        std::chrono::system_clock::now() +
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline.remaining()));
  }
};

template <typename Stub, typename Request, typename Response>
Result<Response> Call(const std::shared_ptr<grpc::Channel>& channel, const Caller& caller,
                      const Request& request,
                      grpc::Status (Stub::*rpc)(grpc::ClientContext*, const Request&, Response*)) {
  Stub stub(channel);
  grpc::ClientContext context;
  caller.Prepare(context);
  Response response;
  WP_RETURN_IF_ERROR(FromRpcStatus((stub.*rpc)(&context, request, &response)));
  return response;
}

// The end of the range of all keys that begin with `prefix`, which ends with a slash.
inline std::string EndOf(std::string prefix) {
  ++prefix.back();
  return prefix;
}

}  // namespace watchproof
