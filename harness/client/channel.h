// SPDX-License-Identifier: Apache-2.0
// One TCP connection per channel, without gRPC's connection sharing, retries and window probing,
// which would hide the effect of a fault.
//
// Threads: any.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "harness/base/bytes.h"
#include "harness/base/deadline.h"
#include "harness/base/status.h"

namespace watchproof {

// Lazy: connects with its first call. `endpoint` is HOST:PORT.
std::shared_ptr<grpc::Channel> MakeChannel(const std::string& endpoint);

// Blocks until the channel is connected; the error names the endpoint.
Status AwaitConnected(grpc::Channel& channel, const std::string& endpoint, Deadline deadline);

// The message as one view. The slice keeps the transport's memory alive; only a message that
// arrived in several pieces is copied. An empty buffer is the empty message.
Bytes ToBytes(const grpc::ByteBuffer& buffer);

}  // namespace watchproof
