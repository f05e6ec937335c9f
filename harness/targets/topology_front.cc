// SPDX-License-Identifier: Apache-2.0
// One of the two proxies that are part of the etcd binary, between clients and the server. The
// direct path, by which the control watch knows the truth, leads to the server itself.
#include "harness/targets/probe.h"
#include "harness/targets/topology.h"

namespace watchproof {
namespace {

constexpr int kFrontPort = 2383;

class Front : public Topology {
 public:
  Front(std::string command, std::vector<std::string> more)
      : command_(std::move(command)), more_(std::move(more)) {}
  ~Front() override { Front::Stop(); }

  Status Open(Deadline deadline) override {
    const std::string suffix = place().name.empty() ? "" : "-" + place().name;
    ChildOptions options{.executable = place().binary,
                         .log = place().folder / fmt::format("{}{}.log", command_, suffix)};
    options.arguments = {command_,           "start",       "--listen-addr",
                         front().ToString(), "--endpoints", Direct().ToString()};
    AddArguments(options.arguments);
    WP_ASSIGN_OR_RETURN(child_, ChildProcess::Launch(options));
    const auto serving = AwaitServing(front(), *child_, "etcd " + command_, deadline);
    return serving.has_value() ? Status() : serving.error();
  }
  Endpoint front() const override { return {place().host, kFrontPort}; }
  std::optional<ExitState> died() const override {
    return child_ ? child_->exit_state() : std::nullopt;
  }
  std::string LastWords() const override { return child_ ? child_->LastWords() : std::string(); }
  void Stop() override {
    if (child_) child_->Stop(Duration::zero());
    child_.reset();
  }

 private:
  virtual void AddArguments(std::vector<std::string>& arguments) const {
    arguments.insert(arguments.end(), more_.begin(), more_.end());
  }

  const std::string command_;
  const std::vector<std::string> more_;
  std::unique_ptr<ChildProcess> child_;
};

// Ends calls and streams, and opens its own: several watches become one.
class GrpcProxy final : public Front {
 public:
  GrpcProxy() : Front("grpc-proxy", {}) {}
  // Whatever its server offers, it must be asked.
  void Correct(Stated& stated) const override {
    for (const Capability of_watches :
         {Capability::kClientChosenIds, Capability::kProgressRequest, Capability::kFragment,
          Capability::kPreviousValues, Capability::kProgressNotices}) {
      stated.offered.erase(of_watches);
    }
    // The server never sees a slow client.
    stated.Withhold(Capability::kSlowWatcherGauge);
  }

 private:
  void AddArguments(std::vector<std::string>& arguments) const override {
    arguments.insert(arguments.end(), {"--data-dir", (place().data / "grpc-proxy").string()});
  }
};

const TopologyRegistration kGateway{
    {.name = "gateway",
     .form = "gateway",
     .explain = "clients connect through `etcd gateway`, which forwards connections",
     .make = []() -> std::unique_ptr<Topology> {
       // By default it forgets a server that did not answer once for a minute.
       return std::make_unique<Front>("gateway",
                                      std::vector<std::string>{"--retry-delay", "100ms"});
     }}};
const TopologyRegistration kGrpcProxy{
    {.name = "grpc-proxy",
     .form = "grpc-proxy",
     .explain = "clients connect through `etcd grpc-proxy`, which makes one watch of several",
     .make = [] { return std::unique_ptr<Topology>(new GrpcProxy); }}};

}  // namespace
}  // namespace watchproof
