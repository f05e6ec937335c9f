// SPDX-License-Identifier: Apache-2.0
// A stock etcd binary: one server with its own loopback address and data folder, alone or as a
// member of a cluster.
#include <fstream>

#include "harness/targets/etcd_version.h"
#include "harness/targets/process_target.h"
#include "harness/targets/release_cache.h"

namespace watchproof {
namespace {

class EtcdTarget final : public ProcessTarget {
 public:
  // One of the two.
  EtcdTarget(std::string binary, std::string release)
      : binary_(std::move(binary)), release_(std::move(release)) {}

  Status Start(const StartOptions& options) override {
    if (!release_.empty()) {
      WP_ASSIGN_OR_RETURN(const auto cached, CachedRelease("etcd", release_));
      binary_ = cached.string();
    }
    std::string ended;
    WP_ASSIGN_OR_RETURN(const std::string said, Ask(options, "--version", ended));
    WP_RETURN_IF_ERROR(CheckItIsEtcd(said, ended));
    ChildOptions child{.executable = binary_, .arguments = ArgumentsOf(options)};
    WP_RETURN_IF_ERROR(AddProgressInterval(options, child));
    WP_RETURN_IF_ERROR(Serve(options, std::move(child)));
    if (release_.empty() || release_ == version()) return {};
    return Fail(StatusCode::kFailedPrecondition, "{} is cached as etcd {}, but answers as {}",
                binary_, release_, version());
  }
  Stated stated() const override {
    Stated stated = CapabilitiesOfEtcd(version());
    if (!stated.offered.empty()) {
      (reports_progress_ ? stated.offered : stated.missing).insert(Capability::kProgressNotices);
    }
    return stated;
  }
  bool durable() const override { return true; }
  bool can_cluster() const override { return true; }

 private:
  Result<std::filesystem::path> BinaryOf(const std::string& release) const override {
    return CachedRelease("etcd", release);
  }

  static std::vector<std::string> ArgumentsOf(const StartOptions& options) {
    const std::string client = fmt::format("http://{}:{}", options.host, kClientPort);
    const std::string peer = fmt::format("http://{}:{}", options.host, kPeerPort);
    const std::string name = options.name.empty() ? "wp" : options.name;
    std::string announced = peer;
    std::string all;
    for (const ClusterShape::Member& member : options.cluster.members) {
      const std::string url = "http://" + member.peer.ToString();
      if (member.name == name) announced = url;
      all += fmt::format("{}{}={}", all.empty() ? "" : ",", member.name, url);
    }
    std::vector<std::string> arguments{"--name",
                                       name,
                                       "--data-dir",
                                       (DataOf(options) / "etcd").string(),
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
    if (options.cluster.snapshot_count > 0) {
      arguments.push_back(fmt::format("--snapshot-count={}", options.cluster.snapshot_count));
    }
    return arguments;
  }

  Endpoint metrics_endpoint() const override { return endpoint(); }

  // What the binary prints for one flag, such as --version.
  Result<std::string> Ask(const StartOptions& options, const std::string& flag,
                          std::string& how_it_ended) const {
    const auto answer_file = options.folder / ("target.answer" + options.name);
    ChildOptions ask{.executable = binary_, .arguments = {flag}, .log = answer_file};
    WP_ASSIGN_OR_RETURN(const auto child, ChildProcess::Launch(ask));
    const Result<ExitState> ended = child->Wait(Within(5s));
    how_it_ended = ended.has_value() ? ended->ToString() : "did not end within 5 s";
    std::ifstream file(answer_file);
    std::string answer((std::istreambuf_iterator<char>(file)), {});
    std::error_code ignored;
    std::filesystem::remove(answer_file, ignored);
    return answer;
  }

  // By default etcd sends a quiet watch its progress every ten minutes. The flag has different
  // names in different releases, and old ones have none.
  Status AddProgressInterval(const StartOptions& options, ChildOptions& child) {
    std::string ignored;
    WP_ASSIGN_OR_RETURN(const std::string help, Ask(options, "--help", ignored));
    for (const char* flag :
         {"--watch-progress-notify-interval", "--experimental-watch-progress-notify-interval"}) {
      if (help.find(flag) == std::string::npos) continue;
      child.arguments.insert(child.arguments.end(), {flag, "200ms"});
      reports_progress_ = true;
      break;
    }
    return {};
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
  bool reports_progress_ = false;  // by itself, as its flag has been set
  const std::string release_;      // to be looked up in the cache; empty: the binary is given
};

// "@3.5.16"; the version becomes part of a path, so that nothing else may be in it.
bool IsVersion(std::string_view rest) {
  return rest.starts_with("@") && rest.find("..") == std::string_view::npos &&
         rest.find_first_not_of("0123456789abcdefghijklmnopqrstuvwxyz.-+~", 1) ==
             std::string_view::npos;
}

Status Parse(std::string_view rest, TargetSpec& spec) {
  if (rest.size() < 2 || (rest[0] != ':' && !IsVersion(rest))) return NotUnderstood(spec);
  spec.product = spec.name = "etcd";
  std::string path;
  if (rest[0] == '@') {
    spec.release = rest.substr(1);
    spec.label = "etcd " + spec.release;
  } else {
    path = rest.substr(1);
  }
  spec.make = [path](const TargetSpec& made) {
    return std::make_unique<EtcdTarget>(path, made.release);
  };
  return {};
}

const TargetRegistration kEtcd{{
    .info =
        {.name = "etcd",
         .grammar = "etcd:PATH or etcd@VERSION",
         .explain =
             "A stock etcd binary, started on its own loopback address with an empty data "
             "folder, as one member or, where the case asks for it, as a cluster of several, each "
             "with a proxy before its peer port; its version is what it reports itself. "
             "etcd@3.5.16 is the binary that `watchproof fetch etcd 3.5.16` has placed."},
    .parse = Parse,
}};

}  // namespace
}  // namespace watchproof
