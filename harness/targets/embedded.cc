// SPDX-License-Identifier: Apache-2.0
// The embedded store as a child process: this executable again, as `watchproof store`.
#include "harness/targets/process_target.h"

namespace watchproof {
namespace {

class EmbeddedTarget final : public ProcessTarget {
 public:
  explicit EmbeddedTarget(std::vector<std::string> defects) : defects_(std::move(defects)) {}

  Status Start(const StartOptions& options) override {
    ChildOptions child{.executable = OwnExecutable()};
    child.arguments = {"store", "--listen", fmt::format("{}:{}", options.host, kClientPort),
                       "--http", fmt::format("{}:{}", options.host, kHttpPort)};
    // In memory, as by default, unless durability is asked for.
    durable_ = options.durable;
    if (durable_) {
      child.arguments.insert(child.arguments.end(),
                             {"--data", (DataOf(options) / "store").string()});
    }
    if (options.progress_interval > Duration()) {
      child.arguments.insert(child.arguments.end(),
                             {"--progress-interval", InMilliseconds(options.progress_interval)});
    }
    if (options.strict_previous_values) {
      child.arguments.emplace_back("--strict-prev-kv");
    }
    if (const int quota = options.cluster.plan.quota_mib; quota > 0) {
      child.arguments.insert(child.arguments.end(), {"--quota-backend-bytes",
                                                     fmt::format("{}", std::int64_t{quota} << 20)});
    }
    if (const int seconds = options.cluster.plan.token_seconds; seconds > 0) {
      child.arguments.insert(child.arguments.end(),
                             {"--auth-token-ttl", fmt::format("{}", seconds)});
    }
    // Each takes 50 ms of a processor otherwise.
    if (options.users) child.arguments.insert(child.arguments.end(), {"--password-cost", "4"});
    for (const std::string& defect : defects_) {
      child.arguments.insert(child.arguments.end(), {"--defect", defect});
    }
    return Serve(options, std::move(child));
  }
  bool durable() const override { return durable_; }
  bool can_be_strict() const override { return true; }
  Capabilities settings() const override {
    return {Capability::kQuota, Capability::kTokenLifetime};
  }
  bool ours() const override { return true; }
  Stated stated() const override {
    return {.offered = {Capability::kCompaction, Capability::kClientChosenIds,
                        Capability::kProgressRequest, Capability::kFragment,
                        Capability::kPreviousValues, Capability::kSlowWatcherGauge,
                        Capability::kProgressNotices, Capability::kUsers, Capability::kLeases,
                        Capability::kRangeStream, Capability::kMaintenance, Capability::kDowngrades,
                        Capability::kNoPasswords},
            .missing = {Capability::kLocks}};
  }

 private:
  Endpoint metrics_endpoint() const override { return {host(), kHttpPort}; }
  // It has one file, with the history in it.
  proxy::FileClasses file_classes() const override { return {{"log", "*"}, {"database", "*"}}; }

  const std::vector<std::string> defects_;
  bool durable_ = false;
};

Status ParseEmbedded(std::string_view rest, TargetSpec& spec) {
  if (!rest.empty() && rest[0] != '+') return NotUnderstood(spec);
  while (!rest.empty()) {
    const auto end = std::min(rest.find('+', 1), rest.size());
    spec.defects.emplace_back(rest.substr(1, end - 1));
    rest = rest.substr(end);
    if (spec.defects.back().empty()) return NotUnderstood(spec, "names no defect after \"+\"");
  }
  spec.product = "embedded";
  spec.ours = true;
  spec.make = [](const TargetSpec& made) { return std::make_unique<EmbeddedTarget>(made.defects); };
  return {};
}

const TargetRegistration kEmbedded{{
    .info = {.name = "embedded",
             .grammar = "embedded[+DEFECT...]",
             .explain =
                 "The embedded store as a child process, clean or with named defects "
                 "switched on. It keeps its data in memory, or in the folder of the attempt when "
                 "the case needs that."},
    .parse = ParseEmbedded,
}};

}  // namespace
}  // namespace watchproof
