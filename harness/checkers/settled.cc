// SPDX-License-Identifier: Apache-2.0
// Settled: when all is quiet, every watch has been answered and is complete, compacted or ended on
// request.
#include "harness/checkers/checker.h"
#include "harness/checkers/impact.h"
#include "harness/checkers/phrases.h"

namespace watchproof {
namespace {

class Settled final : public Checker {
 public:
  using Checker::Checker;

  // Events and ErrCompacted out of place belong to Reliable and CompactionSurfaced.
  void Afterwards(WatchIndex watch, const Response& response, Findings& findings) override {
    if (facts().book.state(watch).end != WatchEnd::kCancelled || !IsPlain(response)) return;
    findings.Add(Guarantee::kSettled, watch, [&] {
      const Where ended = *facts().book.details(watch).ended;
      return Draft{.expected = "nothing more once the watch has been cancelled",
                   .observed = fmt::format("another message {}", Since(response.where, ended)),
                   .evidence = {ended.line, response.where.line},
                   .at = response.where.at,
                   .impact = impact::kAnsweredUnasked};
    });
  }

  void Stray(const Response& response, Findings& findings) override {
    if (!IsPlain(response)) return;
    findings.Add(Guarantee::kSettled, response.stream, [&] {
      return Draft{
          .expected = "answers only to what was asked",
          .observed = fmt::format("a {} for watch {}, which the stream does not have, in line {}",
                                  response.message.created    ? "creation"
                                  : response.message.canceled ? "cancellation"
                                                              : "progress answer",
                                  response.message.watch_id, response.where.line.value),
          .evidence = {response.where.line},
          .at = response.where.at,
          .impact = impact::kAnsweredUnasked};
    });
  }

  void Finish(WatchIndex watch, Findings& findings) override {
    const WatchDetails& details = facts().book.details(watch);
    switch (facts().book.state(watch).end) {
      case WatchEnd::kCompacted:
        return;
      case WatchEnd::kOpen:
        return FinishOpen(watch, findings);
      case WatchEnd::kRefused:
        if (details.end_text.empty() && !details.range.range.empty() &&
            details.requested_start >= 0) {
          Report(watch, "a watch, or a reason why not",
                 fmt::format("a refusal without a reason in line {}", details.ended->line.value),
                 findings, impact::kCreateUnanswered);
        }
        return;
      case WatchEnd::kCancelled:
        if (!details.cancel_asked && !NeighbourToBlame(facts(), watch) &&
            !EndedWithoutNotice(facts(), watch)) {
          Report(watch, "a watch that lasts until it is cancelled",
                 fmt::format("the target ended it in line {}, giving as reason {}",
                             details.ended->line.value, Quoted(details.end_text)),
                 findings, impact::kEndedUnasked);
        }
        return;
      case WatchEnd::kStreamClosed:
        if (!details.stream_close_intended && !details.continued_by) {
          Report(watch, "a stream that lasts until the client closes it",
                 fmt::format("it ended by itself in line {}: {}", details.ended->line.value,
                             details.end_text),
                 findings, impact::kEndedUnasked);
        }
        return;
    }
  }

 private:
  static bool IsPlain(const Response& response) {
    return response.message.events.empty() && response.message.compact_revision <= 0;
  }

  void FinishOpen(WatchIndex watch, Findings& findings) {
    const WatchState& state = facts().book.state(watch);
    const WatchDetails& details = facts().book.details(watch);
    // Its successor owes the rest, or nobody knows it.
    if (details.continued_by || facts().cut_off) return;
    const std::string quiet = fmt::format("for {} up to the end of the recording",
                                          Milliseconds(facts().latest.at - details.latest.at));
    if (!state.created) {
      return Report(watch, "an answer to the create request", "none " + quiet, findings,
                    impact::kCreateUnanswered);
    }
    if (details.cancel_asked) {
      return Report(watch, "an answer to the cancel request",
                    fmt::format("none in {}, from line {} to the end of the recording",
                                Milliseconds(facts().latest.at - details.cancel_asked->at),
                                details.cancel_asked->line.value),
                    findings, impact::kCancelUnanswered);
    }
    if (!OwesCompactionNotice(facts(), watch)) FinishStuck(watch, quiet, findings);
  }

  void FinishStuck(WatchIndex watch, const std::string& quiet, Findings& findings) {
    auto next = facts().comparer.NextOwed(watch);
    if (!next) return;
    const WatchState& state = facts().book.state(watch);
    const OwedList& owed = *facts().comparer.owed(watch);
    // What lies at or below a bookmark is not a missing end but a gap, which is Reliable's.
    std::uint64_t missing = facts().comparer.Missing(watch);
    while (*next < owed.size() && owed[*next].revision <= state.bookmark) {
      ++*next;
      --missing;
    }
    if (*next == owed.size()) return;
    Report(watch,
           fmt::format("every owed change up to revision {}, or ErrCompacted",
                       facts().model.timeline().known_through()),
           fmt::format(
               "stuck at revision {}: {} change{} missing, the first is the {}; nothing came {}",
               state.position, missing, missing == 1 ? " is" : "s are",
               Phrase(facts().comparer.change(owed[*next])), quiet),
           findings, {}, LikenessOfLoss(facts(), watch, facts().comparer.change(owed[*next])));
  }

  void Report(WatchIndex watch, std::string expected, std::string observed, Findings& findings,
              std::string_view impact, std::string_view like = {}) {
    const WatchDetails& details = facts().book.details(watch);
    const Where last = details.ended.value_or(details.latest);
    findings.Add(Guarantee::kSettled, watch, [&] {
      Draft draft{.expected = std::move(expected),
                  .observed = std::move(observed),
                  .evidence = {details.asked.line},
                  .at = details.ended ? details.ended->at : facts().latest.at,
                  .like = like,
                  .impact = impact};
      if (last.line != details.asked.line) draft.evidence.push_back(last.line);
      return draft;
    });
  }
};

const CheckerRegistration kSettled{{
    .guarantee = Guarantee::kSettled,
    .promise =
        "Every watch reaches a final state: complete, compacted, or ended because it was asked to.",
    .belief = "A Kubernetes cache waits for events that do not come and serves what it "
              "has as if that were up to date.",
    .explain = "When faults are healed and writing has stopped, waiting must come to an end. Every "
               "create request "
               "has been answered; every watch has been given all it was owed, or was told "
               "ErrCompacted, or ended "
               "because the client cancelled it, was refused for a reason, or closed the stream. A "
               "watch that is "
               "none of these is stuck: the finding says where it stands, what it was owed next "
               "and how much is "
               "missing. A watch that ends without being asked, or with a stream that ended by "
               "itself, has not "
               "been settled either.",
    .make = [](const Facts& facts) { return std::make_unique<Settled>(facts); },
}};

}  // namespace
}  // namespace watchproof
