// SPDX-License-Identifier: Apache-2.0
// Ordered: within one watch, event revisions never decrease, not even within one response.
#include "harness/checkers/checker.h"
#include "harness/checkers/phrases.h"

namespace watchproof {
namespace {

class Ordered final : public Checker {
 public:
  void Delivered(WatchIndex watch, const Response& response) override {
    Last& last = At(last_, watch);
    for (const EventView& event : response.message.events) {
      if (event.kv.mod_revision < last.revision) {
        Add(watch, [&] {
          Draft draft = Describe(event, response, last);
          const bool again = facts().comparer.WasGiven(watch, Revision(event.kv.mod_revision));
          if (again) draft.symptom = symptom::Repeated{};
          return draft;
        });
      }
      last.revision = event.kv.mod_revision;
    }
    last.where = response.where;
  }

  // Within one revision the changes of a transaction come in the order of its operations. The order
  // in which one operation, or the end of a lease, deletes many keys is not promised.
  void Compared(WatchIndex watch, const Response& response,
                const std::vector<Comparison>& compared) override {
    std::uint64_t& given = At(last_, watch).given;
    for (const Comparison& event : compared) {
      if (event.match <= Match::kLate && given++ > 0) Exercised();
    }
    // What several watches show of one revision has no order.
    if (facts().passive()) return;
    for (std::size_t i = 1; i < compared.size(); ++i) {
      const EventView& event = response.message.events[i];
      const EventView& before = response.message.events[i - 1];
      const bool matched =
          compared[i].match <= Match::kLate && compared[i - 1].match <= Match::kLate;
      if (!matched || event.kv.mod_revision != before.kv.mod_revision ||
          compared[i].expected > compared[i - 1].expected) {
        continue;
      }
      const ExpectedList& expected = *facts().comparer.expected(watch);
      const bool deletes = facts().comparer.change(expected[compared[i].expected]).deleted &&
                           facts().comparer.change(expected[compared[i - 1].expected]).deleted;
      Add(
          watch,
          [&] {
            return Draft{.expected = fmt::format("the changes of revision {} in the order in which "
                                                 "they were made",
                                                 event.kv.mod_revision),
                         .observed = fmt::format("{} behind {} in line {}", Quoted(event.kv.key),
                                                 Quoted(before.kv.key), response.where.line.value),
                         .where = response.where,
                         // What is left of it is matched with the first change of its key.
                         .symptom = symptom::OfRevision{Revision(event.kv.mod_revision)},
                         .clause = "W-22"};
          },
          deletes ? Level::kMay : Level::kShould);
    }
  }

 private:
  struct Last {
    std::int64_t revision = 0;
    Where where;
    std::uint64_t given = 0;  // expected changes so far
  };

  static Draft Describe(const EventView& event, const Response& response, const Last& last) {
    Draft draft{.expected = fmt::format("a revision of at least {}", last.revision),
                .observed = {},
                .where = response.where};
    const std::string what =
        fmt::format("revision {} (key {})", event.kv.mod_revision, Quoted(event.kv.key));
    if (&event != response.message.events.data()) {
      draft.observed = fmt::format("{} right behind revision {} in the response of line {}", what,
                                   last.revision, response.where.line.value);
    } else {
      draft.observed = fmt::format(
          "{} in line {}, {} after revision {} in line {}", what, response.where.line.value,
          Milliseconds(response.where.at - last.where.at), last.revision, last.where.line.value);
      draft.evidence.insert(draft.evidence.begin(), last.where.line);
    }
    return draft;
  }

  std::vector<Last> last_;
};

const CheckerRegistration<Ordered> kOrdered{{
    .guarantee = Guarantee("Ordered"),
    .place = 10,
    .gravity = Gravity::kOrder,
    .clause = "W-1",
    .impact = "A Kubernetes cache replaces a newer state of an object by an older one and takes "
              "that for the latest.",
    .explain = "A watch delivers the changes of the store in the order in which they were made. "
               "Each event carries the revision of its change, and no event may carry a lower "
               "revision than an earlier event of the same watch, whether in an earlier response "
               "or in the same one. Two watches of one stream may be at different revisions. "
               "Within one revision the changes of a transaction come in the order of its "
               "operations (should); a deviating order of keys that were deleted together is "
               "noted and is no failure (may). Source: the guarantee \"ordered\" of the etcd v3 "
               "watch API.",
}};

}  // namespace
}  // namespace watchproof
