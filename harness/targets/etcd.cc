// SPDX-License-Identifier: Apache-2.0
// A stock etcd binary: one server with its own loopback address and data folder, alone or as a
// member of a cluster.
#include <fstream>

#include "harness/releases/etcd_version.h"
#include "harness/releases/file_facts.h"
#include "harness/releases/release_cache.h"
#include "harness/releases/tool.h"
#include "harness/targets/etcd_capabilities.h"
#include "harness/targets/process_target.h"
#include "harness/targets/topology.h"

namespace watchproof {
namespace {

class EtcdTarget final : public ProcessTarget {
 public:
  // The binary, or its release.
  EtcdTarget(std::string binary, const TargetSpec& spec)
      : binary_(std::move(binary)),
        release_(spec.release),
        plain_(spec.topology.empty()),
        topology_(MakeTopology(spec)) {}
  ~EtcdTarget() override { EtcdTarget::Stop(); }

  Status Start(const StartOptions& options) override {
    if (!release_.empty()) {
      WP_ASSIGN_OR_RETURN(const auto cached, CachedRelease("etcd", release_));
      binary_ = cached.string();
    }
    if (auto said = OutputOf(options, "--version"); !said.has_value()) return said.error();
    WP_RETURN_IF_ERROR(MakeFolder(DataOf(options)));
    start_ = options;
    more_.clear();
    const bool certificates = options.cluster.plan.certificates;
    if (certificates) topology_ = MakeTopology({.topology = "tls"});
    WP_RETURN_IF_ERROR(topology_->Prepare({.binary = binary_,
                                           .host = options.host,
                                           .port = kClientPort,
                                           .data = DataOf(options),
                                           .folder = options.folder,
                                           .name = options.name,
                                           .certificates = certificates},
                                          more_));
    ChildOptions child;
    WP_RETURN_IF_ERROR(FillIn(child));
    WP_RETURN_IF_ERROR(Serve(options, std::move(child)));
    WP_RETURN_IF_ERROR(topology_->Open(options.deadline));
    if (release_.empty() || release_ == version()) return {};
    return Fail(StatusCode::kFailedPrecondition, "{} is cached as etcd {}, but answers as {}",
                binary_, release_, version());
  }
  Stated stated() const override {
    Stated stated = CapabilitiesOfEtcd(version());
    if (!stated.offered.empty()) {
      (can_report_progress_ ? stated.offered : stated.missing).insert(Capability::kProgressNotices);
    }
    topology_->Correct(stated);
    return stated;
  }
  Endpoint endpoint() const override { return topology_->Direct(); }
  Endpoint front() const override { return topology_->front(); }
  Result<Endpoint> EndpointOf(const std::string& user) override {
    return topology_->EndpointOf(user);
  }
  std::string token() const override {
    const std::string own = topology_->token();
    return own.empty() ? ProcessTarget::token() : own;
  }
  std::optional<ExitState> died() const override {
    const std::optional<ExitState> server = ProcessTarget::died();
    return server || stopped_ ? server : topology_->died();
  }
  std::string LastWords() const override {
    return stopped_ || ProcessTarget::died() || !topology_->died() ? ProcessTarget::LastWords()
                                                                   : topology_->LastWords();
  }
  void Stop() override {
    stopped_ = true;
    topology_->Stop();
    ProcessTarget::Stop();
  }
  bool durable() const override { return true; }
  bool can_cluster() const override { return true; }
  Capabilities settings() const override {
    Capabilities offered{Capability::kTokenLifetime};
    // Each member of a cluster has its own space, and gets it back only when it is defragmented
    // itself; and it begins so late that a signed token lasts beyond the time of a plan.
    if (!peer_url().empty()) return offered;
    offered.insert(Capability::kQuota);
    if (SignedTokensEnd(version())) offered.insert(Capability::kSignedTokens);
    if (plain_) offered.insert(Capability::kCertificateNames);
    return offered;
  }
  std::string peer_url() const override {
    for (const ClusterShape::Member& member : start_.cluster.members) {
      if (member.name == start_.name) return "http://" + member.peer.ToString();
    }
    return {};
  }

 private:
  Status Become(const std::string& release, ChildOptions& child) override {
    WP_ASSIGN_OR_RETURN(const auto cached, CachedRelease("etcd", release));
    binary_ = cached.string();
    WP_RETURN_IF_ERROR(FillIn(child));
    // It refuses data of 3.5 unless it is asked to take it.
    if (MinorOf(release) == 4 && MinorOf(version()) == 5) {
      child.arguments.emplace_back("--next-cluster-version-compatible");
    }
    return {};
  }

