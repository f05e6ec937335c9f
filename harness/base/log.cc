// SPDX-License-Identifier: Apache-2.0
#include "harness/base/log.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <ctime>

namespace watchproof {
namespace {

constexpr std::string_view kNames[] = {"debug", "info", "warning"};

std::atomic<LogLevel> lowest = LogLevel::kWarn;

// The local time: "14:03:07.250".
std::string TimeOfDay() {
  using std::chrono::milliseconds;
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto since = std::chrono::duration_cast<milliseconds>(now.time_since_epoch());
  std::tm local{};
  localtime_r(&seconds, &local);
  return fmt::format("{:02}:{:02}:{:02}.{:03}", local.tm_hour, local.tm_min, local.tm_sec,
                     since.count() % 1000);
}

}  // namespace

void SetLogLevel(LogLevel level) { lowest = level; }

void Log(LogLevel level, std::string_view event, std::initializer_list<LogField> fields) {
  if (level < lowest) return;
  std::string line =
      fmt::format("{} {} {}", TimeOfDay(), kNames[static_cast<std::size_t>(level)], event);
  for (const LogField& field : fields) line += fmt::format(" {}={}", field.name, field.value);
  line += '\n';
  // One call, so that lines of several threads and processes stay whole.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace watchproof
