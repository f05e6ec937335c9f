// SPDX-License-Identifier: Apache-2.0
// What a step of a script may be made simpler to, in the order to be tried.
//
//   for (const Put& simpler : Smaller(put)) ... does the script still show it? ...
//
// Threads: pure functions.
#pragma once

#include <vector>

#include "harness/script/script.h"

namespace watchproof::explore {

std::vector<Create> Smaller(const Create& create);
std::vector<Put> Smaller(const Put& put);
std::vector<Txn> Smaller(const Txn& txn);
std::vector<Get> Smaller(const Get& get);
std::vector<Compact> Smaller(const Compact& compact);
std::vector<AskProgress> Smaller(const AskProgress& ask);
std::vector<KeepAlive> Smaller(const KeepAlive& keep);
// The others are as simple as they can be.
template <typename Kind>
std::vector<Kind> Smaller(const Kind&) {
  return {};
}

}  // namespace watchproof::explore
