// SPDX-License-Identifier: Apache-2.0
// Damages one file of a program that does not run: flips bits, cuts off the tail, or puts zeros in
// the place of a sector or page; and puts back what the file was.
//
//   WP_ASSIGN_OR_RETURN(const Damage damage, DamageFile({.folder = data, .files = "log"}));
//   damage.text;                           // "3 bits of member/wal/0.wal: ..."
//   ... the program is started, and ends ...
//   WP_RETURN_IF_ERROR(PutBack(damage));
//
// The file is the one that was written last, among those with content, and what is drawn falls into
// its content: up to the last byte that is not zero, since logs are allocated in advance.
//
// Threads: functions without state. Ownership: a Damage holds the content, at most 256 MiB.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "harness/base/status.h"
#include "proxies/disk/disk_call.h"

namespace watchproof::proxy {

enum class DamageHow { kBits, kTail, kZero };

struct DamageOptions {
  std::filesystem::path folder;  // exists
  FileClasses classes{};
  std::string files = "all";  // as effects have it: a class, or patterns of names
  DamageHow how = DamageHow::kBits;
  std::int64_t bits = 3;  // how many are flipped, at least 1
  std::uint64_t seed = 0;
};

struct Damage {
  std::filesystem::path path;
  std::int64_t size = 0;   // before, in bytes
  std::string content;     // before, without the zeros at its end
  std::int64_t bytes = 0;  // that are gone, or others than before: at least 1
  std::string text;        // what was done, in words
};

// kNotFound: no such file has content; then nothing was done.
Result<Damage> DamageFile(const DamageOptions& options);
// The file is what it was, whatever became of it since. Requires: the program has ended.
Status PutBack(const Damage& damage);

}  // namespace watchproof::proxy
