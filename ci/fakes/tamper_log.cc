// SPDX-License-Identifier: Apache-2.0
#include "ci/fakes/tamper_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "harness/base/check.h"

namespace watchproof::fakes {
namespace {

// Per process: what matters is whether and how, not how often.
constexpr int kMostLines = 200;

}  // namespace

TamperLog::TamperLog(const std::filesystem::path& file, std::string behaviour, std::string data)
    : behaviour_(std::move(behaviour)), data_(std::move(data)) {
  if (file.empty()) return;
  descriptor_ = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  WP_CHECK(descriptor_ >= 0, "the file of --log cannot be opened for writing");
}

TamperLog::~TamperLog() {
  MutexLock lock(mu_);
  if (descriptor_ >= 0) close(descriptor_);
}

void TamperLog::Tampered(const TamperLine& line) {
  MutexLock lock(mu_);
  if (descriptor_ < 0 || written_ == kMostLines) return;
  ++written_;
  const std::string text =
      nlohmann::json{{"behaviour", behaviour_}, {"data", data_},   {"pid", getpid()},
                     {"stream", line.stream},   {"key", line.key}, {"what", line.what}}
          .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
      "\n";
  // One write, so that lines of several processes do not mix.
  const auto size = write(descriptor_, text.data(), text.size());
  WP_CHECK(size == static_cast<ssize_t>(text.size()), "the file of --log cannot be written");
}

}  // namespace watchproof::fakes
