// SPDX-License-Identifier: Apache-2.0
// What a stopped system call refers to: memory, paths and threads of the program that made it.
//
//   Caller caller(call.thread);
//   caller.Path(AT_FDCWD, call.arguments[0]);    // absolute, without symbolic links
//
// Threads: values. Its thread is stopped meanwhile, or gone: then what is read is empty.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace watchproof::proxy {

class Caller {
 public:
  explicit Caller(int thread) : thread_(thread) {}

  // Empty if it cannot be read.
  std::string Bytes(std::uint64_t address, std::size_t size) const;
  // What writev was given, one behind the other.
  std::string Gathered(std::uint64_t vector, std::size_t count) const;
  // Ends at the first zero; at most 4096 bytes.
  std::string Text(std::uint64_t address) const;
  // The file that a path names, relative to an open folder; empty if there is no such folder. The
  // last part need not exist, and is no link that was followed.
  std::filesystem::path Path(int folder, std::uint64_t address) const;
  // Whether any thread of its program runs, or waits for a processor.
  bool ProgramRuns() const;

 private:
  int thread_;
};

}  // namespace watchproof::proxy
