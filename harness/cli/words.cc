// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/words.h"

#include <fmt/format.h>

#include <array>

#include "harness/report/run_record.h"
#include "harness/runs/exit_code.h"

namespace watchproof {
namespace {

struct OutcomeText {
  Outcome outcome;
  const char* name;
  const char* explain;
};
constexpr OutcomeText kOutcomeTexts[] = {
    {Outcome::kPass, "pass",
     "The guarantees held, and the scenario took place as planned: the faults took effect, the "
     "load was reached, the recording is complete and every watch reached a final state. A pass "
     "says that they could have been broken in this attempt, and were not."},
    {Outcome::kFail, "fail",
     "At least one finding: the recording shows that the target broke a promise, in a way that no "
     "known bug of its release explains. It is a new failure, and the run exits with 1."},
    {Outcome::kKnown, "known",
     "A failure that was expected: each finding looks like a bug that this release has, or a "
     "baseline accepts it. It is named with its reason, and does not change the exit code."},
    {Outcome::kRegression, "regression",
     "A failure by a bug that this release has fixed: it is back, or was never gone. It counts as "
     "a new failure, and no baseline accepts it."},
    {Outcome::kFixedEarly, "fixed early",
     "A pass, although this release has a bug that the case shows every time. The list of known "
     "bugs is out of date for it, or the binary carries a fix of its own: exit code 6."},
    {Outcome::kInconclusive, "inconclusive",
     "Too little evidence for pass or fail: a fault took no effect, the load was too low, the "
     "recording is incomplete or the outcome of a write stayed unknown. Never counted as a pass; "
     "the line of the attempt says why, and another try or a less busy machine may decide it."},
    {Outcome::kUnsupported, "unsupported",
     "The target does not offer a capability that the case needs, or refuses it, so there was "
     "nothing to judge. It is no failure: `watchproof doctor --target SPEC` lists what is missing, "
     "and what to do about it."},
    {Outcome::kDeclared, "as declared",
     "The attempt ended as its case itself declares, which is not with a pass. So end the "
     "self-tests, in which something has to go wrong and be noticed."},
    {Outcome::kTargetFailed, "no target",
     "The target could not be started or reached, so that nothing was asked of it. It proves "
     "nothing about any guarantee, and the run exits with 3 unless something failed."},
    {Outcome::kNotFetched, "not fetched",
     "The release is not in the cache of this machine, so that none of its cases ran. `watchproof "
     "fetch etcd VERSION` places it there."},
    {Outcome::kNotRun, "not run",
     "The attempt was planned and not made: the run was interrupted, or --fail-fast ended it. "
     "`watchproof run --resume RUN` makes it."},
    {Outcome::kHarnessError, "harness error",
     "An error of watchproof or of the machine, not of the target: the case crashed, hung, or "
     "ended without a result. It proves nothing about any guarantee, and the run exits with 70."},
};

struct FixedWord {
  const char* kind;
  const char* name;
  const char* explain;
  std::array<const char*, 5> aliases = {};
};
constexpr FixedWord kFixedWords[] = {
    {"level", "must", "A documented promise of the watch API. A target that breaks it fails."},
    {"level", "should",
     "Documented behaviour that clients rely on, without the word of a promise. A target that "
     "does otherwise fails, and the finding names the level."},
    {"level", "may",
     "Observed and interesting, but not documented, such as late events. It is noted and never "
     "fails an attempt."},
    {"word", "level",
     "How binding a rule is: must, should or may. Cases have one, and so have findings; `run "
     "--level must` selects by it."},
    {"word", "gravity",
     "How bad it is when a guarantee breaks, the worst first: death (a member ends or answers no "
     "more), data (lost, wrong or doubled), order, silence (what should come does not), fields "
     "(something small in a message). Findings are listed in this order."},
    {"word", "undecided",
     "Neither pass nor fail can be said, for the reason given beside it. Of a run it means that "
     "nothing is new, but something proved nothing: exit code 2."},
    {"word",
     "finding",
     "A broken guarantee, with its evidence: what was expected, what was observed, and the "
     "lines of the recording that show it. An attempt with at least one fails.",
     {{"findings"}}},
    {"word", "attempt",
     "One execution of a case on a target, in a process of its own and with a seed of its own. "
     "A run makes one or more of each case."},
    {"word", "case",
     "One question to a target: a script of writes, watches and faults, and the guarantees that "
     "are judged. `watchproof list cases` has them all."},
    {"word", "guarantee",
     "A promise of the watch API, such as Ordered or Reliable, that is judged from the recording "
     "alone. `watchproof list guarantees` has them all."},
    {"word", "answer key",
     "The list of the known bugs of etcd, with the releases that have them and the cases that "
     "show them. `watchproof bugs` prints it; expected failures follow from it."},
    {"word", "looks like",
     "The finding fits the signature of this known bug. It resembles the bug and does not prove "
     "the cause; a finding that looks like none is new."},
    {"word",
     "signature",
     "What findings of a known bug look like, as a predicate that no other bug should fit. A "
     "failure is known only if each finding has the signature of a bug that the release has.",
     {{"known-bug signature"}}},
    {"word",
     "standing promise",
     "What is asked of the store at the end of every attempt, whatever the case is about: reads "
     "of every key, progress, new watches. A broken one that is about no watch does not fail the "
     "case, but is reported once for each target, as StandingPromises.NAME.",
     {{"standing promises", "closing question", "closing questions"}}},
    {"word", "baseline",
     "A file with the failures that you accept for a while, each with a reason. `run --baseline "
     "FILE` reads it, `watchproof baseline` maintains it."},
    {"word",
     "planted",
     "A defect that was switched on in the embedded store on purpose, to see that it is found. "
     "`watchproof list defects` has them; `--target embedded+NAME` plants one.",
     {{"planted defect"}}},
    {"word",
     "receipt",
     "What a fault did, when, and the evidence from outside of it that it took effect. An attempt "
     "without that evidence is inconclusive.",
     {{"took effect"}}},
    {"word", "vacuous",
     "The attempt went through, but nothing in it could have broken the guarantee that it is "
     "about. So it proves nothing, and is inconclusive."},
    {"word", "seed",
     "The number from which everything in an attempt is drawn: keys, values, order and fault "
     "times. The same seed is the same plan; the timing of a real server still varies."},
    {"word", "plan",
     "All that an attempt does, as steps in a file: written by the case from a seed, kept by "
     "exploration or reduced by shrink. `run --plan FILE` follows it."},
    {"word", "kept",
     "Of a run: the recording stays in its folder, as `run --keep` says. Of exploration: the "
     "finding showed again alone, and its script and report are in the folder of --keep. Of "
     "`baseline prune`: no run has a verdict about the entry, so it stays."},
    {"word",
     "direct",
     "A connection straight to the target, which no effect of the proxy can touch: most writes "
     "and the control watch use it. \"client direct\" is the client on that path, \"client "
     "proxied\" the one behind the proxy.",
     {{"proxied", "direct path", "proxied path", "client direct", "client proxied"}}},
    {"word", "control watch",
     "A watch on the direct path, over all keys of an attempt: the reference for the watches "
     "that are tested. "
     "What it received, they must receive, too."},
    {"word",
     "compaction floor",
     "The revision to which the store has been compacted: what is older can no longer be "
     "delivered. A watch that still needs it must end with ErrCompacted.",
     {{"floor", "ErrCompacted"}}},
    {"word", "before",
     "In the matrix of report.html: what the latest runs in the same folder came to, the oldest "
     "to the left. It shows at a glance whether a failure is new, or comes and goes."},
    {"word", "evidence",
     "Of a finding: the lines of the recording that show it. Of a gate: the odds, against no "
     "difference, that the pairs of attempts have gathered; from the number behind it on the head "
     "is called worse, which of so many gates over an unchanged build one reaches at most."},
    {"word", "bugs of both apart",
     "The gate counts a failure by a known bug that base and head both have as a pass. What it "
     "says is about everything else."},
    {"word",
     "bucket",
     "Findings of exploration that have the same shape: guarantee, kind of watch and what went "
     "wrong. Each is cut out, repeated alone and made smaller once.",
     {{"buckets"}}},
    {"word",
     "feature",
     "A state or turn of the store that a drawn script reached. A script that reaches a new one "
     "is changed further, so that exploration gets deeper.",
     {{"features"}}},
    {"word",
     "situation",
     "A property of a watch that is tested in combination: its range, start, options, or what "
     "happens while it is open. Exploration counts the pairs and triples of them that one watch "
     "has met, of all that are possible.",
     {{"situations", "pairs", "triples"}}},
    {"word",
     "turn",
     "In virtual time: one step of a loop of the embedded store, such as loop=sync, which feeds "
     "watches that are behind, or loop=victims, which tries full queues again. A script is its "
     "own schedule, so it repeats exactly.",
     {{"victims", "sync", "loop"}}},
};

std::vector<Word> AllWords() {
  std::vector<Word> words;
  for (const OutcomeText& text : kOutcomeTexts) {
    const OutcomeStyle& style = StyleOf(text.outcome);
    words.push_back({"verdict",
                     text.name,
                     text.explain,
                     {std::string(style.word), std::string(style.name), std::string(style.one),
                      std::string(style.many)}});
  }
  for (const FixedWord& fixed : kFixedWords) {
    Word word{fixed.kind, fixed.name, fixed.explain};
    for (const char* alias : fixed.aliases) {
      if (alias != nullptr) word.aliases.emplace_back(alias);
    }
    words.push_back(std::move(word));
  }
  for (const ExitCodeInfo& info : ExitCodes()) {
    words.push_back({"exit code",
                     std::to_string(static_cast<int>(info.code)),
                     fmt::format("The command ends so ({}): {}. If several codes apply to a run, "
                                 "the first of 130/143, 1, 70, 3, 6, 2, 0 counts.",
                                 info.name, info.when),
                     {std::string(info.name)}});
  }
  return words;
}

}  // namespace

const std::vector<Word>& Words() {
  static const std::vector<Word> kWords = AllWords();
  return kWords;
}

}  // namespace watchproof
