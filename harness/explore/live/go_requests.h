// SPDX-License-Identifier: Apache-2.0
// Requests of a recording as statements of a Go program over etcd's API alone, with the functions
// of go_frame.h.
//
//   GoStatement(Method::kPut, bytes)       // show(kv.Put(ctx, &pb.PutRequest{Key: ...}))
//   GoStatement(StreamId(2), bytes)        // create(2, &pb.WatchCreateRequest{Key: ...})
//
// What cannot be read becomes a comment. Threads: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "harness/history/entry.h"

namespace watchproof::explore {

std::string GoStatement(Method method, std::string_view request);
// A request on a watch stream.
std::string GoStatement(StreamId stream, std::string_view request);
// As a string of Go in quotes: a long end of one letter is written as its length.
std::string GoString(std::string_view text);

}  // namespace watchproof::explore
