// SPDX-License-Identifier: Apache-2.0
#include "proxies/core/proxy_host.h"

#include <csignal>

#include "harness/base/check.h"

namespace watchproof::proxy {

namespace {

// A sink that is gone is an error to be handled, not the end of the process.
void BlockBrokenPipeSignal() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

}  // namespace

ProxyHost::ProxyHost()
    : work_(boost::asio::make_work_guard(io_)), thread_([this] {
        BlockBrokenPipeSignal();
        io_.run();
      }) {}

bool ProxyHost::Enter() {
  MutexLock lock(admission_);
  if (phase_ != Phase::kRunning) return false;
  ++inside_;
  return true;
}

void ProxyHost::Leave() {
  MutexLock lock(admission_);
  if (--inside_ == 0) changed_.NotifyAll();
}

void ProxyHost::Stop() {
  WP_CHECK(!OnIoThread(), "the io thread cannot wait for itself");
  {
    MutexLock lock(admission_);
    if (phase_ != Phase::kRunning) {
      while (phase_ != Phase::kStopped) changed_.Wait(admission_);
      return;
    }
    phase_ = Phase::kStopping;
    while (inside_ > 0) changed_.Wait(admission_);
  }
  work_.reset();
  thread_.join();
  MutexLock lock(admission_);
  phase_ = Phase::kStopped;
  changed_.NotifyAll();
}

}  // namespace watchproof::proxy
