// SPDX-License-Identifier: Apache-2.0
// Single calls of any service, as any user: for tests that log in as different users.
//
//   Call(auth, &pb::Auth::Stub::UserAdd, request);               // without a user
//   Call(kv, &pb::KV::Stub::Put, request, {.token = token});
//
// Not thread-safe. Test code only.
#pragma once

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <string>
#include <type_traits>
#include <utility>

#include "harness/base/deadline.h"

namespace watchproof::store {

struct As {
  std::string token;
};

template <typename Response>
struct Reply {
  grpc::Status status;
  Response body;
  bool ok() const { return status.ok(); }
  // "ok", or the text of the error.
  std::string text() const { return ok() ? "ok" : status.error_message(); }
};

template <typename Stub, typename Request, typename Response>
Reply<Response> Call(Stub& stub,
                     grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                     const std::type_identity_t<Request>& request, const As& as = {}) {
  grpc::ClientContext context;
  context.set_wait_for_ready(true);
  context.set_deadline(std::chrono::system_clock::now() + 20s);
  if (!as.token.empty()) context.AddMetadata("token", as.token);
  Reply<Response> reply;
  reply.status = (stub.*method)(&context, request, &reply.body);
  return reply;
}

}  // namespace watchproof::store
