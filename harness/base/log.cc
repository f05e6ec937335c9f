// SPDX-License-Identifier: Apache-2.0
#include "harness/base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

namespace watchproof {
namespace {

spdlog::logger& Logger() {
  // Leaked on purpose: threads of libraries may log while the process leaves.
  static spdlog::logger* const kLogger = [] {
    auto* logger =
        new spdlog::logger("watchproof", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    logger->set_pattern("%H:%M:%S.%e %^%l%$ %v");
    logger->set_level(spdlog::level::warn);
    logger->flush_on(spdlog::level::debug);
    return logger;
  }();
  return *kLogger;
}

spdlog::level::level_enum Convert(LogLevel level) {
  constexpr spdlog::level::level_enum kLevels[] = {spdlog::level::debug, spdlog::level::info,
                                                   spdlog::level::warn};
  return kLevels[static_cast<std::size_t>(level)];
}

}  // namespace

void SetLogLevel(LogLevel level) { Logger().set_level(Convert(level)); }

void Log(LogLevel level, std::string_view event, std::initializer_list<LogField> fields) {
  const auto converted = Convert(level);
  if (!Logger().should_log(converted)) return;
  std::string line(event);
  for (const LogField& field : fields) {
    line += ' ';
    line += field.name;
    line += '=';
    line += field.value;
  }
  Logger().log(converted, "{}", line);
}

}  // namespace watchproof
