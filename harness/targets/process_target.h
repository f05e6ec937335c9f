// SPDX-License-Identifier: Apache-2.0
// The common part of targets that are a child process: launch, wait until it serves, metrics, end.
//
// Not thread-safe. Ownership: owns the process and its data folder.
#pragma once

#include <signal.h>

#include "harness/targets/probe.h"
#include "harness/targets/target.h"

namespace watchproof {

class ProcessTarget : public Target {
 public:
  ~ProcessTarget() override { Stop(); }
  Endpoint endpoint() const override { return {host_, kClientPort}; }
  std::string version() const override { return version_; }
  Result<Metrics> ReadMetrics() override { return FetchMetrics(metrics_endpoint(), Within(2s)); }
  // As the system counts it, which costs the server nothing: a page of metrics does.
  std::optional<double> ResidentBytes() override;
  Status Kill() override { return End(SIGKILL, Within(kDyingLimit)); }
  Status Terminate(Deadline deadline) override { return End(SIGTERM, deadline); }
  Status Restart(Deadline deadline, const std::string& release = {}) override;
  Status BeginAnew() override { return WithoutData(options_); }
  Status BeginFrom(const std::filesystem::path& snapshot, std::int64_t bump) override {
    return FromSnapshot(snapshot, bump, options_);
  }
  std::string not_restarted() const override;
  Status Pause() override { return Signal(SIGSTOP); }
  Status Continue() override { return Signal(SIGCONT); }
  char process_state() const override;
  std::optional<ExitState> died() const override;
  void LetGiveUp(bool may) override { may_give_up_ = may; }
  std::optional<ExitState> gave_up() const override;
  std::string LastWords() const override { return child_ ? child_->LastWords() : std::string(); }
  bool can_have_disk() const override;
  proxy::Disk* disk() override { return disk_.get(); }
  std::optional<DataFiles> data_files() const override;
  void Stop() override;

 protected:
  static constexpr int kClientPort = 2379;
  static constexpr int kPeerPort = 2380;
  static constexpr int kHttpPort = 2381;
  static constexpr Duration kDyingLimit = 10s;

  // Launches and waits until it answers. etcd's variables are removed from its environment.
  Status Serve(const StartOptions& options, ChildOptions child);
  virtual Endpoint metrics_endpoint() const = 0;
  // Names for patterns of its files, for faults of its disk. The names are the same for every kind:
  // "log", "database", "snapshot".
  virtual proxy::FileClasses file_classes() const;
  // Makes the options those of another release, for kinds with several: its binary, and its flags.
  virtual Status Become(const std::string& release, ChildOptions& child);
  // Makes the options those of a member that joins its cluster without data.
  virtual Status WithoutData(ChildOptions& child);
  // Makes the options those of a member that begins with a snapshot, of its own folder.
  virtual Status FromSnapshot(const std::filesystem::path& snapshot, std::int64_t bump,
                              ChildOptions& child);
  // The folder of its data, under the attempt's folder.
  static std::filesystem::path DataOf(const StartOptions& options) {
    const auto all = options.folder / "tmp";
    return options.name.empty() ? all : all / options.name;
  }
  // "200ms", for a command line.
  static std::string InMilliseconds(Duration duration) {
    return fmt::format("{}ms", duration / 1ms);
  }
  static Status MakeFolder(const std::filesystem::path& folder);
  const std::string& host() const { return host_; }

 private:
  std::string host_;
  std::string version_;
  std::filesystem::path data_;
  // Launches what Serve was given and waits until it answers.
  Status Launch(Deadline deadline);
  // Ends it by SIGKILL or SIGTERM. An error if it ended in another way.
  Status End(int signal, Deadline deadline);
  Status Signal(int signal);

  std::unique_ptr<proxy::Disk> disk_;  // outlives the process
  ChildOptions options_;
  std::unique_ptr<ChildProcess> child_;
  bool KilledByDisk() const { return disk_ && disk_->killed_at(); }
  std::optional<ExitState> EndOfItsOwn() const;

  bool ended_ = false;  // by End, and not started again yet
  std::string not_restarted_;
  bool may_give_up_ = false;
  bool stopped_ = false;
};

}  // namespace watchproof
