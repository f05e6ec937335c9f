// SPDX-License-Identifier: Apache-2.0
#include "harness/runs/signals.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>

#include "harness/base/check.h"

namespace watchproof {
namespace {

std::atomic<int> g_write_end{-1};
std::atomic<int> g_count{0};
std::atomic<int> g_first{0};

void OnSignal(int number) {
  // A terminal that closes may send several: by the kernel, and by its shell.
  if (number == SIGHUP && g_count > 0) return;
  const int saved = errno;
  int none = 0;
  g_first.compare_exchange_strong(none, number == SIGINT ? SIGINT : SIGTERM);
  g_count.fetch_add(1);
  const char byte = 0;
  [[maybe_unused]] const auto written = write(g_write_end.load(), &byte, 1);
  errno = saved;
}

void Ignore(int) {}

void Handle(int number, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(number, &action, nullptr);
}

// A signal that is ignored stays so: as SIGHUP below nohup.
void HandleUnlessIgnored(int number) {
  struct sigaction now {};
  sigaction(number, nullptr, &now);
  if (now.sa_handler != SIG_IGN) Handle(number, &OnSignal);
}

}  // namespace

Signals& Signals::Install() {
  static Signals signals;
  return signals;
}

Signals::Signals() {
  int ends[2];
  WP_CHECK(pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0, "no descriptors left for the signal pipe");
  read_end_ = ends[0];
  g_write_end = ends[1];
  Handle(SIGINT, &OnSignal);
  Handle(SIGTERM, &OnSignal);
  HandleUnlessIgnored(SIGHUP);
  HandleUnlessIgnored(SIGQUIT);
  // A handler and not SIG_IGN: an ignored signal would stay ignored in the children.
  Handle(SIGPIPE, &Ignore);
}

void Signals::Drain() {
  std::array<char, 64> bytes;
  while (read(read_end_, bytes.data(), bytes.size()) > 0) {
  }
}

int Signals::count() const { return g_count; }
int Signals::first() const { return g_first; }

std::optional<ExitCode> Signals::exit_code() const {
  if (count() == 0) return std::nullopt;
  return first() == SIGTERM ? ExitCode::kTerminated : ExitCode::kInterrupted;
}

void Signals::Wait() {
  while (!WaitFor(1h)) continue;
}

bool Signals::WaitFor(Duration patience) {
  if (count() == 0) {
    pollfd wanted{.fd = read_end_, .events = POLLIN, .revents = 0};
    const auto limit = std::chrono::ceil<std::chrono::milliseconds>(patience);
    poll(&wanted, 1, static_cast<int>(limit.count()));
    Drain();
  }
  return count() > 0;
}

}  // namespace watchproof
