// SPDX-License-Identifier: Apache-2.0
#include "harness/runs/standard_output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace watchproof {
namespace {

// Plain data: the C library flushes after every destructor has run.
struct Stream {
  int descriptor;
  int failure;  // errno of the first write that failed
};
Stream g_output{STDOUT_FILENO, 0};
Stream g_error{STDERR_FILENO, 0};

// Everything is taken, so that no call that prints can fail.
ssize_t Write(void* cookie, const char* bytes, std::size_t size) {
  Stream& stream = *static_cast<Stream*>(cookie);
  std::size_t written = 0;
  while (written < size && stream.failure == 0) {
    const ssize_t n = write(stream.descriptor, bytes + written, size - written);
    if (n >= 0) {
      written += static_cast<std::size_t>(n);
    } else if (errno != EINTR) {
      stream.failure = errno;
    }
  }
  return static_cast<ssize_t>(size);
}

std::FILE* Open(Stream& stream, int buffering) {
  cookie_io_functions_t functions{};
  functions.write = &Write;
  std::FILE* const file = fopencookie(&stream, "w", functions);
  if (file != nullptr) std::setvbuf(file, nullptr, buffering, BUFSIZ);
  return file;
}

}  // namespace

void TakeOverStandardStreams() {
  if (auto* file = Open(g_output, isatty(STDOUT_FILENO) == 1 ? _IOLBF : _IOFBF)) stdout = file;
  if (auto* file = Open(g_error, _IONBF)) stderr = file;
}

int CloseStandardOutput() {
  std::fflush(stdout);
  return g_output.failure == EPIPE ? 0 : g_output.failure;
}

bool IsDrawable(int descriptor) {
  const char* terminal = std::getenv("TERM");
  return isatty(descriptor) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

ScreenSize SizeOfScreen(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return {};
  return {.width = size.ws_col, .height = size.ws_row};
}

}  // namespace watchproof
