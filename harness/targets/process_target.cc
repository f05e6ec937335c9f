// SPDX-License-Identifier: Apache-2.0
#include "harness/targets/process_target.h"

#include <signal.h>

#include "harness/base/check.h"

extern char** environ;

namespace watchproof {
namespace {

constexpr Duration kDyingLimit = 10s;

}  // namespace

Status ProcessTarget::Serve(const StartOptions& options, ChildOptions child) {
  host_ = options.host;
  data_ = options.folder / "tmp";
  std::error_code error;
  std::filesystem::create_directories(data_, error);
  if (error) return FromErrorCode(error).WithContext("{}: making the data folder", data_.string());
  child.log = options.folder / "target.log";
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (text.starts_with("ETCD_")) {
      child.environment.emplace(text.substr(0, text.find('=')), std::nullopt);
    }
  }
  options_ = std::move(child);
  return Launch(options.deadline);
}

Status ProcessTarget::Launch(Deadline deadline) {
  WP_ASSIGN_OR_RETURN(child_, ChildProcess::Launch(options_));
  Result<ServerStatus> serving = AwaitServing(endpoint(), *child_, deadline);
  if (!serving.has_value()) {
    const std::string words = child_->LastWords();
    return Status(serving.error().code(),
                  fmt::format("{} {}; its last words: {}", options_.executable.string(),
                              serving.error().message(), words.empty() ? "none" : words));
  }
  version_ = serving->version;
  return {};
}

Status ProcessTarget::Kill() {
  if (!durable()) return Target::Kill();
  WP_CHECK(child_ && !stopped_ && !killed_, "only what runs can be killed");
  if (const auto ended = child_->exit_state()) {
    return Fail(StatusCode::kFailedPrecondition, "it {} before it could be killed",
                ended->ToString());
  }
  child_->Signal(SIGKILL);
  WP_ASSIGN_OR_RETURN(const ExitState state, child_->Wait(Within(kDyingLimit)));
  // It may have ended by itself in between, and that must not pass for our deed.
  if (state.signal != SIGKILL) {
    return Fail(StatusCode::kFailedPrecondition, "it {} before it could be killed",
                state.ToString());
  }
  killed_ = true;
  return {};
}

Status ProcessTarget::Restart(Deadline deadline) {
  if (!durable()) return Target::Restart(deadline);
  WP_CHECK(killed_ && !stopped_, "only what was killed is started again");
  killed_ = false;
  Status launched = Launch(deadline);
  if (launched.ok()) return {};
  return std::move(launched).WithContext("starting the killed target again");
}

std::optional<ExitState> ProcessTarget::died() const {
  if (stopped_ || killed_ || !child_) return std::nullopt;
  return child_->exit_state();
}

void ProcessTarget::Stop() {
  if (std::exchange(stopped_, true)) return;
  // Nothing of its state is needed again, so it need not leave in good order.
  if (child_) child_->Stop(Duration::zero());
  std::error_code ignored;
  if (!data_.empty()) std::filesystem::remove_all(data_, ignored);
}

}  // namespace watchproof
