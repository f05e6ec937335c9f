// SPDX-License-Identifier: Apache-2.0
// One TCP connection to a server, without gRPC's connection sharing, retries and window probing,
// which would hide the effect of a fault.
//
//   WP_ASSIGN_OR_RETURN(Connection connection, Connect("127.0.0.1:2379", Within(10s)));
//   WatchStream::Open(recorder, {.connection = connection});
//
// Threads: any. Ownership: shared by its users; it is closed with the last.
#pragma once

#include <memory>
#include <string>

#include "harness/base/bytes.h"
#include "harness/base/deadline.h"
#include "harness/base/status.h"

namespace grpc {
class ByteBuffer;
class Channel;
}  // namespace grpc

namespace watchproof {

using Connection = std::shared_ptr<grpc::Channel>;

// Lazy: connects with its first call. `endpoint` is HOST:PORT.
Connection MakeChannel(const std::string& endpoint);
// Blocks until it is connected; the error names the endpoint.
Result<Connection> Connect(const std::string& endpoint, Deadline deadline);

grpc::ByteBuffer ToBuffer(std::string_view message);
// The message as one view. The slice keeps the transport's memory alive; only a message that
// arrived in several pieces is copied. An empty buffer is the empty message.
Bytes ToBytes(const grpc::ByteBuffer& buffer);

}  // namespace watchproof
