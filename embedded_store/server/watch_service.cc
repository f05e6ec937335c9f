// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/server/watch_service.h"

#include "embedded_store/server/watch_call.h"

namespace watchproof::store {

WatchReactor* WatchService::Watch(grpc::CallbackServerContext* context) {
  auto call = std::make_shared<WatchCall>(*this, hub_, gate_, gate_.CredentialsOf(*context));
  call->Begin();
  return call.get();
}

void WatchService::AwaitIdle() {
  MutexLock lock(mu_);
  while (calls_ > 0) idle_.Wait(mu_);
}

void WatchService::Enter() {
  MutexLock lock(mu_);
  ++calls_;
}

void WatchService::Leave() {
  MutexLock lock(mu_);
  if (--calls_ == 0) idle_.NotifyAll();
}

}  // namespace watchproof::store
