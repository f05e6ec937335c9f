// SPDX-License-Identifier: Apache-2.0
// One change of a file below the folder, as effects decide about it.
//
// Threads: values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/status.h"

namespace watchproof::proxy {

enum class DiskCallKind { kWrite, kSync, kTruncate, kMake, kRename, kRemove };
inline constexpr std::string_view kDiskCallKinds[] = {"write", "sync",   "truncate",
                                                      "make",  "rename", "remove"};
constexpr std::string_view Name(DiskCallKind kind) {
  return kDiskCallKinds[static_cast<std::size_t>(kind)];
}

struct DiskCall {
  DiskCallKind kind = DiskCallKind::kWrite;
  std::string file;              // below the folder; of a rename: the new name
  std::string from = {};         // of a rename: the old name
  std::int64_t bytes = 0;        // of a write; of a truncation: the new size
  std::size_t of_class = 0;      // its place among the classes, see ClassOf
  bool synced = false;           // a write that is a sync, too: the file was opened so
  bool folder = false;           // a folder's sync, a folder that is made or removed
  int thread = 0;                // that made it, in the program
  std::string ToString() const;  // "write of 4096 bytes to member/wal/0.wal"
};

// Which files an effect is about: names below the folder, with * for any characters, also slashes,
// and | between alternatives. "all" is every file.
bool Covers(std::string_view patterns, const std::string& file);
// An error: they can cover nothing.
Status CheckPatterns(std::string_view patterns);

// A name for patterns, which people write instead of them: "log" for "member/wal/*".
struct FileClass {
  std::string name;
  std::string patterns;
};
using FileClasses = std::vector<FileClass>;
// The first that covers it; their number if none does.
std::size_t ClassOf(const FileClasses& classes, const std::string& file);
// What `files` stands for: the patterns of the class of that name, else itself. An error names a
// pattern that is none.
Result<std::string> PatternsOf(const FileClasses& classes, const std::string& files);
// For people, of such a place.
std::string NameOfClass(const FileClasses& classes, std::size_t place);

}  // namespace watchproof::proxy
