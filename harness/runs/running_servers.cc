// SPDX-License-Identifier: Apache-2.0
#include "harness/runs/running_servers.h"

#include <netdb.h>

#include <algorithm>
#include <random>
#include <set>

#include "harness/report/text.h"
#include "harness/results/attempt_spec.h"
#include "harness/runs/selection.h"
#include "harness/scenario/plan_check.h"
#include "harness/targets/probe_endpoint.h"

namespace watchproof {
namespace {

constexpr Duration kPatience = 10s;
// Usage is computed from the plans of this many rounds; later ones are similar.
constexpr int kMostRounds = 10;
// Capabilities that no running server offers: see EndpointTarget and ProbeCapabilities.
constexpr Capability kNever[] = {
    Capability::kOurs,    Capability::kDurable,        Capability::kProcess,
    Capability::kCluster, Capability::kUsers,          Capability::kStrictPreviousValues,
    Capability::kDisk,    Capability::kServerOfItsOwn, Capability::kQuota};

// The address that its name resolves to: "127.0.0.1:2379".
std::set<std::string> AddressesOf(const ServerAddress& server) {
  std::set<std::string> addresses;
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(server.host.c_str(), nullptr, &wanted, &found) != 0) return addresses;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    char text[NI_MAXHOST];
    if (getnameinfo(one->ai_addr, one->ai_addrlen, text, sizeof text, nullptr, 0, NI_NUMERICHOST) ==
        0) {
      addresses.insert(fmt::format("{}:{}", text, server.port));
    }
  }
  freeaddrinfo(found);
  return addresses;
}

bool Meet(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::ranges::any_of(a, [&b](const auto& one) { return b.contains(one); });
}

bool MayRun(const CaseInfo& info, bool disruptive) {
  return std::ranges::none_of(info.needs, [&](Capability need) {
    return Contains(kNever, need) || (need == Capability::kCompaction && !disruptive);
  });
}

struct RunUsage {
  Usage most;  // of one attempt
  std::int64_t bytes = 0;
  std::int64_t compactions = 0;
};

void Add(const Usage& one, RunUsage& usage) {
  usage.most.keys = std::max(usage.most.keys, one.keys);
  usage.most.watchers = std::max(usage.most.watchers, one.watchers);
  usage.most.leases = std::max(usage.most.leases, one.leases);
  usage.bytes += one.bytes;
  usage.compactions += one.compactions;
}

}  // namespace

Result<RunningServers> RunningServers::LookAt(const RunOptions& options) {
  struct Server {
    std::set<std::string> addresses;
    std::uint64_t cluster = 0;
  };
  std::vector<Server> seen;
  RunningServers servers;
  for (const TargetSpec& target : options.targets) {
    if (!target.server) continue;
    Result<EndpointView> view = watchproof::LookAt(target, Within(kPatience));
    if (!view.has_value()) return view.error();
    if (view->kubernetes && !target.IsAmong(options.allow_kubernetes)) {
      return Fail(
          StatusCode::kInvalidArgument,
          "--target {}: it has keys below /registry/, so a Kubernetes cluster may depend on "
          "it; use another server, or name it with --allow-kubernetes {}:{}",
          target.text, target.server->host, target.server->port);
    }
    // Members of one cluster share their history. If two clusters report the same id, their
    // attempts only wait for each other.
    Server server{.addresses = AddressesOf(*target.server), .cluster = view->cluster};
    int number = 0;
    for (std::size_t i = 0; i < seen.size() && number == 0; ++i) {
      const bool one_cluster = server.cluster != 0 && server.cluster == seen[i].cluster;
      if (one_cluster || Meet(server.addresses, seen[i].addresses)) {
        number = static_cast<int>(i) + 1;
      }
    }
    if (number == 0) {
      seen.push_back(std::move(server));
      number = static_cast<int>(seen.size());
    } else {
      seen[static_cast<std::size_t>(number - 1)].addresses.merge(server.addresses);
    }
    servers.servers_[target.text] = number;
  }
  return servers;
}

bool RunningServers::ShareServer(const std::string& target, const std::string& other) const {
  const auto one = servers_.find(target);
  const auto two = servers_.find(other);
  return one != servers_.end() && two != servers_.end() && one->second == two->second;
}

std::string UsageLines(const RunOptions& options, const std::vector<CaseInfo>& cases,
                       std::uint64_t seed) {
  const auto is_running = [](const TargetSpec& target) { return target.server.has_value(); };
  if (std::ranges::none_of(options.targets, is_running)) return {};
  const int rounds = options.repeat == 0 ? kMostRounds : std::min(options.repeat, kMostRounds);
  const int tries = options.plan.empty() ? options.tries : 1;  // all of them, at most
  RunUsage all[2];                                             // with compactions, and without
  for (int round = 1; round <= rounds; ++round) {
    for (const CaseInfo& info : cases) {
      for (int number = 1; number <= tries; ++number) {
        const std::uint64_t drawn = SeedOfTry(SeedOfAttempt(seed, round), number);
        const auto plan = PlanOf(info.name, drawn, options.plan.string());
        for (const bool disruptive : {false, true}) {
          if (plan && MayRun(info, disruptive)) Add(UsageOf(*plan), all[disruptive ? 1 : 0]);
        }
      }
    }
  }
  std::string lines;
  for (const TargetSpec& target : options.targets) {
    if (!target.server) continue;
    const bool disruptive = target.IsAmong(options.allow_disruptive);
    const RunUsage& usage = all[disruptive ? 1 : 0];
    lines += fmt::format(
        "  {}: at most {} at a time below watchproof/, {} and {} at a time, {} of values and {} in "
        "{}; keys and leases are deleted after each attempt\n",
        target.text, Count(static_cast<std::size_t>(usage.most.keys), "key"),
        Count(static_cast<std::size_t>(usage.most.watchers), "watcher"),
        Count(static_cast<std::size_t>(usage.most.leases), "lease"),
        fmt::format("{:.1f} MiB", static_cast<double>(usage.bytes) / (1024.0 * 1024.0)),
        disruptive ? Count(static_cast<std::size_t>(usage.compactions), "compaction")
                   : std::string("no compaction"),
        options.repeat == rounds ? std::string("all") : fmt::format("each {} rounds", rounds));
  }
  return lines;
}

std::string DrawKeyPrefix() {
  // Not from the seed: two runs with one seed must not use the same keys on one server.
  std::random_device device;
  return fmt::format("watchproof/{:08x}{:08x}/", device(), device());
}

std::string TakeAway(const TargetSpec& target, const std::string& prefix) {
  const auto left = Sweep(target, prefix, Within(kPatience / 2));
  if (left.has_value() && *left == 0) return {};
  if (left.has_value()) {
    return fmt::format("{} below {} could not be deleted on {}",
                       Count(static_cast<std::size_t>(*left), "key"), prefix, target.text);
  }
  return fmt::format("keys below {} may be left on {}: {}", prefix, target.text,
                     left.error().message());
}

}  // namespace watchproof
