// SPDX-License-Identifier: Apache-2.0
// Unique: no change is delivered twice to one watch.
#include <array>

#include "harness/checkers/checker.h"
#include "harness/checkers/phrases.h"

namespace watchproof {
namespace {

class Unique final : public Checker {
 public:
  void Compared(WatchIndex watch, const Response& response,
                const std::vector<Comparison>& compared) override {
    Recent& recent = At(recent_, watch);
    for (std::size_t i = 0; i < compared.size(); ++i) {
      if (compared[i].match == Match::kRepeated) {
        Add(watch, [&] {
          return Describe(response.message.events[i], compared[i].expected, response, recent);
        });
      } else if (compared[i].match == Match::kExpected || compared[i].match == Match::kLate) {
        Exercised();
        recent.given[recent.count++ % kRemembered] = {compared[i].expected, response.where};
      }
    }
  }

 private:
  // A repetition usually follows at once; of older deliveries only the fact is known, not the line.
  static constexpr std::size_t kRemembered = 16;

  struct Given {
    std::uint32_t expected = 0;
    Where where;
  };
  struct Recent {
    std::array<Given, kRemembered> given;
    std::size_t count = 0;
  };

  Draft Describe(const EventView& event, std::uint32_t expected, const Response& response,
                 const Recent& recent) const {
    Draft draft{.expected = fmt::format("the {} once", Phrase(event)),
                .observed = fmt::format("it came again in line {}", response.where.line.value),
                .where = response.where,
                .symptom = symptom::Repeated{}};
    for (std::size_t i = 0; i < std::min(recent.count, kRemembered); ++i) {
      const Given& given = recent.given[i];
      if (given.expected != expected) continue;
      draft.observed = fmt::format("it came again {}", Since(response.where, given.where));
      draft.evidence.insert(draft.evidence.begin(), given.where.line);
      break;
    }
    return draft;
  }

  std::vector<Recent> recent_;
};

const CheckerRegistration<Unique> kUnique{{
    .guarantee = Guarantee("Unique"),
    .place = 20,
    .gravity = Gravity::kOrder,
    .clause = "W-2",
    .impact = "A Kubernetes cache takes one change for two: a handler that counts, or that acts "
              "on every change, acts twice.",
    .explain = "A change is one key at one revision. A watch receives each change at most once, "
               "however often the server had to catch up, park responses or retry. A client that "
               "counts or adds up events relies on it. Source: the guarantee \"unique\" of the "
               "etcd v3 watch API.",
}};

}  // namespace
}  // namespace watchproof
