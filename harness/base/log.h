// SPDX-License-Identifier: Apache-2.0
// Logging: events with fields on standard error. A run logs under fifty lines at level info.
//
//   LogInfo("stall armed", {{"proxy", name}, {"withheld", bytes}});
//
// Threads: any. Standard output is never written: it carries results.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace watchproof {

enum class LogLevel { kDebug, kInfo, kWarn };

struct LogField {
  std::string_view name;
  std::string value;
};

// The lowest level that is logged; kWarn at first.
void SetLogLevel(LogLevel level);
void Log(LogLevel level, std::string_view event, std::initializer_list<LogField> fields = {});

inline void LogDebug(std::string_view event, std::initializer_list<LogField> fields = {}) {
  Log(LogLevel::kDebug, event, fields);
}
inline void LogInfo(std::string_view event, std::initializer_list<LogField> fields = {}) {
  Log(LogLevel::kInfo, event, fields);
}
inline void LogWarn(std::string_view event, std::initializer_list<LogField> fields = {}) {
  Log(LogLevel::kWarn, event, fields);
}

}  // namespace watchproof
