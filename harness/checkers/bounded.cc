// SPDX-License-Identifier: Apache-2.0
// Bounded: what clients have ended costs the target nothing any more.
#include <cstdlib>
#include <map>
#include <string>

#include "harness/checkers/burdened.h"
#include "harness/checkers/checker.h"

namespace watchproof {
namespace {

class Bounded final : public Checker {
 public:
  void Annotated(const Annotation& annotation, Where where) override {
    if (memory_.Take(annotation, where)) Exercised();
    const auto* const account = std::get_if<Account>(&annotation);
    if (account == nullptr) return;
    Exercised();
    if (account->free()) return;
    const std::int64_t more = account->more();
    const auto [part, is_new] = parts_.try_emplace(account->of, parts_.size());
    Add(MemberSubject{account->member, where.line, part->second},
        {.expected = fmt::format("{} {}, as before {} watch streams that have ended",
                                 account->before, account->of, account->streams),
         .observed = fmt::format("{} {}, {} too {}", account->after, account->of, std::abs(more),
                                 more > 0 ? "many" : "few"),
         .where = where},
        Level::kShould);
  }

  void Conclude() override {
    for (Draft& draft : memory_.Beyond()) {
      draft.clause = "S-18";
      const auto [part, is_new] = parts_.try_emplace(draft.expected, parts_.size());
      const MemberSubject subject{1, draft.evidence.front(), part->second};
      Add(subject, std::move(draft), Level::kShould);
    }
    for (std::string& open : memory_.Open()) Undecide(std::move(open));
  }

 private:
  Burdened memory_{{Measure::kMemory}};
  std::map<std::string, std::uint8_t> parts_;  // by what an account is of
};

const CheckerRegistration<Bounded> kBounded{{
    .guarantee = Guarantee("Bounded"),
    .place = 165,
    .gravity = Gravity::kFields,
    .clause = "S-3",
    .impact = "The store that a Kubernetes API server watches grows with every connection that was "
              "lost, or alarms on its metrics are false.",
    .explain =
        "A case notes what the target publishes about itself: goroutines, open files, "
        "watchers, watch streams, and how many streams ended as Unavailable. Then watch "
        "streams come and go, and some time after their end that is asked again. Watchers "
        "and streams must be as many as before. Of goroutines and files, which other work "
        "changes, too, a target may have more, but not one for every second stream. A "
        "stream that its client ended is no failure of the server: none may count as "
        "Unavailable. What watches that the target serves, or has served, may cost it is judged by "
        "ratios only: a figure beside the burden against the same figure before, several "
        "times, until a fair coin would hardly ever have fallen so.",
}};

}  // namespace
}  // namespace watchproof
