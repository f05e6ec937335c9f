// SPDX-License-Identifier: Apache-2.0
// The pages of the HTTP port, with etcd's metric names, so that monitoring made for etcd works with
// this store.
//
// Threads: free functions over things that are safe from any thread.
#pragma once

#include <string>

#include "embedded_store/auth/auth_store.h"
#include "embedded_store/mvcc/mvcc_store.h"
#include "embedded_store/server/alarms.h"
#include "embedded_store/server/api_version.h"
#include "embedded_store/server/http_port.h"
#include "embedded_store/watch/watch_counters.h"

namespace watchproof::store {

struct PageSources {
  const MvccStore& store;
  const WatchCounters& watches;
  const Alarms& alarms;
  const AuthStore& users;
  const ApiVersion& api;
  const std::string own_version;
};

// Borrows the sources until the port has stopped.
HttpPort::Pages MakePages(const PageSources& sources);

}  // namespace watchproof::store
