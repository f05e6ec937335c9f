// SPDX-License-Identifier: Apache-2.0
// A disk that the control API shows and changes, and the power of the program on it.
//
// Threads: any. Ownership: outlives the control port.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/base/status.h"
#include "proxies/disk/disk.h"

namespace watchproof::proxy {

class ControlledDisk {
 public:
  virtual ~ControlledDisk() = default;
  virtual Disk& disk() = 0;
  // Returns at once; the failure comes soon after. An error: it cannot.
  virtual Status FailPower(const Kept& kept) = 0;
  // What was lost by each failure that has come.
  virtual std::vector<Loss> losses() const = 0;
};

using ControlledDisks = std::map<std::string, ControlledDisk*>;  // by name

}  // namespace watchproof::proxy