  // The former data stays where it is: a proxy before the disk may have to take some of it back.
  Status WithoutData(ChildOptions& child) override {
    if (peer_url().empty()) return ProcessTarget::WithoutData(child);
    ++joined_;
    return FillIn(child);
  }
  Status FromSnapshot(const std::filesystem::path& snapshot, std::int64_t bump,
                      ChildOptions& child) override {
    WP_ASSIGN_OR_RETURN(const auto program, WhatRestores(bump));
    ++joined_;
    WP_RETURN_IF_ERROR(FillIn(child));
    std::vector<std::string> arguments{"snapshot", "restore", snapshot.string()};
    // The same as for the server, where it has them.
    for (const std::string_view flag :
         {"--data-dir", "--name", "--initial-cluster", "--initial-advertise-peer-urls"}) {
      const auto found = std::ranges::find(child.arguments, flag);
      arguments.insert(arguments.end(), {*found, *std::next(found)});
    }
    if (bump > 0) {
      arguments.insert(arguments.end(),
                       {fmt::format("--bump-revision={}", bump), "--mark-compacted"});
    }
    const auto said = RunTool({.name = program.string(),
                               .arguments = std::move(arguments),
                               .folder = snapshot.parent_path(),
                               .environment = {{"ETCDCTL_API", "3"}}});
    return said.has_value() ? Status() : said.error();
  }
  // Beside the server, as it is published, or fetched. Before 3.5 it was a command of etcdctl.
  Result<std::filesystem::path> WhatRestores(std::int64_t bump) const override {
    const std::string product = "etcdutl";
    const auto beside = [this](const std::string& program) {
      auto file = std::filesystem::path(binary_).replace_filename(program);
      std::error_code ignored;
      return std::filesystem::exists(file, ignored) ? file : std::filesystem::path();
    };
    const bool by_client = bump == 0 && MinorOf(version()).value_or(0) < 5;
    auto own = by_client ? beside("etcdctl") : std::filesystem::path();
    if (own.empty() && release_.empty()) own = beside(product);
    if (!own.empty()) return own;
    auto fetched = CachedRelease(product, version());
    if (fetched.has_value()) return fetched;
    return Fail(StatusCode::kUnimplemented, "{0} {1} (`watchproof fetch {0} {1}`)", product,
                version());
  }
  std::string DataFolder() const { return joined_ == 0 ? "etcd" : fmt::format("etcd-{}", joined_); }

  Status FillIn(ChildOptions& child) {
    child.executable = binary_;
    child.arguments = ArgumentsOf(start_);
    child.arguments.insert(child.arguments.end(), more_.begin(), more_.end());
    return AddFlagsOfRelease(start_, child);
  }

  std::vector<std::string> ArgumentsOf(const StartOptions& options) const {
    const std::string client = fmt::format("{}://{}:{}", topology_->secure() ? "https" : "http",
                                           options.host, kClientPort);
    const std::string peer = fmt::format("http://{}:{}", options.host, kPeerPort);
    const std::string name = options.name.empty() ? "wp" : options.name;
    const std::string announced = peer_url().empty() ? peer : peer_url();
    std::string all;
    for (const ClusterShape::Member& member : options.cluster.members) {
      const std::string url = "http://" + member.peer.ToString();
      all += fmt::format("{}{}={}", all.empty() ? "" : ",", member.name, url);
    }
    std::vector<std::string> arguments{"--name",
                                       name,
                                       "--data-dir",
                                       (DataOf(options) / DataFolder()).string(),
                                       "--listen-client-urls",
                                       client,
                                       "--advertise-client-urls",
                                       client,
                                       "--listen-peer-urls",
                                       peer,
                                       "--initial-advertise-peer-urls",
                                       announced,
                                       "--initial-cluster",
                                       all.empty() ? name + "=" + peer : all};
    if (joined_ > 0) arguments.emplace_back("--initial-cluster-state=existing");
    if (options.cluster.plan.snapshot_count > 0) {
      arguments.push_back(fmt::format("--snapshot-count={}", options.cluster.plan.snapshot_count));
    }
    if (topology_->secure()) {
      arguments.push_back(
          fmt::format("--listen-metrics-urls=http://{}:{}", options.host, kHttpPort));
    }
    return arguments;
  }

  proxy::FileClasses file_classes() const override {
    return {{"log", "*member/wal/*"},
            {"database", "*member/snap/db*"},
            {"snapshot", "*member/snap/*.snap*"}};
  }
  Endpoint metrics_endpoint() const override {
    return {host(), topology_->secure() ? kHttpPort : kClientPort};
  }

