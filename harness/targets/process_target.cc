// SPDX-License-Identifier: Apache-2.0
#include "harness/targets/process_target.h"

extern char** environ;

namespace watchproof {

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
  WP_ASSIGN_OR_RETURN(child_, ChildProcess::Launch(child));
  Result<ServerStatus> serving = AwaitServing(endpoint(), *child_, options.deadline);
  if (!serving.has_value()) {
    const std::string words = child_->LastWords();
    return Status(serving.error().code(),
                  fmt::format("{} {}; its last words: {}", child.executable.string(),
                              serving.error().message(), words.empty() ? "none" : words));
  }
  version_ = serving->version;
  return {};
}

std::optional<ExitState> ProcessTarget::died() const {
  if (stopped_ || !child_) return std::nullopt;
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
