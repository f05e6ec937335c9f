// SPDX-License-Identifier: Apache-2.0
#include "harness/targets/probe.h"

#include <algorithm>
#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <charconv>

#include "fixtures/protos/rpc.grpc.pb.h"
#include "harness/releases/etcd_version.h"
#include "harness/targets/probe_call.h"
#include "harness/targets/probe_capabilities.h"

namespace watchproof {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
namespace pb = etcdserverpb;

using boost::system::error_code;
constexpr auto kAwait = asio::as_tuple(asio::use_awaitable);

// The store's revision, from the header of a read that need not find anything.
Result<std::int64_t> AskHead(const std::shared_ptr<grpc::Channel>& channel, const Caller& caller) {
  pb::RangeRequest request;
  request.set_key("watchproof/head");
  request.set_limit(1);
  WP_ASSIGN_OR_RETURN(const pb::RangeResponse response,
                      Call(channel, caller, request, &pb::KV::Stub::Range));
  return response.header().revision();
}

asio::awaitable<void> Get(beast::tcp_stream& stream,
                          const asio::ip::tcp::resolver::results_type& addresses,
                          const http::request<http::empty_body>& request,
                          http::response<http::string_body>& response, error_code& error) {
  std::size_t size = 0;
  std::tie(error, std::ignore) = co_await stream.async_connect(addresses, kAwait);
  if (error) co_return;
  std::tie(error, size) = co_await http::async_write(stream, request, kAwait);
  if (error) co_return;
  beast::flat_buffer buffer;
  std::tie(error, size) = co_await http::async_read(stream, buffer, response, kAwait);
}

Result<std::string> FetchPage(const Endpoint& endpoint, std::string_view path, Deadline deadline) {
  // On its own io_context: Beast's time limits work on asynchronous operations only.
  asio::io_context io;
  beast::tcp_stream stream(io);
  stream.expires_after(deadline.remaining());
  http::request<http::empty_body> request(http::verb::get, {path.data(), path.size()}, 11);
  request.set(http::field::host, endpoint.ToString());
  http::response<http::string_body> response;
  error_code error;
  asio::ip::tcp::resolver resolver(io);
  const auto found = resolver.resolve(endpoint.host, std::to_string(endpoint.port), error);
  if (error) return FromErrorCode(error).WithContext("resolving {}", endpoint.host);
  asio::co_spawn(io, Get(stream, found, request, response, error), asio::detached);
  io.run();
  const std::string page = fmt::format("GET http://{}{}", endpoint.Named(), path);
  if (error) return FromErrorCode(error).WithContext("{}", page);
  if (response.result() != http::status::ok) {
    return Fail(StatusCode::kNotFound, "{} answered {}", page, response.result_int());
  }
  return response.body();
}

// Whether a connection to it can be opened.
bool Accepts(const Endpoint& endpoint) {
  asio::io_context io;
  asio::ip::tcp::socket socket(io);
  error_code error;
  const auto address = asio::ip::make_address(endpoint.host, error);
  if (!error) socket.connect({address, static_cast<std::uint16_t>(endpoint.port)}, error);
  return !error;
}

}  // namespace

Result<ServerStatus> AskStatus(const Endpoint& endpoint, Deadline deadline,
                               const std::string& token) {
  const std::shared_ptr<grpc::Channel> channel = OwnChannel(endpoint);
  const Caller caller{token, deadline};
  const Result<pb::StatusResponse> answer =
      Call(channel, caller, pb::StatusRequest(), &pb::Maintenance::Stub::Status);
  const auto failed = [&](const Status& why) {
    return why.WithContext("asking {} for its status", endpoint.Named());
  };
  if (!answer.has_value() && !IsAnswer(answer.error().code())) return failed(answer.error());
  pb::StatusResponse response = answer.value_or(pb::StatusResponse());
  if (response.header().revision() == 0) {
    // A store that refuses the call still answers reads.
    const Result<std::int64_t> head = AskHead(channel, caller);
    if (!answer.has_value() && !head.has_value()) {
      // Two calls that are not there are no store; other errors may pass, as while it starts.
      const bool neither = head.error().code() == StatusCode::kUnimplemented;
      return failed(neither ? answer.error() : head.error());
    }
    response.mutable_header()->set_revision(head.value_or(0));
  }
  return ServerStatus{.version = response.version(),
                      .revision = response.header().revision(),
                      .member = response.header().member_id(),
                      .cluster = response.header().cluster_id(),
                      .leader = response.leader(),
                      .term = response.raftterm(),
                      // etcd 3.3 says only what is committed.
                      .applied = response.raftappliedindex() != 0 ? response.raftappliedindex()
                                                                  : response.raftindex(),
                      .storage = response.storageversion()};
}

