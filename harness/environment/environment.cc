// SPDX-License-Identifier: Apache-2.0
#include "harness/environment/environment.h"

#include <utility>

#include "harness/targets/probe.h"

namespace watchproof {
namespace {

constexpr int kProxyPort = 2378;
constexpr int kConsumerPort = 2384;        // proxied
constexpr int kDirectConsumerPort = 2385;  //

}  // namespace

std::string_view Name(Path path) { return path == Path::kProxied ? "proxied" : "direct"; }

Status Environment::Start() {
  return cluster_.Start({.spec = options_.target,
                         .plan = options_.cluster,
                         .folder = options_.folder,
                         .durable = options_.durable,
                         .synced = options_.synced,
                         .strict_previous_values = options_.strict_previous_values,
                         .seed = options_.seed},
                        proxies_);
}

Status Environment::OpenPaths() {
  for (int member = 1; member <= members() && !options_.bypass_proxy; ++member) {
    const Endpoint server = target(member).front();
    WP_ASSIGN_OR_RETURN(
        const proxy::ProxyId path,
        proxies_.Open({.name = member == 1 ? "proxied" : "proxied " + MemberName(member),
                       .listen_host = cluster_.host(member),
                       .listen_port = kProxyPort,
                       .target_host = server.host,
                       .target_port = server.port,
                       .seed = options_.seed,
                       .follow_streams = options_.follow_streams,
                       .self_test = target(member).ours()}));
    if (member == 1) proxied_path_ = path;
  }
  return {};
}

Result<Endpoint> Environment::OpenConsumerPath(Path path, int member,
                                               std::shared_ptr<proxy::ByteObserver> observer) {
  const Endpoint there = endpoint(path, member);
  const bool direct = path == Path::kDirect;
  const Endpoint here{cluster_.host(1), direct ? kDirectConsumerPort : kConsumerPort};
  WP_ASSIGN_OR_RETURN([[maybe_unused]] const proxy::ProxyId id,
                      proxies_.Open({.name = direct ? "consumer direct" : "consumer",
                                     .listen_host = here.host,
                                     .listen_port = here.port,
                                     .target_host = there.host,
                                     .target_port = there.port,
                                     .observer = std::move(observer)}));
  return here;
}

void Environment::Stop() {
  if (std::exchange(stopped_, true)) return;
  proxies_.Stop();
  cluster_.Stop();
}

Endpoint Environment::endpoint(Path path, int member) {
  if (path == Path::kDirect) return target(member).endpoint();
  if (options_.bypass_proxy) return target(member).front();
  return {cluster_.host(member), kProxyPort};
}

std::optional<double> Environment::MetricOf(int member, std::string_view name) {
  const auto metrics = target(member).ReadMetrics();
  if (!metrics.has_value()) return std::nullopt;
  const auto found = metrics->find(name);
  return found == metrics->end() ? std::nullopt : std::optional(found->second);
}

Result<ServerStatus> Environment::StatusOf(int member) {
  return AskStatus(target(member).endpoint(), Within(1s), target(member).token());
}

Status Environment::Call(Path path, Deadline deadline) {
  const auto answer = AskStatus(endpoint(path), deadline, target().token());
  return answer.has_value() ? Status() : answer.error();
}

std::vector<ServerPorts> Environment::ServersForFaults() {
  std::vector<ServerPorts> servers;
  for (int member = 1; member <= members(); ++member) {
    Target& server = target(member);
    const auto ask = [&server](Deadline deadline) -> Result<ServerWord> {
      WP_ASSIGN_OR_RETURN(const ServerStatus status,
                          AskStatus(server.endpoint(), deadline, server.token()));
      return ServerWord{.version = status.version,
                        .revision = status.revision,
                        .member = status.member,
                        .leader = status.leader,
                        .term = status.term};
    };
    servers.push_back(
        {.ask = ask,
         .kill = [&server] { return server.Kill(); },
         .terminate = [&server](Deadline deadline) { return server.Terminate(deadline); },
         .restart = [&server](
                        Deadline deadline,
                        const std::string& release) { return server.Restart(deadline, release); },
         .pause = [&server] { return server.Pause(); },
         .proceed = [&server] { return server.Continue(); },
         .process_state = [&server] { return server.process_state(); },
         .hand_over =
             [&server](std::uint64_t to) {
               return MoveLeader(server.endpoint(), to, Within(5s), server.token());
             },
         .metric = [this, member](std::string_view name) { return MetricOf(member, name); },
         .peer_path = members() > 1 ? cluster_.peer_path(member) : proxy::ProxyId(),
         .caller = CallerName(cluster_.id(member))});
  }
  return servers;
}

}  // namespace watchproof
