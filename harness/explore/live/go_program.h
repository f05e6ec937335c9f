// SPDX-License-Identifier: Apache-2.0
// A script as a Go program over etcd's API alone, for a report to the authors of a store: it needs
// neither watchproof nor a client library, and shows every message.
//
//   out << GoProgram(script);                  // go run . 127.0.0.1:2379
//
// It carries out the script as `explore --replay` does, on a fresh server, and asks the closing
// questions in short. What only a person can do, such as killing the server, it asks for. Threads:
// pure function.
#pragma once

#include <string>

#include "harness/script/script.h"

namespace watchproof::explore {

std::string GoProgram(const Script& script);

}  // namespace watchproof::explore
