// SPDX-License-Identifier: Apache-2.0
#include "harness/targets/probe.h"

#include <algorithm>
#include <charconv>

#include "fixtures/protos/rpc.grpc.pb.h"
#include "harness/targets/probe_call.h"

namespace watchproof {

namespace {

namespace pb = etcdserverpb;

// The store's revision, from the header of a read that need not find anything.
Result<std::int64_t> AskHead(const std::shared_ptr<grpc::Channel>& channel, const Caller& caller) {
  pb::RangeRequest request;
  request.set_key("watchproof/head");
  request.set_limit(1);
  WP_ASSIGN_OR_RETURN(const pb::RangeResponse response,
                      Call(channel, caller, request, &pb::KV::Stub::Range));
  return response.header().revision();
}

}  // namespace

Result<ServerStatus> AskStatus(const Endpoint& endpoint, Deadline deadline,
                               const std::string& token) {
  const std::shared_ptr<grpc::Channel> channel = OwnChannel(endpoint);
  const Caller caller{token, deadline};
  const Result<pb::StatusResponse> answer =
      Call(channel, caller, pb::StatusRequest(), &pb::Maintenance::Stub::Status);
  const auto failed = [&] {
    return answer.error().WithContext("asking {} for its status", endpoint.ToString());
  };
  if (!answer.has_value() && answer.error().code() != StatusCode::kUnimplemented) return failed();
  pb::StatusResponse response = answer.value_or(pb::StatusResponse());
  if (response.header().revision() == 0) {
    // A store without a Status call still answers reads.
    const Result<std::int64_t> head = AskHead(channel, caller);
    if (!answer.has_value() && !head.has_value()) return failed();
    response.mutable_header()->set_revision(head.value_or(0));
  }
  return ServerStatus{.version = response.version(),
                      .revision = response.header().revision(),
                      .member = response.header().member_id(),
                      .cluster = response.header().cluster_id(),
                      .leader = response.leader(),
                      .term = response.raftterm(),
                      .storage = response.storageversion()};
}

bool HasStorageOfItsRelease(const ServerStatus& status) {
  const auto branch = [](std::string_view version) {
    const std::size_t dot = version.find('.');
    return version.substr(0, dot == version.npos ? dot : version.find('.', dot + 1));
  };
  constexpr std::string_view kBefore[] = {"3.3", "3.4", "3.5"};
  const std::string_view wanted = branch(status.version);
  return branch(status.storage) == wanted || std::ranges::count(kBefore, wanted) > 0;
}

Status MoveLeader(const Endpoint& endpoint, std::uint64_t member, Deadline deadline,
                  const std::string& token) {
  pb::MoveLeaderRequest request;
  request.set_targetid(member);
  const auto moved =
      Call(OwnChannel(endpoint), {token, deadline}, request, &pb::Maintenance::Stub::MoveLeader);
  if (moved.has_value()) return {};
  return moved.error().WithContext("moving the leadership from {} to member {:x}",
                                   endpoint.ToString(), member);
}

Result<ServerStatus> AwaitServing(const Endpoint& endpoint, const ChildProcess& child,
                                  Deadline deadline, const std::string& token) {
  for (;;) {
    // A connection attempt that hangs must not use up the whole time.
    const Duration patience = std::min<Duration>(deadline.remaining(), 1s);
    Result<ServerStatus> answer = AskStatus(endpoint, Within(patience), token);
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
