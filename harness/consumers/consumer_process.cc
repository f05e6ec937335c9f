// SPDX-License-Identifier: Apache-2.0
#include "harness/consumers/consumer_process.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "harness/history/json_fields.h"

namespace watchproof {
namespace {

constexpr std::string_view kDone = "done";

// A line of its output: a report, and when it was seen.
struct ReportLine {
  std::int64_t at = 0;  // CLOCK_MONOTONIC in nanoseconds
  ConsumerReport report;
  void Fields(auto& field) {
    field.Required("at", at);
    field.Required("kind", report.kind);
    report.Fields(field);
  }
};

}  // namespace

Result<std::unique_ptr<ConsumerProcess>> ConsumerProcess::Start(ConsumerOptions options) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return FromErrno(errno).WithContext("a pair of sockets for the consumer");
  }
  std::unique_ptr<ConsumerProcess> process(new ConsumerProcess(std::move(options)));
  const ConsumerOptions& given = process->options_;
  process->ours_ = ends[0];
  ChildOptions child{
      .executable = given.command.front(),
      .arguments = {given.command.begin() + 1, given.command.end()},
      .log = given.log,
      .descriptors = {{.ours = ends[1], .theirs = 0}, {.ours = ends[1], .theirs = 1}}};
  // Some clients would go through a proxy of the network to a loopback address, too.
  for (const char* name : {"http_proxy", "https_proxy", "grpc_proxy", "all_proxy", "HTTP_PROXY",
                           "HTTPS_PROXY", "GRPC_PROXY", "ALL_PROXY"}) {
    child.environment[name] = std::nullopt;
  }
  child.environment["WATCHPROOF"] = OwnExecutable().string();
  child.environment["WATCHPROOF_SECOND"] = given.second;
  child.arguments.insert(child.arguments.end(),
                         {"--endpoint", given.endpoint, "--prefix", given.prefix});
  Result<std::unique_ptr<ChildProcess>> launched = ChildProcess::Launch(child);
  close(ends[1]);
  if (!launched.has_value()) return launched.error().WithContext("starting the consumer");
  process->child_ = std::move(launched).value();
  process->reader_ = std::thread([self = process.get()] { self->ReadLines(); });
  return process;
}

void ConsumerProcess::Stop() {
  if (child_) child_->Stop(Duration::zero());
  if (ours_ >= 0) shutdown(ours_, SHUT_RDWR);
  if (reader_.joinable()) reader_.join();
  if (ours_ >= 0) close(std::exchange(ours_, -1));
}

Status ConsumerProcess::Ask(const ConsumerRequest& request) {
  Json json{{"do", request.what}};
  if (!request.layer.empty()) json["layer"] = request.layer;
  if (request.count > 1) json["count"] = request.count;
  if (request.pause) json["pause"] = true;
  if (request.kill) json["kill"] = true;
  if (request.fragments) json["fragments"] = true;
  if (request.revision != 0) json["revision"] = request.revision;
  if (request.within_ms > 0) json["within_ms"] = request.within_ms;
  const std::string line = DumpJson(json) + "\n";
  if (send(ours_, line.data(), line.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(line.size())) {
    return {};
  }
  return FromErrno(errno).WithContext("asking the consumer to {}", request.what);
}

void ConsumerProcess::ReadLines() {
  std::string pending;
  std::array<char, 65536> buffer;
  for (;;) {
    const ssize_t n = recv(ours_, buffer.data(), buffer.size(), 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    pending.append(buffer.data(), static_cast<std::size_t>(n));
    std::size_t begin = 0;
    for (std::size_t end; (end = pending.find('\n', begin)) != std::string::npos; begin = end + 1) {
      TakeLine(std::string_view(pending).substr(begin, end - begin));
    }
    pending.erase(0, begin);
  }
}

// Libraries log to standard output, too: what is no report is passed over.
void ConsumerProcess::TakeLine(std::string_view line) {
  const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  ReportLine said;
  if (!json.is_object() || ReadFields(json, said)) return;
  if (said.report.kind == kDone) {
    ++answered_;
  } else {
    options_.report(said.report, TimePoint(std::chrono::nanoseconds(said.at)));
  }
}

}  // namespace watchproof
