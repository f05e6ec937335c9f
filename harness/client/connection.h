// SPDX-License-Identifier: Apache-2.0
// One TCP connection to a server, for clients that are to share it.
//
//   WP_ASSIGN_OR_RETURN(Connection connection, Connect("127.0.0.1:2379", Within(10s)));
//   WatchStream::Open(context, {.connection = connection});
//
// Threads: any. Ownership: shared by its users; it is closed with the last.
#pragma once

#include <memory>
#include <string>

#include "harness/base/deadline.h"
#include "harness/base/status.h"

namespace grpc {
class Channel;
}

namespace watchproof {

using Connection = std::shared_ptr<grpc::Channel>;

// Blocks until it is connected; the error names the endpoint.
Result<Connection> Connect(const std::string& endpoint, Deadline deadline);

}  // namespace watchproof
