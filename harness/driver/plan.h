// SPDX-License-Identifier: Apache-2.0
// What an attempt is going to do, decided from the seed before anything is done: a list of steps,
// as data.
//
//   Plan plan;
//   plan.steps.push_back(PutStep{.key = "k", .value = {.seed = 7, .bytes = 16384}});
//   plan.steps.push_back(CompactStep{.at = AtHead()});
//   for (const std::string& line : ToJsonLines(plan, header)) file << line << '\n';
//   WP_ASSIGN_OR_RETURN(PlanFile read, ParsePlan(text));
//
// Revisions are not known before the run, so steps name them by what they mean: the head, or the
// revision that an earlier write was given. Threads: values.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/base/deadline.h"
#include "harness/base/status.h"
#include "harness/base/units.h"
#include "harness/driver/result.h"
#include "harness/targets/capability.h"

namespace watchproof {

// A revision by its meaning when the step is reached.
struct RevisionRef {
  enum class Base { kAbsolute, kHead, kWrite };
  Base base = Base::kAbsolute;
  std::int64_t number =
      0;  // the revision; an offset from the head; which write of the plan, from 0
  std::string ToString() const;
};
inline RevisionRef FromNow() { return {}; }
inline RevisionRef AtRevision(std::int64_t revision) {
  return {RevisionRef::Base::kAbsolute, revision};
}
inline RevisionRef AtHead(std::int64_t offset = 0) { return {RevisionRef::Base::kHead, offset}; }
inline RevisionRef OfWrite(std::int64_t index) { return {RevisionRef::Base::kWrite, index}; }

// A value that can be told in a few characters: letters and digits drawn from the seed.
struct ValueRef {
  std::uint64_t seed = 0;
  std::size_t bytes = 0;
  std::string Make() const;
};

struct PutStep {
  std::string key;
  ValueRef value;
  std::string lease{};  // on which the key then hangs
};
struct DeleteStep {
  std::string key;
  std::string range_end;
};
struct TxnStep {
  std::vector<std::variant<PutStep, DeleteStep>> writes;
};
// A put and a read of a revision in one transaction, which a target refuses as a whole when it has
// not got that revision any more. Unless it does, the attempt proves nothing.
struct RefusedTxnStep {
  PutStep write;
  std::string key;  // that is read
  RevisionRef at;
};
struct CompactStep {
  RevisionRef at;
  bool at_once = false;  // answered before anything is gone from the target's backend
  bool refused = false;  // a promise of the target: it must not do this; else CompactionSurfaced
};
struct LeaseStep {
  std::string lease;  // the plan's name for it
  std::chrono::seconds ttl{};
};
struct RevokeStep {
  std::string lease;
};
// The lease has ended by itself. Requires: its time is short.
struct AwaitExpiredStep {
  std::string lease;
};
// Creates `count` equal watches on the named stream, which is opened on first use.
struct WatchStep {
  std::string group;
  std::size_t count = 1;
  std::string key;
  std::string range_end;
  RevisionRef start;
  std::int64_t first_id = 0;  // chosen by the client: first_id, first_id + 1, ...; 0: by the server
  bool previous_values = false;
  bool progress_notify = false;
  bool fragment = false;
  bool no_puts = false;  // filters
  bool no_deletes = false;
  std::string stream = "main";
  std::string user;  // on whose behalf the stream is opened, where its first watch is; see AuthStep
  // The same holds for these: which member it leads to, and whether that must have a leader.
  int member = 1;
  bool require_leader = false;
};
// Adds users, each of whom may read one range and nothing else, and then has the target ask
// everyone who he is. Our own writes are root's from here on.
struct AuthStep {
  struct Reader {
    std::string user;
    std::string key;
    std::string range_end;
  };
  std::vector<Reader> readers;
};
// Clients that call the store side by side while the steps behind this one are taken: puts,
// deletes, transactions that depend on a version, linearizable and serializable reads of a few
// keys.
struct LoadStep {
  std::string load;
  std::size_t clients = 8;
  std::size_t calls = 100;  // of each client
  std::size_t keys = 10;    // below the key: key/0, key/1, ...
  std::string key;
  std::uint64_t seed = 0;
  bool side = false;  // otherwise by the faulted road
  bool puts_only = false;
  int member = 1;  // to which the clients are connected; 0: they take turns at all of them
};
// Every call of the load has ended.
struct AwaitLoadStep {
  std::string load;
  bool lost = false;  // some without an answer, or the attempt proves nothing
};
// Creates watches with ids of its own and cancels each right behind its create, without waiting for
// any answer; then waits until all of them have ended.
struct ChurnStep {
  std::string group;
  std::size_t count = 1;
  std::string key;
  std::string range_end;
  RevisionRef start;
  std::int64_t first_id = 1;
  std::string stream = "main";
};
// Cancels every watch of the group and waits for the answers.
struct CancelStep {
  std::string group;
};
// Continues every watch of the group, whose streams have been cut, one past what it was given last:
// as watches of the group `as` on a new stream.
struct ResumeStep {
  std::string group;
  std::string as;
  int member = 1;
};
// The calls of the steps behind this one go to that member.
struct UseMemberStep {
  int member = 1;
};
// The member knows a leader and has everything that was written so far.
struct AwaitCaughtUpStep {
  int member = 1;
};
// The member says that it has been sent a snapshot of the store.
struct AwaitSnapshotStep {
  int member = 1;
};
// A promise of the target: it ends the stream within the limit, or that is a finding of Settled.
struct MustEndStep {
  std::string stream;
  Duration limit = 10s;
};
// As AwaitDelivered, but a promise of the target: if nothing more is delivered for the limit, that
// is a finding of Isolated.
struct MustDeliverStep {
  std::string group;
  Duration limit = 5s;
};
// As AwaitProgress, but a promise of the target: if no answer comes in time, that is a finding of
// Bookmarkable.
struct MustReportProgressStep {
  enum class When { kAsked, kUnasked };  // unasked: by itself, to watches that wish for it
  When when = When::kAsked;
  std::string stream = "main";
  Duration limit = 5s;
};
struct RequestProgressStep {
  std::string stream = "main";
};
// Every watch of the group has been told that it was created or refused.
struct AwaitCreatedStep {
  std::string group;
};
// The streams of the group have ended, so that nothing more can come on them.
struct AwaitEndedStep {
  std::string group;
};
// Every watch of the group has been given everything that was written so far, or has ended.
struct AwaitDeliveredStep {
  std::string group;
};
// A progress answer has come to the stream; the request is repeated, because a target may drop it
// while a watch is not caught up.
struct AwaitProgressStep {
  std::string stream = "main";
};
// The target's own gauge counts this many more watchers than before the first step; without such a
// gauge the step passes at once.
struct AwaitRegisteredStep {
  std::size_t watchers = 0;
};
// So many passes of the target's catch-up loop have begun and ended since the step was reached.
// Shown from outside: a watch with history to read, opened on the side door, has been served.
struct AwaitSyncPassesStep {
  int passes = 1;
};
struct InjectStep {
  std::string fault;  // its kind, or the kind, a slash and a word of the plan
  std::map<std::string, std::string> parameters;
  bool spare = false;  // one that was felt, of all the spare ones of its kind, is proof enough
};
// Until the fault has been felt, or 3 s have passed.
struct AwaitEffectStep {
  std::string fault;
};
struct HealStep {
  std::string fault;
};
// A moment at which the next step is taken: something comes over the wire, or a load has come so
// far. Harm may keep it from coming, so the step is taken after the limit in any case.
struct WhenStep {
  enum class Moment {
    kResponse,  // the n-th to a stream of the group, from here on
    kBytes,     // so many bytes of responses to one of these, from here on
    kRevision,  // a watch of the group has been given the revision, or a later one
    kProgress,  // the n-th progress answer to a watch of the group, from here on
    kCalls,     // so many calls of the load have ended
  };
  Moment moment = Moment::kResponse;
  std::string of;  // a group, or a load
  std::int64_t count = 1;
  RevisionRef revision;
  Duration limit = 500ms;
};
std::string_view Name(WhenStep::Moment moment);
// Time that belongs to the scenario, such as the length of a stall.
struct HoldStep {
  Duration duration{};
};

using Step =
    std::variant<PutStep, DeleteStep, TxnStep, RefusedTxnStep, CompactStep, LeaseStep, RevokeStep,
                 WatchStep, AuthStep, LoadStep, AwaitLoadStep, ChurnStep, CancelStep, ResumeStep,
                 UseMemberStep, AwaitCaughtUpStep, AwaitSnapshotStep, MustEndStep, MustDeliverStep,
                 MustReportProgressStep, RequestProgressStep, AwaitCreatedStep, AwaitEndedStep,
                 AwaitDeliveredStep, AwaitExpiredStep, AwaitProgressStep, AwaitRegisteredStep,
                 AwaitSyncPassesStep, InjectStep, AwaitEffectStep, HealStep, WhenStep, HoldStep>;

// How many servers the target is, and how they are set up. Members are numbered from 1; the first
// one leads when the first step is taken.
struct ClusterPlan {
  int members = 1;
  int snapshot_count = 0;  // log entries between two snapshots; 0: as the target does by itself
};

struct Plan {
  std::vector<Step> steps;
  // How it ends when all is well; see CaseInfo.
  Verdict expect = Verdict::kPass;
  ClusterPlan cluster = {};
  // Without these the target cannot be asked: the attempt is unsupported.
  std::vector<Capability> needs;
  // See JudgeOptions.
  bool permit_compacted_at_the_floor = false;
  // By name: an attempt in which one of them could not have been broken proves nothing.
  std::vector<std::string> guarantees{};
  // How long watches may take to settle once everything is healed.
  Duration converge_limit = 10s;
};

// What each line of the plan's file begins with.
struct PlanHeader {
  std::string case_name;
  std::string target;
  std::string seed;
  int attempt = 1;
};
// One JSON document with what holds for the whole plan, then one per step. What the target must
// offer is the case's to say and not told.
std::vector<std::string> ToJsonLines(const Plan& plan, const PlanHeader& header);

// The same of the steps alone, without what all lines share.
std::vector<std::string> StepLines(const Plan& plan);

// Sums the waits of a plan that end with their time and not with a fact, or that the target must
// keep to. Errors if that is more than there is time for.
Status CheckWaits(const Plan& plan, Duration time_for_steps);

struct PlanFile {
  PlanHeader header;
  Plan plan;
};
// Reads what ToJsonLines wrote, of one attempt. Errors name the line and what was expected.
Result<PlanFile> ParsePlan(std::string_view lines);
// The same of a file; errors name it too.
Result<PlanFile> ReadPlan(const std::filesystem::path& file);
Status WritePlan(const std::filesystem::path& file, const Plan& plan, const PlanHeader& header);

// One attempt of a run, to be done again: the plan, and what bent its carrying out.
struct RecordedPlan {
  Plan plan;
  bool bypass_proxy = false;
  bool no_faults = false;
  std::map<std::string, std::map<std::string, std::string>> faults;
};
// Finds the attempt of this case, target and number among the plans of its run.
Result<RecordedPlan> FindPlan(const std::filesystem::path& file, const PlanHeader& attempt);

}  // namespace watchproof
