// SPDX-License-Identifier: Apache-2.0
// Compares what one layer of a consumer reported with the history of the store.
//
//   LayerChecker checker("cache", LayerChecker::Kind::kFollows, truth, due);
//   for (const SeenReport& seen : reports) checker.Consume(seen);   // of the layer, in order
//   checker.Finish();
//   checker.findings();  checker.followed();
//
// Not thread-safe. Ownership: refers to the truth.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/consumers/consumer_check.h"
#include "harness/consumers/truth.h"

namespace watchproof {

struct SeenReport {
  ConsumerReport report;
  Where where;
};

// Among the reports of a layer that reads: at what revision the driver asked it for a list.
inline constexpr std::string_view kReadAsked = "read asked";

// Where the driver asked for a last revision.
struct DuePoint {
  std::int64_t revision = 0;
  std::int64_t limit_ms = 0;
  Where where;
};

class LayerChecker {
 public:
  // A layer that a read has filled, and no watch: its snapshots alone are judged, as consistent.
  enum class Kind { kFollows, kReads };

  LayerChecker(std::string layer, Kind kind, const Truth& truth, const std::optional<DuePoint>& due)
      : layer_(std::move(layer)), kind_(kind), truth_(truth), due_(due) {}

  void Consume(const SeenReport& seen);
  // The end of the recording.
  void Finish();

  // One for each check; repeats are counted in its text.
  std::vector<ConsumerFinding> findings() const;
  // How often it broke the check.
  std::uint64_t times(std::string_view check) const;
  // Whether it has passed on or held anything of the store.
  bool followed() const { return followed_; }
  // Whether it said what it holds after the driver had asked for a last revision.
  bool held_when_due() const { return held_due_; }

 private:
  using Keys = std::map<std::string, std::int64_t>;
  // A change under the eyes of the layer: it was passed on, or it was missed.
  using Passed = std::pair<std::int64_t, std::string>;

  void Listed(const SeenReport& seen);
  void Opened(const SeenReport& seen);
  void Watches(const SeenReport& seen);
  void Event(const SeenReport& seen);
  void Bookmark(const SeenReport& seen);
  void Holds(const SeenReport& seen);
  void Failed(const SeenReport& seen);
  void Handled(const SeenReport& seen);
  void CompareKeys(const SeenReport& seen, const Keys& keys, std::int64_t revision);
  // Reports the changes up to the revision that were not passed on, and goes past them.
  void PassOver(std::string_view check, std::int64_t through, const SeenReport& seen,
                const std::string& how);
  void Claim(std::int64_t revision, const SeenReport& seen);
  void Add(std::string_view check, std::string expected, std::string observed,
           std::vector<Line> evidence, Where where);

  const std::string layer_;
  const Kind kind_;
  const Truth& truth_;
  const std::optional<DuePoint> due_;

  struct Claimed {
    std::int64_t revision = 0;
    Where where;
  };

  std::int64_t claimed_ = 0;
  Where claimed_at_;
  bool following_ = false;   // a watch is open
  bool filling_ = false;     // what there is comes as events, up to a bookmark
  Keys filled_;              // by these
  std::size_t next_ = 0;     // the first change that it has not gone past
  std::set<Passed> passed_;  // since the last list
  // What a callback was given last of each key; a deletion may come without a revision.
  struct Given {
    std::int64_t revision = 0;  // the highest so far
    bool deleted = false;
  };
  std::map<std::string, Given> handled_;
  Where ended_;  // the error that ended the last watch
  std::string error_;
  int refusals_ = 0;  // of lists at a revision that is too large, since the last that was answered
  Where refused_;     // the first of them
  std::optional<Claimed> asked_;   // for a list at this revision or a later one, not answered yet
  std::optional<Claimed> behind_;  // at the last snapshot that was due
  bool held_due_ = false;          // has reported what it holds since it was due
  bool followed_ = false;

  struct Found {
    ConsumerFinding finding;
    int repeats = 0;
  };
  std::map<std::string_view, Found> found_;
};

}  // namespace watchproof
