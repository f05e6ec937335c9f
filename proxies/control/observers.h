// SPDX-License-Identifier: Apache-2.0
// Shows the bytes of a connection to an observer.
//
//   Observe(options.observer, connection);    // before a byte is read, and before any effect
//
// Threads: the io thread only. Ownership: the connection shares the observer.
#pragma once

#include <memory>

#include "proxies/core/byte_observer.h"
#include "proxies/core/connection.h"

namespace watchproof::proxy {

void Observe(std::shared_ptr<ByteObserver> observer, Connection& connection);

}  // namespace watchproof::proxy
