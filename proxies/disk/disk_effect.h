// SPDX-License-Identifier: Apache-2.0
// What an effect on a disk is, and how one registers itself: it decides about each change of a file
// that it covers. To add one, add one file to this folder:
//
//   const DiskEffectRegistration kSlow{{.name = "slow", .explain = ..., .make = ...}};
//
// Every effect has the parameters `files` and `calls`, which say what it covers, and `from` and
// `times`: from which such call on, how often.
//
// Threads: Decide is called under the disk's lock. Ownership: the disk's.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/base/deadline.h"
#include "harness/base/prng.h"
#include "harness/base/status.h"
#include "proxies/disk/disk_call.h"
#include "proxies/effects/parameters.h"

namespace watchproof::proxy {

// What becomes of a call.
struct Decision {
  Duration hold{};       // before it is carried out
  int error = 0;         // it is not carried out, and returns this errno
  bool pretend = false;  // a sync that returns and has kept nothing
  enum class Stop { kNo, kBefore, kAfter } stop = Stop::kNo;  // the program is killed
  Duration idle_within{};  // which is awaited first for so long at most; its files stay as they are
};

struct DiskReceipt {
  TimePoint armed_at{};
  std::int64_t covered = 0;   // calls that it is about
  std::int64_t affected = 0;  // calls of which it changed something
  Duration longest_hold{};    // so far
  TimePoint longest_from{};   // when that began
  std::string last = {};      // of those, in words
};

struct DiskEffectInfo {
  std::string name;
  std::string explain;
  std::string default_files;
  std::string default_calls;
  std::vector<ParameterInfo> parameters;  // without those that each has
  std::function<std::function<Decision(const DiskCall&)>(const ParameterValues&, Prng)> make;
};
struct DiskEffectRegistration {
  explicit DiskEffectRegistration(DiskEffectInfo info);
};

// Sorted by name.
const std::vector<DiskEffectInfo>& KnownDiskEffects();
// The error names those that exist.
Result<const DiskEffectInfo*> FindDiskEffect(std::string_view name);
// Its own and those that each has.
std::vector<ParameterInfo> ParametersOf(const DiskEffectInfo& info);

// One that is armed.
class DiskEffect {
 public:
  static Result<std::unique_ptr<DiskEffect>> Make(std::string_view kind, const Parameters& given,
                                                  const FileClasses& classes, Prng prng);
  Decision Decide(const DiskCall& call);
  DiskReceipt& receipt() { return receipt_; }

 private:
  DiskEffect() = default;

  std::string files_;
  std::vector<DiskCallKind> calls_;
  std::int64_t from_ = 1;
  std::int64_t times_ = 0;
  std::function<Decision(const DiskCall&)> decide_;
  DiskReceipt receipt_;
};

}  // namespace watchproof::proxy
