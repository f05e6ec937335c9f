// SPDX-License-Identifier: Apache-2.0
// The plan of an attempt: a list of steps, as data, drawn from the seed before the first step.
//
//   Plan plan;
//   plan.steps.push_back(PutStep{.key = "k", .value = {.seed = 7, .bytes = 16384}});
//   plan.steps.push_back(CompactStep{.at = AtHead()});
//   for (const std::string& line : ToJsonLines(plan, header)) file << line << '\n';
//   WP_ASSIGN_OR_RETURN(PlanFile read, ParsePlan(text));
//
// Revisions are not known before the run, so steps refer to them by their meaning: the head, or the
// revision of an earlier write. Threads: values.
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

// A value described by a seed and a size: letters and digits drawn from the seed.
struct ValueRef {
  std::uint64_t seed = 0;
  std::size_t bytes = 0;
  std::string Make() const;
};

struct PutStep {
  std::string key;
  ValueRef value;
  std::string lease{};  // that the key is attached to
};
struct DeleteStep {
  std::string key;
  std::string range_end;
};
struct TxnStep {
  std::vector<std::variant<PutStep, DeleteStep>> writes;
};
// A put and a read of a revision in one transaction, which a target rejects as a whole when that
// revision is compacted.
struct RefusedTxnStep {
  PutStep write;
  std::string key;  // that is read
  RevisionRef at;
};
struct CompactStep {
  RevisionRef at;
  bool at_once = false;  // answered before the target's backend has removed anything
  bool refused = false;  // the target must reject it; otherwise a finding of CompactionSurfaced
};
struct LeaseStep {
  std::string lease;  // the plan's name for it
  std::chrono::seconds ttl{};
};
struct RevokeStep {
  std::string lease;
};
// Waits until the lease has expired. Requires: its time is short.
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
  // These count for the first watch of a stream, which opens it: its user (see AuthStep), its
  // member, and whether that member must have a leader.
  std::string user;
  int member = 1;
  bool require_leader = false;
};
// Adds users, each with permission to read one range and nothing else, and then enables
// authentication. From here on the writes of the plan are root's.
struct AuthStep {
  struct Reader {
    std::string user;
    std::string key;
    std::string range_end;
  };
  std::vector<Reader> readers;
};
// Clients that call the store concurrently during the following steps: puts, deletes, transactions
// that depend on a version, linearizable and serializable reads of a few keys.
struct LoadStep {
  std::string load;
  std::size_t clients = 8;
  std::size_t calls = 100;  // of each client
  std::size_t keys = 10;    // below the key: key/0, key/1, ...
  std::string key;
  std::uint64_t seed = 0;
  bool direct = false;  // on the direct path; otherwise on the proxied path
  bool puts_only = false;
  int member = 1;  // that the clients connect to; 0: they are spread over all members
};
// Waits until every call of the load has ended.
struct AwaitLoadStep {
  std::string load;
  bool lost = false;  // at least one must be without an answer, or the attempt proves nothing
};
// Creates watches with ids that the client chose and cancels each right after its create, without
// waiting for an answer; then waits until all of them have ended.
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
// Resumes every watch of the group after its streams were cut, one past the last revision received:
// as watches of the group `as` on a new stream.
struct ResumeStep {
  std::string group;
  std::string as;
  int member = 1;
};
// The calls of the following steps go to that member.
struct UseMemberStep {
  int member = 1;
};
// Waits until the member has a leader and everything that was written so far.
struct AwaitCaughtUpStep {
  int member = 1;
};
// Waits until the member reports that it has received a snapshot of the store.
struct AwaitSnapshotStep {
  int member = 1;
};
// The target must end the stream within the limit; otherwise a finding of Settled.
struct MustEndStep {
  std::string stream;
  Duration limit = 10s;
};
// As AwaitDelivered, but required of the target: if nothing more is delivered for the limit, that
// is a finding of Isolated.
struct MustDeliverStep {
  std::string group;
  Duration limit = 5s;
};
// As AwaitProgress, but required of the target: if no answer comes in time, that is a finding of
// Bookmarkable.
struct MustReportProgressStep {
  // Unasked: without a request, to watches with progress_notify.
  enum class When { kAsked, kUnasked };
  When when = When::kAsked;
  std::string stream = "main";
  Duration limit = 5s;
};
struct RequestProgressStep {
  std::string stream = "main";
};
// Waits until every watch of the group has received that it was created or rejected.
struct AwaitCreatedStep {
  std::string group;
};
// Waits until the streams of the group have ended, so that nothing more can arrive on them.
struct AwaitEndedStep {
  std::string group;
};
// Waits until every watch of the group has received everything written so far, or has ended.
struct AwaitDeliveredStep {
  std::string group;
};
// Waits until a progress answer has arrived on the stream; the request is repeated, because a
// target may drop it while a watch is not caught up.
struct AwaitProgressStep {
  std::string stream = "main";
};
// Waits until the target's own gauge counts this many more watchers than before the first step;
// without such a gauge the step ends at once.
struct AwaitRegisteredStep {
  std::size_t watchers = 0;
};
// Waits until so many passes of the target's catch-up loop have begun and ended. Seen from outside:
// a watch with history to read, opened on the direct path, has been served.
struct AwaitSyncPassesStep {
  int passes = 1;
};
struct InjectStep {
  std::string fault;  // its kind, or the kind, a slash and a suffix
  std::map<std::string, std::string> parameters;
  bool optional = false;  // of the spare faults of one kind, at least one must take effect
};
// Waits until the fault took effect, or 3 s have passed.
struct AwaitEffectStep {
  std::string fault;
};
struct HealStep {
  std::string fault;
};
// Waits for the moment of the next step: something arrives on the wire, or a load has ended so many
// calls. A fault may prevent it, so the next step is taken after the limit in any case.
struct WhenStep {
  enum class Moment {
    kResponse,  // the n-th response to a stream of the group, from here on
    kBytes,     // so many bytes of responses to one of these streams, from here on
    kRevision,  // a watch of the group has received the revision, or a later one
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
// Waits for a time that is part of the scenario, such as the length of a stall.
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

// How many members the target has, and their set-up. Members are numbered from 1; the first one
// leads when the first step is taken.
struct ClusterPlan {
  int members = 1;
  int snapshot_count = 0;  // log entries between two snapshots; 0: the target's default
};

struct Plan {
  std::vector<Step> steps;
  // The verdict that the case declares; see CaseInfo.
  Verdict expect = Verdict::kPass;
  ClusterPlan cluster = {};
  // What the target must offer; otherwise the attempt is unsupported.
  std::vector<Capability> needs;
  // See JudgeOptions.
  bool permit_compacted_at_the_floor = false;
  // By name: an attempt with no opportunity to break one of them proves nothing.
  std::vector<std::string> guarantees{};
  // How long watches may take to settle once everything is healed.
  Duration converge_limit = 10s;
};

// The fields at the start of each line of the plan file.
struct PlanHeader {
  std::string case_name;
  std::string target;
  std::string seed;
  int attempt = 1;
};
// One JSON document for the whole plan, then one per step. What the target must offer is not
// written: the case declares it.
std::vector<std::string> ToJsonLines(const Plan& plan, const PlanHeader& header);

// Only the steps, without the header fields.
std::vector<std::string> StepLines(const Plan& plan);

// Sums the waits of a plan that end with their time and not with a fact, or that are limits for the
// target. An error if the sum is above the time for steps.
Status CheckWaits(const Plan& plan, Duration time_for_steps);

struct PlanFile {
  PlanHeader header;
  Plan plan;
};
// Parses the output of ToJsonLines for one attempt. Errors name the line and what was expected.
Result<PlanFile> ParsePlan(std::string_view lines);
// The same for a file; errors also name the file.
Result<PlanFile> ReadPlan(const std::filesystem::path& file);
Status WritePlan(const std::filesystem::path& file, const Plan& plan, const PlanHeader& header);

// One attempt of a run, to be repeated: the plan, and the flags of that run that changed it.
struct RecordedPlan {
  Plan plan;
  bool bypass_proxy = false;
  bool no_faults = false;
  std::map<std::string, std::map<std::string, std::string>> faults;
};
// Finds the attempt of this case, target and number among the plans of its run.
Result<RecordedPlan> FindPlan(const std::filesystem::path& file, const PlanHeader& attempt);

}  // namespace watchproof
