// SPDX-License-Identifier: Apache-2.0
#include "harness/history/recording_tail.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "harness/base/check.h"

namespace watchproof {
namespace {

constexpr std::uint64_t kShown = 8;
// Twice as many as are shown, so that the shown ones are not being overwritten.
constexpr std::uint64_t kKept = 2 * kShown;
constexpr std::size_t kTextWords = 3;

using Word = std::atomic<std::uint64_t>;

struct Brief {
  Word line;
  Word at;
  Word kind;
  Word id;  // of the stream or call
  std::array<Word, kTextWords> text;
};

// One for all recordings of the process. Never destroyed, so it can be read at any time.
std::array<Brief, kKept> g_briefs;
Word g_noted;

std::string TextOf(const Brief& brief) {
  const auto kind = static_cast<EntryKind>(brief.kind.load());
  std::string text = fmt::format("{} {}", brief.line.load(), Name(kind));
  if (const std::uint64_t id = brief.id.load(); id != 0) text += fmt::format(" {}", id);
  std::array<char, kTextWords * sizeof(std::uint64_t) + 1> words{};
  for (std::size_t i = 0; i < kTextWords; ++i) {
    const std::uint64_t word = brief.text[i].load();
    std::memcpy(&words[i * sizeof word], &word, sizeof word);
  }
  if (words[0] != '\0') text += fmt::format(" \"{}\"", words.data());
  return text + fmt::format(" at {:.3f} s", static_cast<double>(brief.at.load()) / 1e9);
}

// One line, so that the message of the check itself stays within the recorded end of the output.
void Print() {
  const std::uint64_t noted = g_noted.load();
  std::string lines;
  for (std::uint64_t i = noted - std::min(noted, kShown); i < noted; ++i) {
    lines += (lines.empty() ? "" : "; ") + TextOf(g_briefs[i % kKept]);
  }
  std::fprintf(stderr, "recorded last: %s\n", lines.empty() ? "nothing" : lines.c_str());
}

}  // namespace

void PrintTailIfACheckFails() { SetCrashNote(Print); }

void NoteForTail(Line line, const Entry& entry) {
  Brief& brief = g_briefs[g_noted.load(std::memory_order_relaxed) % kKept];
  const auto store = [](Word& to, std::uint64_t value) {
    to.store(value, std::memory_order_relaxed);
  };
  store(brief.line, line.value);
  store(brief.at, static_cast<std::uint64_t>(entry.at.count()));
  store(brief.kind, static_cast<std::uint64_t>(entry.kind));
  store(brief.id, entry.stream.value != 0 ? entry.stream.value : entry.call.value);
  for (std::size_t i = 0; i < kTextWords; ++i) {
    std::uint64_t word = 0;
    const std::size_t from = i * sizeof word;
    if (from < entry.text.size()) {
      std::memcpy(&word, &entry.text[from], std::min(sizeof word, entry.text.size() - from));
    }
    store(brief.text[i], word);
  }
  g_noted.fetch_add(1, std::memory_order_release);
}

}  // namespace watchproof
