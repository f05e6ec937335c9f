// SPDX-License-Identifier: Apache-2.0
#include "harness/environment/environment.h"

#include <algorithm>
#include <future>
#include <utility>

namespace watchproof {
namespace {

constexpr int kProxyPort = 2378;
constexpr int kPeerPort = 2380;
constexpr int kPeerProxyPort = 2382;
constexpr int kConsumerPort = 2384;
constexpr int kDirectConsumerPort = 2385;
// The header that names the dialling etcd member in every relevant request.
constexpr std::string_view kCallerHeader = "X-Server-From";
constexpr Duration kStartLimit = 15s;
constexpr Duration kSettleLimit = 10s;
constexpr Duration kAnswerLimit = 1s;

// In the cluster: "m2".
std::string MemberName(int number) { return fmt::format("m{}", number); }

}  // namespace

std::string_view Name(Path path) { return path == Path::kProxied ? "proxied" : "direct"; }

Status Environment::Start() {
  WP_ASSIGN_OR_RETURN(auto first, MakeTarget(options_.target));
  const int size =
      first->can_cluster() ? std::max(options_.cluster.members, options_.target.members) : 1;
  for (int number = 1; number <= size; ++number) {
    WP_ASSIGN_OR_RETURN(LoopbackAddress address, LoopbackAddress::Reserve());
    if (number > 1) {
      WP_ASSIGN_OR_RETURN(first, MakeTarget(options_.target));
    }
    members_.push_back({.address = std::move(address), .target = std::move(first)});
  }
  ClusterShape shape{.members = {}, .plan = options_.cluster};
  if (size > 1) WP_RETURN_IF_ERROR(OpenPeerPaths(shape));
  Status up = StartAll(shape);
  if (up.ok() && size > 1) up = SettleLeader(Within(kSettleLimit));
  started_ = up.ok();
  failed_ = !up.ok();
  return up;
}

Status Environment::OpenPeerPaths(ClusterShape& shape) {
  for (int number = 1; number <= members(); ++number) {
    WP_ASSIGN_OR_RETURN(At(number).peer_path,
                        proxies_.Open({.name = "peers of " + MemberName(number),
                                       .listen_host = host(number),
                                       .listen_port = kPeerProxyPort,
                                       .target_host = host(number),
                                       .target_port = kPeerPort,
                                       .seed = options_.seed,
                                       .caller_header = std::string(kCallerHeader)}));
    shape.members.push_back({.name = MemberName(number), .peer = {host(number), kPeerProxyPort}});
  }
  return {};
}

// In parallel: the members of a cluster answer only when most of them have started.
Status Environment::StartAll(const ClusterShape& shape) {
  const auto start = [&](int number) {
    return target(number).Start({.host = host(number),
                                 .folder = options_.folder,
                                 .name = members() > 1 ? MemberName(number) : std::string(),
                                 .cluster = shape,
                                 .deadline = Within(kStartLimit),
                                 .durable = options_.durable,
                                 .synced = options_.synced,
                                 .disk = options_.disk,
                                 .progress_interval = options_.progress_interval,
                                 .strict_previous_values = options_.strict_previous_values,
                                 .users = options_.users});
  };
  if (members() == 1) return start(1);
  std::vector<std::future<Status>> starts;
  for (int number = 1; number <= members(); ++number) {
    starts.push_back(std::async(std::launch::async, start, number));
  }
  Status up;
  for (int number = 1; number <= members(); ++number) {
    Status one = starts[static_cast<std::size_t>(number - 1)].get();
    if (up.ok() && !one.ok()) {
      up = std::move(one).WithContext("member {} of {}", number, members());
    }
  }
  return up;
}

Status Environment::SettleLeader(Deadline deadline) {
  Status trouble;
  do {
    std::vector<ServerStatus> reported;
    for (int number = 1; number <= members(); ++number) {
      const auto answer = target(number).Ask(Within(kAnswerLimit));
      if (answer.has_value()) reported.push_back(*answer);
    }
    if (reported.size() < members_.size()) continue;
    for (std::size_t i = 0; i < reported.size(); ++i) members_[i].id = reported[i].member;
    const std::uint64_t leader = reported.front().leader;
    const bool agreed = std::all_of(
        reported.begin(), reported.end(),
        [leader](const ServerStatus& one) { return one.leader == leader && leader != 0; });
    if (!agreed) continue;
    if (leader == At(1).id) return {};
    const auto leads = std::find_if(members_.begin(), members_.end(),
                                    [leader](const Member& one) { return one.id == leader; });
    if (leads == members_.end()) continue;
    trouble = MoveLeader(leads->target->endpoint(), At(1).id, Within(kAnswerLimit),
                         leads->target->token());
  } while (!deadline.expired());
  return Fail(StatusCode::kDeadlineExceeded,
              "the {} members did not agree within {} ms that the first one leads{}", members(),
              deadline.budget().count(), trouble.ok() ? "" : " (" + trouble.message() + ")");
}

Status Environment::OpenPaths() {
  for (int member = 1; member <= members() && !options_.bypass_proxy; ++member) {
    const Endpoint server = target(member).front();
    WP_ASSIGN_OR_RETURN(
        const proxy::ProxyId path,
        proxies_.Open({.name = member == 1 ? "proxied" : "proxied " + MemberName(member),
                       .listen_host = host(member),
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
  const Endpoint here{host(1), direct ? kDirectConsumerPort : kConsumerPort};
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
  for (Member& member : members_) member.target->Stop();
}

std::optional<Environment::Death> Environment::Died() const {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const Target& target = *members_[i].target;
    if (const auto state = target.died()) {
      return Death{
          .member = static_cast<int>(i) + 1, .state = *state, .last_words = target.LastWords()};
    }
  }
  return std::nullopt;
}

std::optional<Environment::LateStart> Environment::StartedLate() const {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    std::string observed = members_[i].target->not_restarted();
    if (observed.empty()) continue;
    return LateStart{.member = static_cast<int>(i) + 1, .observed = std::move(observed)};
  }
  return std::nullopt;
}

Endpoint Environment::endpoint(Path path, int member) {
  if (path == Path::kDirect) return target(member).endpoint();
  if (options_.bypass_proxy) return target(member).front();
  return {host(member), kProxyPort};
}

Status Environment::Call(Path path, Deadline deadline) {
  const auto answer = AskStatus(endpoint(path), deadline, target().token());
  return answer.has_value() ? Status() : answer.error();
}

std::vector<ServerPorts> Environment::ServersForFaults() {
  std::vector<ServerPorts> servers;
  for (int member = 1; member <= members(); ++member) {
    servers.push_back({.target = &target(member),
                       .peer_path = At(member).peer_path,
                       .caller = fmt::format("{:x}", At(member).id)});
  }
  return servers;
}

}  // namespace watchproof
