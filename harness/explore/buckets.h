// SPDX-License-Identifier: Apache-2.0
// The findings of an exploration, sorted: those of one shape are a bucket, and of the buckets those
// are shown that explain every script with a finding.
//
//   buckets.File(script, number, findings);
//   for (const Bucket& bucket : buckets.all()) ... buckets.After(bucket) ...
//
// What a script shows first is a cause, and what it shows later may be a consequence of that. One
// bug may come first in several shapes: the shape that comes first most often explains each script
// that shows it at all, and so on with the scripts that are left. So no script is without one, and
// a bug that some script shows alone has a bucket. A known bug explains nothing that is new, and
// what the recording does not prove nothing that is proven. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/explore/shape.h"
#include "harness/script/script.h"

namespace watchproof::explore {

// All findings of one shape.
struct Bucket {
  std::string shape;
  // Scripts that showed it, those first that had the fewest beside them. On a server with others a
  // script may show what another one did.
  struct Example {
    Script script;
    int beside = 0;              // scripts that ran at the same time
    std::string recording = {};  // its file, if there is one
    Finding broken = {};         // what the recording shows
  };
  std::vector<Example> examples;  // at least one
  std::string known = {};         // the bug that the target is known for; empty: it is new
  std::uint64_t times = 0;        // scripts that showed it
  std::uint64_t first = 0;        // number of the first of them

  const Finding& broken() const { return examples.front().broken; }
  // By the recording of one of them.
  bool proven() const;
};

// Whether one of the findings has the shape.
bool Shows(const std::vector<Finding>& findings, const std::string& shape);

class Buckets {
 public:
  // The bug of a signature that the target is known for; empty: none.
  using KnownAs = std::function<std::string(const std::string& signature)>;
  explicit Buckets(KnownAs known_as = {}) : known_as_(std::move(known_as)) {}

  // In the order in which the script showed them.
  void File(const Bucket::Example& example, std::uint64_t number,
            const std::vector<Finding>& findings);
  bool empty() const { return buckets_.empty(); }
  // Those that explain the rest, in the order in which they were found. Valid until the next File.
  const std::vector<Bucket>& all() const;
  // What scripts showed beside this one that it explains, the most frequent first.
  std::vector<const Bucket*> After(const Bucket& cause) const;
  // How many scripts showed a bug that the target is known for, in whatever shapes.
  const std::map<std::string, std::uint64_t>& scripts_by_bug() const { return by_bug_; }
  // Whether it is the recording of an example, of whatever shape.
  bool Cite(const std::string& recording) const;
  // Whether any script showed it.
  bool Shown(const std::string& shape) const;

 private:
  using Number = std::size_t;  // of a bucket
  // What scripts showed: what counts first, and everything that may explain it.
  struct Kind {
    std::vector<Number> shown;  // the first, then the others in ascending order
    std::vector<Number> may_explain;
    auto operator<=>(const Kind&) const = default;
  };

  Number Of(const Finding& broken);
  void Add(const Bucket::Example& example, const Finding& broken, Bucket& bucket);
  void Explain() const;

  const KnownAs known_as_;
  std::vector<Bucket> buckets_;  // of every shape
  std::map<std::string, Number> numbers_;
  std::map<std::string, std::uint64_t> by_bug_;
  std::map<Kind, std::uint64_t> scripts_;  // how many there are of each kind
  // What follows from the above, when it is asked for.
  mutable bool explained_ = true;
  mutable std::vector<Bucket> causes_;
  mutable std::map<std::string, std::map<Number, std::uint64_t>> after_;  // by the cause's shape
};

}  // namespace watchproof::explore
