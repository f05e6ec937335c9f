// SPDX-License-Identifier: Apache-2.0
#include "harness/runs/console.h"

#include <langinfo.h>
#include <locale.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "harness/runs/standard_output.h"

namespace watchproof {
namespace {

constexpr Duration kRedraw = 100ms;
constexpr Duration kHeartbeat = 30s;

bool IsSet(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

// From the environment, without changing the process's locale.
bool LocaleIsUtf8() {
  const locale_t locale = newlocale(LC_CTYPE_MASK, "", nullptr);
  if (locale == nullptr) return false;
  const std::string_view codeset = nl_langinfo_l(CODESET, locale);
  const bool utf8 = codeset == "UTF-8" || codeset == "utf8";
  freelocale(locale);
  return utf8;
}

bool WantsColour(When color) {
  if (color != When::kAuto) return color == When::kAlways;
  if (IsSet("NO_COLOR")) return false;
  const char* force = std::getenv("CLICOLOR_FORCE");
  if (force != nullptr && *force != '\0' && std::string_view(force) != "0") return true;
  return IsDrawable(STDOUT_FILENO);
}

std::size_t TerminalWidth(int descriptor) {
  return std::clamp<std::size_t>(SizeOfScreen(descriptor).width, 60, 160);
}

void Print(std::FILE* stream, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fflush(stream);
}

}  // namespace

TerminalStyle DetectStyle(When color) {
  return {.colour = WantsColour(color),
          .charset = LocaleIsUtf8() ? Charset::kUtf8 : Charset::kAscii,
          .width = TerminalWidth(STDOUT_FILENO),
          .cut = isatty(STDOUT_FILENO) == 1};
}

Console::Console(const ConsoleOptions& options)
    : style_(DetectStyle(options.color)),
      results_(options.results),
      folded_(options.folded),
      next_(Clock::now() + kHeartbeat) {
  const bool terminal = IsDrawable(STDERR_FILENO);
  live_ = options.progress != When::kNever && terminal;
  heartbeat_ = options.progress != When::kNever && !live_;
  if (live_) next_ = Clock::now();
}

void Console::EraseLine() {
  if (std::exchange(drawn_, false)) Print(stderr, "\r\x1b[K");
}

void Console::Result(std::string_view text) {
  EraseLine();
  if (!results_) return;
  Print(stdout, text);
  if (heartbeat_) next_ = Clock::now() + kHeartbeat;
}

void Console::Note(std::string_view line) {
  EraseLine();
  Print(stderr, std::string(line) + "\n");
}

void Console::Progress(std::string_view line) {
  const TimePoint now = Clock::now();
  if (now < next_) return;
  if (heartbeat_) {
    next_ = now + kHeartbeat;
    Print(stderr, std::string(line) + "\n");
  } else if (live_) {
    next_ = now + kRedraw;
    line_ = Shorten(line, TerminalWidth(STDERR_FILENO) - 1, style_.charset);
    Print(stderr, "\r" + line_ + "\x1b[K");
    drawn_ = true;
  }
}

}  // namespace watchproof
