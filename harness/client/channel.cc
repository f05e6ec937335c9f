// SPDX-License-Identifier: Apache-2.0
#include "harness/client/channel.h"

namespace watchproof {

std::shared_ptr<grpc::Channel> MakeChannel(const std::string& endpoint) {
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

Status AwaitConnected(grpc::Channel& channel, const std::string& endpoint, Deadline deadline) {
  const auto at = std::chrono::system_clock::now() +
                  std::chrono::duration_cast<std::chrono::milliseconds>(deadline.remaining());
  if (channel.WaitForConnected(at)) return {};
  return Fail(StatusCode::kUnavailable, "no connection to {} within {} ms", endpoint,
              deadline.budget().count());
}

}  // namespace watchproof
