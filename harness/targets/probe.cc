// SPDX-License-Identifier: Apache-2.0
#include "harness/targets/probe.h"

#include <grpcpp/grpcpp.h>

#include <charconv>

#include "fixtures/protos/rpc.grpc.pb.h"

namespace watchproof {

namespace {

using Maintenance = etcdserverpb::Maintenance;

// One call on a new connection.
template <typename Service, typename Request, typename Response>
Status CallOnce(const Endpoint& endpoint, const std::string& token, Deadline deadline,
                const Request& request, Response& response,
                grpc::Status (Service::*rpc)(grpc::ClientContext*, const Request&, Response*)) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  const auto channel =
      grpc::CreateCustomChannel(endpoint.ToString(), grpc::InsecureChannelCredentials(), arguments);
  Service stub(channel);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() +
                       std::chrono::duration_cast<std::chrono::milliseconds>(deadline.remaining()));
  if (!token.empty()) context.AddMetadata("token", token);
  return FromRpcStatus((stub.*rpc)(&context, request, &response));
}

// The store's revision, from the header of a read that need not find anything.
Result<std::int64_t> AskHead(const Endpoint& endpoint, const std::string& token,
                             Deadline deadline) {
  etcdserverpb::RangeRequest request;
  request.set_key("watchproof/head");
  request.set_limit(1);
  etcdserverpb::RangeResponse response;
  WP_RETURN_IF_ERROR(
      CallOnce(endpoint, token, deadline, request, response, &etcdserverpb::KV::Stub::Range));
  return response.header().revision();
}

}  // namespace

Result<ServerStatus> AskStatus(const Endpoint& endpoint, Deadline deadline,
                               const std::string& token) {
  etcdserverpb::StatusResponse response;
  const Status status = CallOnce(endpoint, token, deadline, etcdserverpb::StatusRequest(), response,
                                 &Maintenance::Stub::Status);
  if (!status.ok() && status.code() != StatusCode::kUnimplemented) {
    return status.WithContext("asking {} for its status", endpoint.ToString());
  }
  if (response.header().revision() == 0) {
    // A store without a Status call still answers reads.
    const Result<std::int64_t> head = AskHead(endpoint, token, deadline);
    if (!status.ok() && !head.has_value()) {
      return status.WithContext("asking {} for its status", endpoint.ToString());
    }
    response.mutable_header()->set_revision(head.value_or(0));
  }
  return ServerStatus{.version = response.version(),
                      .revision = response.header().revision(),
                      .member = response.header().member_id(),
                      .cluster = response.header().cluster_id(),
                      .leader = response.leader(),
                      .term = response.raftterm()};
}

Status MoveLeader(const Endpoint& endpoint, std::uint64_t member, Deadline deadline) {
  etcdserverpb::MoveLeaderRequest request;
  request.set_targetid(member);
  etcdserverpb::MoveLeaderResponse response;
  Status moved =
      CallOnce(endpoint, {}, deadline, request, response, &Maintenance::Stub::MoveLeader);
  if (moved.ok()) return moved;
  return std::move(moved).WithContext("moving the leadership from {} to member {:x}",
                                      endpoint.ToString(), member);
}

Result<ServerStatus> AwaitServing(const Endpoint& endpoint, const ChildProcess& child,
                                  Deadline deadline) {
  for (;;) {
    // A connection attempt that hangs must not use up the whole time.
    const Duration patience = std::min<Duration>(deadline.remaining(), 1s);
    Result<ServerStatus> answer = AskStatus(endpoint, Within(patience));
    if (answer.has_value()) return answer;
    if (const auto ended = child.exit_state()) {
      return Fail(StatusCode::kUnavailable, "{} before it answered on {}", ended->ToString(),
                  endpoint.ToString());
    }
    if (deadline.expired()) {
      return Fail(StatusCode::kDeadlineExceeded, "did not answer on {} within {} ms ({})",
                  endpoint.ToString(), deadline.budget().count(), answer.error().message());
    }
    // This pause ends early if the child ends.
    if (child.Wait(Within(std::min<Duration>(deadline.remaining(), 10ms))).has_value()) continue;
  }
}

Metrics ParseMetrics(std::string_view text) {
  Metrics metrics;
  while (!text.empty()) {
    const auto end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (line.empty() || line[0] == '#') continue;
    const auto name_end = line.find_first_of("{ ");
    const auto value_at = line.rfind(' ');
    if (name_end == std::string_view::npos || value_at == std::string_view::npos) continue;
    double value = 0;
    const char* const from = line.data() + value_at + 1;
    if (std::from_chars(from, line.data() + line.size(), value).ec != std::errc()) continue;
    metrics[std::string(line.substr(0, name_end))] += value;
  }
  return metrics;
}

}  // namespace watchproof
