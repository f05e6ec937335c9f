// SPDX-License-Identifier: Apache-2.0
#include "ci/store_mutants/mutant.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace watchproof::store_mutants {

int chosen = 0;
int ignored_bits = 0;

namespace {

// Shared with the file, and so with other processes.
volatile char* reached = nullptr;
std::size_t reached_bytes = 0;

void OpenReached(const char* path) {
  const int file = open(path, O_RDWR | O_CLOEXEC);
  struct stat facts {};
  if (file < 0 || fstat(file, &facts) != 0) {
    std::perror(path);
    std::_Exit(3);
  }
  reached_bytes = static_cast<std::size_t>(facts.st_size);
  void* const bytes = mmap(nullptr, reached_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (bytes == MAP_FAILED) {
    std::perror(path);
    std::_Exit(3);
  }
  reached = static_cast<volatile char*>(bytes);
}

// Defects register with the store before main, and some of the mutants are in that code.
__attribute__((constructor(101))) void Choose() {
  if (const char* const id = std::getenv("WATCHPROOF_STORE_MUTANT")) chosen = std::atoi(id);
  const char* const path = std::getenv("WATCHPROOF_STORE_MUTANTS_REACHED");
  if (path == nullptr) return;
  OpenReached(path);
  if (chosen == 0) ignored_bits = ~0;
}

}  // namespace

bool Reached(int id) {
  if (reached != nullptr && static_cast<std::size_t>(id) < reached_bytes) reached[id] = 1;
  return id == chosen;
}

}  // namespace watchproof::store_mutants
