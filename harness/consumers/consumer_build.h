// SPDX-License-Identifier: Apache-2.0
// Builds consumers in the cache, below consumers/ in the folder of the releases.
//
//   WP_ASSIGN_OR_RETURN(const BuiltConsumer built, BuildConsumer(source, print_line));
//   built.command;      // to start it with
//
// What was built from the same files and version is used again. Blocks for as long as the build
// takes, and whatever it fetches. Threads: any; of two builds of one consumer the later one wins.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/consumers/consumer_source.h"

namespace watchproof {

struct BuiltConsumer {
  std::vector<std::string> command;
};

// kNotFound, with the advice of its recipe, if this machine lacks the tool.
Result<BuiltConsumer> BuildConsumer(const ConsumerSource& source,
                                    const std::function<void(const std::string&)>& report);

}  // namespace watchproof
