// SPDX-License-Identifier: Apache-2.0
// A target for tests of faults: it does what the test says.
//
//   FakeTarget target;
//   target.ask = [&] { return ServerStatus{.revision = 7}; };
//   ports.servers.push_back({.target = &target});
//
// Not thread-safe.
#pragma once

#include <functional>

#include "harness/targets/target.h"

namespace watchproof {

class FakeTarget final : public Target {
 public:
  Status Start(const StartOptions&) override { return {}; }
  Endpoint endpoint() const override { return {}; }
  std::string version() const override { return {}; }
  Result<ServerStatus> Ask(Deadline) const override { return ask(); }
  Result<Metrics> ReadMetrics() override { return read_metrics(); }
  Status Kill() override { return kill(); }
  Status Terminate(Deadline) override { return terminate(); }
  Status Restart(Deadline, const std::string& release) override { return restart(release); }
  Status Pause() override { return pause(); }
  Status Continue() override { return proceed(); }
  char process_state() const override { return state(); }
  std::optional<ExitState> died() const override { return std::nullopt; }
  std::string LastWords() const override { return words; }
  std::optional<DataFiles> data_files() const override { return files; }
  void LetGiveUp(bool may) override { may_give_up = may; }
  std::optional<ExitState> gave_up() const override { return may_give_up ? ended : std::nullopt; }
  void Stop() override {}
  bool durable() const override { return keeps; }
  proxy::Disk* disk() override { return own_disk; }

  std::function<Result<ServerStatus>()> ask;
  std::function<Result<Metrics>()> read_metrics;
  std::function<Status()> kill;
  std::function<Status()> terminate;
  std::function<Status(const std::string& release)> restart;
  std::function<Status()> pause;
  std::function<Status()> proceed;
  std::function<char()> state;
  bool keeps = false;
  std::optional<DataFiles> files;
  std::string words;
  bool may_give_up = false;
  std::optional<ExitState> ended;  // by itself
  proxy::Disk* own_disk = nullptr;
};

}  // namespace watchproof