  // What the binary prints for one flag, such as --version.
  Result<std::string> OutputOf(const StartOptions& options, const std::string& flag) const {
    return FactOf(binary_, flag, [&] { return AskedFor(options, flag); });
  }
  Result<std::string> AskedFor(const StartOptions& options, const std::string& flag) const {
    const auto answer_file = options.folder / ("target.answer" + options.name);
    ChildOptions ask{.executable = binary_, .arguments = {flag}, .log = answer_file};
    WP_ASSIGN_OR_RETURN(const auto child, ChildProcess::Launch(ask));
    const Result<ExitState> ended = child->Wait(Within(5s));
    // A busy machine may be to blame: the caller may try again.
    if (!ended.has_value()) {
      return Fail(StatusCode::kDeadlineExceeded, "{} {} did not end within 5 s", binary_, flag);
    }
    std::ifstream file(answer_file);
    std::string answer((std::istreambuf_iterator<char>(file)), {});
    std::error_code ignored;
    std::filesystem::remove(answer_file, ignored);
    if (flag == "--version") {
      WP_RETURN_IF_ERROR(CheckItIsEtcd(answer, ended->ToString()));
    } else if (ended->signal != 0) {
      return Fail(StatusCode::kUnavailable, "{} {} {}", binary_, flag, ended->ToString());
    }
    return answer;
  }

  // Flags that have different names in different releases, and that old ones do not have; each only
  // where the attempt asks for it.
  Status AddFlagsOfRelease(const StartOptions& options, ChildOptions& child) {
    WP_ASSIGN_OR_RETURN(const std::string help, OutputOf(options, "--help"));
    constexpr const char* kNoSync = "--unsafe-no-fsync";
    if (!options.synced && help.find(kNoSync) != std::string::npos) {
      child.arguments.push_back(kNoSync);
    }
    if (options.cluster.plan.compare_at_start) {
      constexpr const char* kFlag = "--experimental-initial-corrupt-check";
      if (help.find("InitialCorruptCheck=") != std::string::npos) {  // since 3.6
        child.arguments.emplace_back("--feature-gates=InitialCorruptCheck=true");
      } else if (help.find(kFlag) != std::string::npos) {
        child.arguments.emplace_back(kFlag);
      }
    }
    // Empty where the release has neither form of it.
    const auto flag = [&help](std::string_view name) {
      for (const std::string_view prefix : {"--", "--experimental-"}) {
        std::string form = fmt::format("{}{}", prefix, name);
        if (help.find(form) != std::string::npos) return form;
      }
      return std::string();
    };
    const auto set = [&](std::string_view name, int value, std::string_view unit = "") {
      const std::string form = flag(name);
      if (value == 0 || form.empty()) return;
      child.arguments.push_back(fmt::format("{}={}{}", form, value, unit));
    };
    // The least there is: each password costs 50 to 100 ms otherwise.
    if (options.users) set("bcrypt-cost", 4);
    const ClusterPlan& plan = options.cluster.plan;
    if (plan.quota_mib > 0) {
      child.arguments.push_back(
          fmt::format("--quota-backend-bytes={}", std::int64_t{plan.quota_mib} << 20));
    }
    set("auth-token-ttl", plan.signed_tokens ? 0 : plan.token_seconds);
    if (plan.signed_tokens) {
      WP_ASSIGN_OR_RETURN(const std::string answer, OutputOf(options, "--version"));
      const bool ends = SignedTokensEnd(EtcdVersionIn(answer).value_or(""));
      if (ends) WP_RETURN_IF_ERROR(SignTokens(options, child));
    }
    set("compaction-batch-limit", plan.compaction_batch);
    set("snapshot-catchup-entries", plan.catch_up_entries);
    set("backend-batch-limit", plan.backend_batch);
    set("backend-batch-interval", plan.backend_ms, "ms");
    if (plan.lease_checkpoints) AddLeaseCheckpoints(help, child);
    if (const int election = plan.election_ms; election != 0) {
      child.arguments.insert(child.arguments.end(),
                             {fmt::format("--election-timeout={}", election),
                              fmt::format("--heartbeat-interval={}", election / 10)});
    }
    // Since 3.6: what its developers assert in their tests. Its other checks are slow.
    if (plan.self_checks) child.environment["ETCD_VERIFY"] = "assert";
    const std::string interval = flag("watch-progress-notify-interval");
    can_report_progress_ = !interval.empty();
    if (options.progress_interval > Duration() && !interval.empty()) {
      child.arguments.insert(child.arguments.end(),
                             {interval, InMilliseconds(options.progress_interval)});
    }
    return {};
  }

  // After a time that can be set.
  static bool SignedTokensEnd(std::string_view version) {
    return MinorOf(version).value_or(0) >= 4;
  }
  // Any secret will do, as long as all members have the same one.
  static Status SignTokens(const StartOptions& options, ChildOptions& child) {
    const auto secret = DataOf(options) / "secret-of-tokens";
    std::ofstream file(secret);
    file << "one secret for all members of this cluster\n";
    if (!file.flush()) return Fail(StatusCode::kUnavailable, "cannot write {}", secret.string());
    child.arguments.push_back(fmt::format("--auth-token=jwt,priv-key={},sign-method=HS256,ttl={}s",
                                          secret.string(), options.cluster.plan.token_seconds));
    return {};
  }

