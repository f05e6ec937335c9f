// SPDX-License-Identifier: Apache-2.0
// Available: a target that is not stopped keeps running and answers.
#include "harness/checkers/burdened.h"
#include "harness/checkers/checker.h"
#include "harness/checkers/phrases.h"

namespace watchproof {
namespace {

constexpr std::string_view kNotOffered =
    "A Kubernetes API server that builds on the call fails with it.";

constexpr std::string_view kOutdated =
    "A Kubernetes API server that is connected to the member serves outdated objects for ever.";

constexpr std::string_view kSlow =
    "One client slows down the writes and the watches of all others.";

constexpr std::string_view kUnserved =
    "After a partition clients are without their store for longer than an election takes.";

class Available final : public Checker {
 public:
  // The driver annotates what it observed: the end of a process, or a missing answer. It writes
  // these annotations only if no fault explains the observation.
  void Annotated(const Annotation& annotation, Where where) override {
    if (burdened_.Take(annotation, where)) Exercised();
    if (const auto* ended = std::get_if<TargetEnded>(&annotation)) {
      Add(MemberSubject{ended->member},
          {.expected = "a process that runs until it is stopped; no fault of this case ends it",
           .observed = fmt::format("it {}; its last output: {}", ended->how, ended->last_words),
           .where = where});
    } else if (const auto* silent = std::get_if<TargetSilent>(&annotation)) {
      Add(MemberSubject{silent->member},
          {.expected = fmt::format("an answer to {}: no fault is active", silent->asked),
           .observed = fmt::format("none in {} ms", silent->waited_ms),
           .where = where,
           .by_silence = true});
    } else if (const auto* refused = std::get_if<TargetRefused>(&annotation)) {
      Add(MemberSubject{refused->member, where.line},
          {.expected = fmt::format("{}, {}", refused->asked, refused->known),
           .observed = refused->refusal,
           .where = where,
           .impact = kNotOffered,
           .clause = "S-7"});
    } else if (const auto* behind = std::get_if<MemberBehind>(&annotation)) {
      Add(MemberSubject{behind->member, where.line},
          {.expected = fmt::format("the history through revision {}, which each member has that no "
                                   "fault disturbs",
                                   behind->revision),
           .observed = fmt::format(
               "{}, and so for {} s{}", behind->lacks, behind->waited_ms / 1000,
               behind->applied ? ", with as much of the log applied as the others" : ""),
           .where = where,
           .symptom = symptom::MemberBehind{behind->applied},
           .impact = kOutdated,
           .clause = "S-8"});
    }
  }

  void Conclude() override {
    std::uint8_t part = 0;
    for (Draft& draft : burdened_.Beyond()) {
      const bool unserved = std::get<symptom::Burden>(draft.symptom).figure == Figure::kUnserved;
      draft.clause = unserved ? "S-19" : "S-17";
      draft.impact = unserved ? kUnserved : kSlow;
      const MemberSubject subject{1, draft.evidence.front(), ++part};
      Add(subject, std::move(draft), Level::kShould);
    }
    for (std::string& open : burdened_.Open()) Undecide(std::move(open));
  }

 private:
  Burdened burdened_{{Measure::kPuts, Measure::kDelay}};
};

const CheckerRegistration<Available> kAvailable{{
    .guarantee = Guarantee("Available"),
    .place = 160,
    .gravity = Gravity::kDeath,
    .clause = "S-2",
    .impact = "A Kubernetes API server without its store serves outdated objects from its cache, "
              "and refuses every write.",
    .explain =
        "The process of the target must not end unless a fault kills it or the run is over, "
        "and it must answer over the direct path, which no fault of the network touches, "
        "within the time limit of the call. A target that never answered at all is not "
        "judged: the run then ends with exit code 3. Beside a burden it must serve the others "
        "as fast as before, but for a factor that the case names, and so must it once that is "
        "over.",
}};

}  // namespace
}  // namespace watchproof
