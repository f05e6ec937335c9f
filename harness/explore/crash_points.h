// SPDX-License-Identifier: Apache-2.0
// Every crash point of short scripts, in turn: the server is killed at each call to its disk that a
// script causes: alone, with the power and all that it had not synced, with parts of that, and with
// its last write torn.
//
//   CrashPoints points(Prng(1));
//   while (const auto script = points.Next()) ... points.Ran(*script, crashes); ...
//   points.scripts();   // what was met, for people
//
// The scripts are a covering set by hand, then drawn ones. Of each, the number of the call grows
// until the script ends before it. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/prng.h"
#include "harness/script/script.h"

namespace watchproof::explore {

class CrashPoints {
 public:
  explicit CrashPoints(Prng prng);

  // The next script with its crash point first. Some may be under way at a time. Never empty: after
  // the scripts that are known, more are drawn.
  std::optional<Script> Next();
  // What became of one of Next: the calls at which its server was killed; none: the script ended
  // before.
  void Ran(const Script& script, const std::vector<std::string>& crashes);

  std::uint64_t points() const { return points_; }
  // For people: how many points of which call and file were met, the most frequent first: "sync of
  // member/wal/*: 120".
  std::vector<std::string> Met() const;
  // By script that has begun: its name, how many points it has had so far, and whether those are
  // all.
  std::vector<std::string> Scripts() const;

 private:
  struct Base {
    std::string name;
    Script script;
    // By CrashPoint::How: the next number, the first that the script did not come to, and how many
    // were met.
    std::int64_t next[4] = {1, 1, 1, 1};
    std::int64_t end[4] = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    std::int64_t met = 0;
  };

  void Draw();
  bool Ended(const Base& base) const;

  Prng prng_;
  std::vector<Base> bases_;
  std::size_t from_ = 0;  // the first script that has not ended
  std::size_t turn_ = 0;
  std::uint64_t points_ = 0;
  std::map<std::string, std::uint64_t> met_;
  std::map<std::string, std::size_t> under_way_;  // by their text: which of the bases
};

}  // namespace watchproof::explore
