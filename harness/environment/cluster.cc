// SPDX-License-Identifier: Apache-2.0
#include "harness/environment/cluster.h"

#include <algorithm>
#include <future>

namespace watchproof {
namespace {

// In front of the peer port (2380); the clients' proxy has port 2378.
constexpr int kPeerProxyPort = 2382;
constexpr int kPeerPort = 2380;
// The header that names the dialling etcd member in every relevant request.
constexpr std::string_view kCallerHeader = "X-Server-From";
constexpr Duration kStartLimit = 15s;
constexpr Duration kSettleLimit = 10s;
constexpr Duration kAnswerLimit = 1s;

}  // namespace

std::string MemberName(int number) { return fmt::format("m{}", number); }

std::string CallerName(std::uint64_t id) { return fmt::format("{:x}", id); }

Status Cluster::Start(const EnvironmentOptions& options, proxy::Proxies& proxies) {
  WP_ASSIGN_OR_RETURN(auto first, MakeTarget(options.target));
  const int size =
      first->can_cluster() ? std::max(options.cluster.members, options.target.members) : 1;
  for (int number = 1; number <= size; ++number) {
    WP_ASSIGN_OR_RETURN(LoopbackAddress address, LoopbackAddress::Reserve());
    if (number > 1) {
      WP_ASSIGN_OR_RETURN(first, MakeTarget(options.target));
    }
    members_.push_back({.address = std::move(address), .target = std::move(first)});
  }
  ClusterShape shape{.members = {}, .snapshot_count = options.cluster.snapshot_count};
  if (size > 1) WP_RETURN_IF_ERROR(OpenPeerPaths(options.seed, proxies, shape));
  Status up = StartAll(options, shape);
  if (up.ok() && size > 1) up = SettleLeader(Within(kSettleLimit));
  started_ = up.ok();
  failed_ = !up.ok();
  return up;
}

Status Cluster::OpenPeerPaths(std::uint64_t seed, proxy::Proxies& proxies, ClusterShape& shape) {
  for (int number = 1; number <= size(); ++number) {
    WP_ASSIGN_OR_RETURN(At(number).peer_path,
                        proxies.Open({.name = "peers of " + MemberName(number),
                                      .listen_host = host(number),
                                      .listen_port = kPeerProxyPort,
                                      .target_host = host(number),
                                      .target_port = kPeerPort,
                                      .seed = seed,
                                      .caller_header = std::string(kCallerHeader)}));
    shape.members.push_back({.name = MemberName(number), .peer = {host(number), kPeerProxyPort}});
  }
  return {};
}

// In parallel: the members of a cluster answer only when most of them have started.
Status Cluster::StartAll(const EnvironmentOptions& options, const ClusterShape& shape) {
  const auto start = [&](int number) {
    return member(number).Start({.host = host(number),
                                 .folder = options.folder,
                                 .name = size() > 1 ? MemberName(number) : std::string(),
                                 .cluster = shape,
                                 .deadline = Within(kStartLimit),
                                 .durable = options.durable,
                                 .synced = options.synced,
                                 .strict_previous_values = options.strict_previous_values});
  };
  if (size() == 1) return start(1);
  std::vector<std::future<Status>> starts;
  for (int number = 1; number <= size(); ++number) {
    starts.push_back(std::async(std::launch::async, start, number));
  }
  Status up;
  for (int number = 1; number <= size(); ++number) {
    Status one = starts[static_cast<std::size_t>(number - 1)].get();
    if (up.ok() && !one.ok()) {
      up = std::move(one).WithContext("member {} of {}", number, size());
    }
  }
  return up;
}

std::vector<ServerStatus> Cluster::Ask(Duration patience) {
  std::vector<ServerStatus> reported;
  for (Member& member : members_) {
    const auto answer = member.target->Ask(Within(patience));
    if (answer.has_value()) reported.push_back(*answer);
  }
  return reported;
}

Status Cluster::SettleLeader(Deadline deadline) {
  Status trouble;
  do {
    const std::vector<ServerStatus> reported = Ask(kAnswerLimit);
    if (reported.size() < members_.size()) continue;
    for (std::size_t i = 0; i < reported.size(); ++i) members_[i].id = reported[i].member;
    const std::uint64_t leader = reported.front().leader;
    const bool agreed = std::all_of(
        reported.begin(), reported.end(),
        [leader](const ServerStatus& one) { return one.leader == leader && leader != 0; });
    if (!agreed) continue;
    if (leader == id(1)) return {};
    const auto leads = std::find_if(members_.begin(), members_.end(),
                                    [leader](const Member& one) { return one.id == leader; });
    if (leads == members_.end()) continue;
    trouble =
        MoveLeader(leads->target->endpoint(), id(1), Within(kAnswerLimit), leads->target->token());
  } while (!deadline.expired());
  return Fail(StatusCode::kDeadlineExceeded,
              "the {} members did not agree within {} ms that the first one leads{}", size(),
              deadline.budget().count(), trouble.ok() ? "" : " (" + trouble.message() + ")");
}

std::optional<Cluster::Death> Cluster::Died() const {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const Target& target = *members_[i].target;
    if (const auto state = target.died()) {
      return Death{
          .member = static_cast<int>(i) + 1, .state = *state, .last_words = target.LastWords()};
    }
  }
  return std::nullopt;
}

void Cluster::Stop() {
  for (Member& member : members_) member.target->Stop();
}

}  // namespace watchproof