bool HasStorageOf(const ServerStatus& status, std::string_view release) {
  constexpr int kFirstToReport = 6;
  return MinorOf(status.version).value_or(0) < kFirstToReport ||
         MinorOf(status.storage) == MinorOf(release);
}

Result<HashOfHistory> AskHash(const Endpoint& endpoint, Revision revision, Deadline deadline,
                              const std::string& token) {
  pb::HashKVRequest request;
  request.set_revision(revision.value);
  const auto answer =
      Call(OwnChannel(endpoint), {token, deadline}, request, &pb::Maintenance::Stub::HashKV);
  if (answer.has_value()) {  // etcd answers -1 before the first compaction
    return HashOfHistory{.hash = answer->hash(),
                         .compacted = std::max<std::int64_t>(answer->compact_revision(), 0),
                         .hashed = answer->hash_revision()};
  }
  return answer.error().WithContext("asking {} for a hash at revision {}", endpoint.Named(),
                                    revision);
}

Result<Revision> AskWholeHash(const Endpoint& endpoint, Deadline deadline,
                              const std::string& token) {
  const auto answer = Call(OwnChannel(endpoint), {token, deadline}, pb::HashRequest(),
                           &pb::Maintenance::Stub::Hash);
  if (answer.has_value()) return Revision(answer->header().revision());
  return answer.error().WithContext("asking {} for a hash", endpoint.Named());
}

Status MoveLeader(const Endpoint& endpoint, std::uint64_t member, Deadline deadline,
                  const std::string& token) {
  pb::MoveLeaderRequest request;
  request.set_targetid(member);
  const auto moved =
      Call(OwnChannel(endpoint), {token, deadline}, request, &pb::Maintenance::Stub::MoveLeader);
  if (moved.has_value()) return {};
  return moved.error().WithContext("moving the leadership from {} to member {:x}", endpoint.Named(),
                                   member);
}

Result<ServerStatus> AwaitServing(const Endpoint& endpoint, const ChildProcess& child,
                                  std::string_view program, Deadline deadline,
                                  const std::string& token) {
  const auto failed = [&](StatusCode code, const std::string& how) {
    const std::string words = child.LastWords();
    return Fail(code, "{} {}; its last words: {}", program, how, words.empty() ? "none" : words);
  };
  for (;;) {
    // A connection attempt that hangs must not use up the whole time.
    const Duration patience = std::min<Duration>(deadline.remaining(), 1s);
    Result<ServerStatus> answer = AskStatus(endpoint, Within(patience), token);
    if (answer.has_value()) return answer;
    if (const auto ended = child.exit_state()) {
      return failed(StatusCode::kUnavailable, fmt::format("{} before it answered on {}",
                                                          ended->ToString(), endpoint.Named()));
    }
    if (answer.error().code() == StatusCode::kUnimplemented) {
      return failed(StatusCode::kUnimplemented,
                    fmt::format("answers gRPC on {}, but is no store: it has neither "
                                "etcdserverpb.Maintenance/Status nor etcdserverpb.KV/Range ({})",
                                endpoint.Named(), answer.error().message()));
    }
    if (deadline.expired()) {
      const std::string how =
          fmt::format("within {} ms ({})", deadline.budget().count(), answer.error().message());
      return failed(StatusCode::kDeadlineExceeded,
                    IsAnswer(answer.error().code())
                        ? fmt::format("refused to serve on {} {}", endpoint.Named(), how)
                    : Accepts(endpoint)
                        ? fmt::format("accepts connections on {}, but answered no gRPC {}",
                                      endpoint.Named(), how)
                        : fmt::format("did not answer on {} {}", endpoint.Named(), how));
    }
    // This pause ends early if the child ends.
    if (child.Wait(Within(std::min<Duration>(deadline.remaining(), 10ms))).has_value()) continue;
  }
}

Result<Metrics> FetchMetrics(const Endpoint& endpoint, Deadline deadline) {
  WP_ASSIGN_OR_RETURN(const std::string text, FetchPage(endpoint, "/metrics", deadline));
  return ParseMetrics(text);
}

Result<std::string> FetchVersion(const Endpoint& endpoint, Deadline deadline) {
  WP_ASSIGN_OR_RETURN(const std::string text, FetchPage(endpoint, "/version", deadline));
  constexpr std::string_view kField = "\"etcdserver\":\"";
  const std::size_t field = text.find(kField);
  const std::size_t from = field == std::string::npos ? text.size() : field + kField.size();
  const std::size_t end = text.find('"', from);
  if (end != std::string::npos) return text.substr(from, end - from);
  return Fail(StatusCode::kNotFound, "GET http://{}/version names no etcdserver", endpoint.Named());
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
    if (line[name_end] == '{') metrics[std::string(line.substr(0, value_at))] = value;
  }
  return metrics;
}

}  // namespace watchproof
