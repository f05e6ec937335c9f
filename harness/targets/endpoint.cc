// SPDX-License-Identifier: Apache-2.0
// A server that is already running. It is somebody else's: it is never stopped, killed or started,
// and its history is left alone unless its owner has allowed that by name.
#include <algorithm>

#include "harness/targets/probe.h"

namespace watchproof {
namespace {

// It runs already or it does not; waiting long would only hide a wrong address.
constexpr Duration kAnswerLimit = 5s;

class EndpointTarget final : public Target {
 public:
  EndpointTarget(Endpoint endpoint, bool disruptive)
      : endpoint_(std::move(endpoint)), disruptive_(disruptive) {}

  Status Start(const StartOptions& options) override {
    const Duration limit = std::min(kAnswerLimit, options.deadline.remaining());
    Result<ServerStatus> answer = AskStatus(endpoint_, Within(limit));
    if (!answer.has_value()) {
      return Fail(answer.error().code(),
                  "nothing that speaks etcd's API answers on {}; expected a server that is already "
                  "running there ({})",
                  endpoint_.ToString(), answer.error().message());
    }
    version_ = answer->version;
    return {};
  }
  Endpoint endpoint() const override { return endpoint_; }
  std::string version() const override { return version_; }
  Result<Metrics> ReadMetrics() override { return FetchMetrics(endpoint_, Within(2s)); }
  bool shared() const override { return true; }
  bool may_compact() const override { return disruptive_; }
  // It is no child of ours, so nobody tells us how it ended.
  std::optional<ExitState> died() const override { return std::nullopt; }
  std::string LastWords() const override { return {}; }
  void Stop() override {}

 private:
  const Endpoint endpoint_;
  const bool disruptive_;
  std::string version_;
};

bool Allowed(const TargetSpec& spec) {
  return std::any_of(spec.allow_disruptive.begin(), spec.allow_disruptive.end(),
                     [&spec](const std::string& text) {
                       const Result<ServerAddress> one = ParseServerAddress(text);
                       return one.has_value() && one->host == spec.host && one->port == spec.port;
                     });
}

const TargetRegistration kEndpoint{{
    .info = {.name = "endpoint",
             .grammar = "endpoint:HOST:PORT",
             .explain =
                 "A server that is already running and that may be somebody else's: it is never "
                 "stopped, killed or started, keys are written under a prefix of their own and "
                 "deleted at the end, and nothing is compacted unless --allow-disruptive names "
                 "it."},
    .make = [](const TargetSpec& spec) -> Result<std::unique_ptr<Target>> {
      return std::make_unique<EndpointTarget>(Endpoint{spec.host, spec.port}, Allowed(spec));
    },
}};

}  // namespace
}  // namespace watchproof
