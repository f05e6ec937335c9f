// SPDX-License-Identifier: Apache-2.0
#include "harness/client/connection.h"

#include <grpcpp/grpcpp.h>

#include <utility>

namespace watchproof {

Connection MakeChannel(const std::string& endpoint) {
  grpc::ChannelArguments arguments;
  // Two channels with equal arguments would otherwise share one connection, and a stall would hit
  // both.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetMaxSendMessageSize(-1);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 20);
  // Despite its name, this limits the time of one attempt: a server may be slow to accept.
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 2000);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 100);
  // Probing would raise the window to several MiB, and a stall would then have to withhold as much.
  arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  return grpc::CreateCustomChannel(endpoint, grpc::InsecureChannelCredentials(), arguments);
}

Result<Connection> Connect(const std::string& endpoint, Deadline deadline) {
  Connection connection = MakeChannel(endpoint);
  const auto at = std::chrono::system_clock::now() +
                  std::chrono::duration_cast<std::chrono::milliseconds>(deadline.remaining());
  if (connection->WaitForConnected(at)) return connection;
  return Fail(StatusCode::kUnavailable, "no connection to {} within {} ms", endpoint,
              deadline.budget().count());
}

grpc::ByteBuffer ToBuffer(std::string_view message) {
  const grpc::Slice slice(message.data(), message.size());
  return grpc::ByteBuffer(&slice, 1);
}

Bytes ToBytes(const grpc::ByteBuffer& buffer) {
  auto slice = std::make_shared<grpc::Slice>();
  if (!buffer.TrySingleSlice(slice.get()).ok() && !buffer.DumpToSingleSlice(slice.get()).ok()) {
    return {};
  }
  const std::string_view view(reinterpret_cast<const char*>(slice->begin()), slice->size());
  return Bytes(std::move(slice), view);
}

}  // namespace watchproof