  static void AddLeaseCheckpoints(const std::string& help, ChildOptions& child) {
    if (help.find("LeaseCheckpoint=") != std::string::npos) {  // since 3.6
      child.arguments.emplace_back(
          "--feature-gates=LeaseCheckpoint=true,LeaseCheckpointPersist=true");
      return;
    }
    for (const char* const flag : {"--experimental-enable-lease-checkpoint",
                                   "--experimental-enable-lease-checkpoint-persist"}) {
      if (help.find(std::string(flag) + " ") != std::string::npos) {
        child.arguments.emplace_back(flag);
      }
    }
  }

  // Another program than etcd must not run with arguments for etcd.
  Status CheckItIsEtcd(const std::string& answer, const std::string& ended) const {
    if (EtcdVersionIn(answer)) return {};
    const std::string first_line = answer.substr(0, answer.find('\n'));
    return Fail(
        StatusCode::kInvalidArgument,
        "{} is not etcd: with --version it {} and printed \"{}\"; expected \"etcd Version: ...\"",
        binary_, ended, first_line.substr(0, 200));
  }

  std::string binary_;
  StartOptions start_;
  std::vector<std::string> more_;     // arguments of the topology
  int joined_ = 0;                    // how often it has joined its cluster without data
  bool can_report_progress_ = false;  // by itself, often enough for a case that asks for it
  const std::string release_;         // to be looked up in the cache; empty: the binary is given
  const bool plain_;                  // no topology is asked for
  std::unique_ptr<Topology> topology_;
  bool stopped_ = false;
};

// etcd goes back by one minor version at a time, and that has to be what was meant.
Status CheckNextReleases(const TargetSpec& spec) {
  if (spec.next.empty()) return {};
  const NextRelease& next = spec.next.front();
  const auto from = MinorOf(spec.release);
  const auto to = MinorOf(next.release);
  const auto refuse = [&spec](const std::string& why) {
    return Fail(StatusCode::kInvalidArgument, "target \"{}\": {}", spec.text, why);
  };
  if (from && to && next.older && *to + 1 != *from) {
    return refuse(fmt::format("a downgrade of {} is to 3.{}, expected such a release instead of {}",
                              spec.release, *from - 1, next.release));
  }
  if (from && to && !next.older && *to < *from) {
    return refuse(fmt::format("{} is older than {}; expected downgrade={} for that", next.release,
                              spec.release, next.release));
  }
  // Which has the flag for it.
  constexpr int kFirstPatch = 32;
  constexpr std::string_view kBranch = "3.4.";
  if (next.older && next.release.starts_with(kBranch) &&
      std::atoi(next.release.c_str() + kBranch.size()) < kFirstPatch) {
    return refuse(fmt::format("{} cannot take data of 3.5; expected 3.4.{} or later", next.release,
                              kFirstPatch));
  }
  return {};
}

Status ParseEtcd(std::string_view rest, TargetSpec& spec) {
  WP_RETURN_IF_ERROR(TakeTopology(rest, spec));
  const bool version = rest.starts_with("@") && IsEtcdRelease(rest.substr(1));
  if (rest.size() < 2 || (rest[0] != ':' && !version)) return NotUnderstood(spec);
  spec.product = spec.name = "etcd";
  std::string path;
  if (rest[0] == '@') {
    spec.release = rest.substr(1);
    spec.label = spec.text;
    spec.label.replace(0, 5, "etcd ");
    WP_RETURN_IF_ERROR(CheckNextReleases(spec));
  } else {
    spec.program = path = rest.substr(1);
  }
  spec.make = [path](const TargetSpec& made) { return std::make_unique<EtcdTarget>(path, made); };
  return {};
}

const TargetRegistration kEtcd{{
    .info =
        {.name = "etcd",
         .grammar = "etcd:PATH or etcd@VERSION[,TOPOLOGY]",
         .explain =
             "A stock etcd binary, started on its own loopback address with an empty data "
             "folder, as one member or, where the case asks for it, as a cluster of several, each "
             "with a proxy before its peer port; its version is what it reports itself. "
             "etcd@3.5.16 is the binary that `watchproof fetch etcd 3.5.16` has placed. A "
             "topology, as in etcd@3.7.3,tls, says how it is set up and reached: `watchproof list "
             "targets` names them."},
    .parse = ParseEtcd,
}};

}  // namespace
}  // namespace watchproof
