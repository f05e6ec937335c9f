// SPDX-License-Identifier: Apache-2.0
#include "harness/targets/process_target.h"

#include <unistd.h>

#include <fstream>

#include "harness/base/check.h"

extern char** environ;

namespace watchproof {

Status ProcessTarget::Serve(const StartOptions& options, ChildOptions child) {
  host_ = options.host;
  data_ = DataOf(options);
  WP_RETURN_IF_ERROR(MakeFolder(data_));
  const std::string suffix = options.name.empty() ? "" : "-" + options.name;
  child.log = options.folder / fmt::format("target{}.log", suffix);
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (text.starts_with("ETCD_")) {
      child.environment.emplace(text.substr(0, text.find('=')), std::nullopt);
    }
  }
  options_ = std::move(child);
  if (options.disk && can_have_disk()) {
    WP_ASSIGN_OR_RETURN(
        disk_,
        proxy::Disk::Open({.folder = data_, .classes = file_classes(), .real_syncs = false}));
    options_.disk = disk_.get();
  }
  return Launch(options.deadline);
}

bool ProcessTarget::can_have_disk() const {
  static const bool kCan = proxy::CanTrapCalls().ok();
  return durable() && kCan;
}

proxy::FileClasses ProcessTarget::file_classes() const {
  return {{"log", "*wal*|*journal*|*.log"},
          {"database", "*.db|*.mdb|*.sqlite*"},
          {"snapshot", "*snap*"}};
}

std::optional<DataFiles> ProcessTarget::data_files() const {
  if (!durable() || data_.empty()) return std::nullopt;
  return DataFiles{.folder = data_, .classes = file_classes()};
}

Status ProcessTarget::MakeFolder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error) return {};
  return FromErrorCode(error).WithContext("{}: making the data folder", folder.string());
}

Status ProcessTarget::Launch(Deadline deadline) {
  WP_ASSIGN_OR_RETURN(child_, ChildProcess::Launch(options_));
  WP_ASSIGN_OR_RETURN(
      const ServerStatus serving,
      AwaitServing(endpoint(), *child_, options_.executable.string(), deadline, token()));
  version_ = serving.version;
  return {};
}

Status ProcessTarget::End(int signal, Deadline deadline) {
  if (!durable()) return Target::Kill();
  WP_CHECK(child_ && !stopped_ && !ended_, "only what runs can be ended");
  const bool by_disk = KilledByDisk();
  if (gave_up()) {
    ended_ = true;
    return {};
  }
  if (const auto ended = child_->exit_state(); ended && !by_disk) {
    return Fail(StatusCode::kFailedPrecondition, "it {} before it could be ended",
                ended->ToString());
  }
  if (by_disk) signal = SIGKILL;
  child_->Signal(signal);
  const Result<ExitState> obeyed = child_->Wait(deadline);
  if (!obeyed.has_value()) {
    child_->Stop(Duration::zero());
    ended_ = true;
    return obeyed.error().WithContext("asked by signal {} to end, then killed", signal);
  }
  ended_ = may_give_up_;  // then any end will do
  if (ended_) return {};
  const ExitState state = *obeyed;
  // The process may have ended by itself just before the signal: that is an error. After SIGTERM it
  // may also exit with 0.
  if (state.signal != signal && !(signal == SIGTERM && state.clean())) {
    return Fail(StatusCode::kFailedPrecondition, "it {} before it could be ended",
                state.ToString());
  }
  ended_ = true;
  return {};
}

Status ProcessTarget::Signal(int signal) {
  WP_CHECK(child_ && !stopped_, "only what was started gets signals");
  if (const auto ended = child_->exit_state()) {
    return Fail(StatusCode::kFailedPrecondition, "it {} before signal {} could be sent",
                ended->ToString(), signal);
  }
  child_->Signal(signal);
  return {};
}

// The state comes after the name, which is in brackets and may contain anything.
char ProcessTarget::process_state() const {
  if (!child_) return 0;
  std::ifstream file(fmt::format("/proc/{}/stat", child_->pid()));
  const std::string line((std::istreambuf_iterator<char>(file)), {});
  const auto bracket = line.rfind(") ");
  return bracket == std::string::npos || bracket + 2 >= line.size() ? '\0' : line[bracket + 2];
}

std::optional<double> ProcessTarget::ResidentBytes() {
  if (!child_) return std::nullopt;
  std::ifstream file(fmt::format("/proc/{}/statm", child_->pid()));
  double pages = 0;
  double resident = 0;
  if (!(file >> pages >> resident)) return std::nullopt;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

Status ProcessTarget::Become(const std::string&, ChildOptions&) {
  return Fail(StatusCode::kUnimplemented, "this target has no other releases");
}

Status ProcessTarget::WithoutData(ChildOptions&) { return Target::BeginAnew(); }

Status ProcessTarget::FromSnapshot(const std::filesystem::path& snapshot, std::int64_t bump,
                                   ChildOptions&) {
  return Target::BeginFrom(snapshot, bump);
}

Status ProcessTarget::Restart(Deadline deadline, const std::string& release) {
  if (!durable()) return Target::Restart(deadline);
  WP_CHECK(ended_ && !stopped_, "only what was ended is started again");
  if (!release.empty()) WP_RETURN_IF_ERROR(Become(release, options_));
  ended_ = false;
  Status launched = Launch(deadline);
  not_restarted_ = launched.message();
  if (launched.ok()) return {};
  return std::move(launched).WithContext("starting the target again");
}

std::string ProcessTarget::not_restarted() const {
  const bool runs = child_ && !stopped_ && !ended_ && !child_->exit_state();
  return runs ? not_restarted_ : std::string();
}

std::optional<ExitState> ProcessTarget::EndOfItsOwn() const {
  if (stopped_ || ended_ || !child_ || KilledByDisk()) return std::nullopt;
  return child_->exit_state();
}

std::optional<ExitState> ProcessTarget::died() const {
  return may_give_up_ ? std::nullopt : EndOfItsOwn();
}

std::optional<ExitState> ProcessTarget::gave_up() const {
  return may_give_up_ ? EndOfItsOwn() : std::nullopt;
}

void ProcessTarget::Stop() {
  if (std::exchange(stopped_, true)) return;
  // Its state is not needed again, so a graceful stop is not necessary.
  if (child_) child_->Stop(Duration::zero());
  std::error_code ignored;
  if (data_.empty()) return;
  std::filesystem::remove_all(data_, ignored);
  // Shared with other members: removed with the last of them.
  if (data_.filename() != "tmp") std::filesystem::remove(data_.parent_path(), ignored);
}

}  // namespace watchproof
