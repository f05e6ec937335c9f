// SPDX-License-Identifier: Apache-2.0
#include "harness/environment/environment.h"

#include <utility>

#include "harness/targets/probe.h"

namespace watchproof {
namespace {

constexpr int kProxyPort = 2378;
constexpr int kConsumerPort = 2384;

}  // namespace

std::string_view Name(Path path) { return path == Path::kProxied ? "proxied" : "direct"; }

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

Result<Endpoint> Environment::OpenConsumerPath(std::shared_ptr<proxy::ByteObserver> observer) {
  const Endpoint path = endpoint(Path::kProxied);
  const Endpoint here{cluster_.host(1), kConsumerPort};
  WP_ASSIGN_OR_RETURN([[maybe_unused]] const proxy::ProxyId id,
                      proxies_.Open({.name = "consumer",
                                     .listen_host = here.host,
                                     .listen_port = here.port,
                                     .target_host = path.host,
                                     .target_port = path.port,
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

Status Environment::Call(Path path, Deadline deadline) {
  const auto answer = AskStatus(endpoint(path), deadline, target().token());
  return answer.has_value() ? Status() : answer.error();
}

std::vector<ServerPorts> Environment::ServersForFaults() {
  std::vector<ServerPorts> servers;
  for (int member = 1; member <= members(); ++member) {
    servers.push_back({.target = &target(member),
                       .peer_path = members() > 1 ? cluster_.peer_path(member) : proxy::ProxyId(),
                       .caller = CallerName(cluster_.id(member))});
  }
  return servers;
}

}  // namespace watchproof
