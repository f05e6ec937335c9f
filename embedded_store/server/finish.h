// SPDX-License-Identifier: Apache-2.0
// How a unary call ends: not before everything that its answer shows is safe.
//
//   return Finish(context, backend, ticket, status);   // the response is filled already
//   return Finish(context, backend, status);           // no ticket: all that is staged by now
//
// Refusals wait too, because what they are based on could be taken back by a crash just as well.
// Threads: the call ends on this thread when there is nothing to wait for, else on the backend's.
#pragma once

#include <grpcpp/grpcpp.h>

#include "embedded_store/backend/backend.h"
#include "embedded_store/server/convert.h"
#include "harness/base/status.h"

namespace watchproof::store {

inline void Finish(grpc::ServerUnaryReactor* reactor, Backend& backend, Ticket ticket,
                   const Status& status) {
  if (ticket.value == 0) return reactor->Finish(ToGrpc(status));
  backend.WhenSafe(ticket, [reactor, answer = ToGrpc(status)](const Status& safe) {
    reactor->Finish(safe.ok() ? answer : ToGrpc(safe));
  });
}

inline grpc::ServerUnaryReactor* Finish(grpc::CallbackServerContext* context, Backend& backend,
                                        Ticket ticket, const Status& status) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  Finish(reactor, backend, ticket, status);
  return reactor;
}

inline void Finish(grpc::ServerUnaryReactor* reactor, Backend& backend, const Status& status) {
  Finish(reactor, backend, backend.staged(), status);
}

inline grpc::ServerUnaryReactor* Finish(grpc::CallbackServerContext* context, Backend& backend,
                                        const Status& status) {
  return Finish(context, backend, backend.staged(), status);
}

}  // namespace watchproof::store
