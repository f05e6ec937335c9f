// SPDX-License-Identifier: Apache-2.0
// What a finding shows, as a type with the facts that its words do not carry. It says what is
// broken, and never which bug may be the cause: that is for harness/signatures to say.
//
//   Add(watch, {.expected = ..., .symptom = symptom::OfRevision{change.revision}});
//
// Threads: values. What they refer to lasts as long as the finding is being filed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "harness/history/history_parser.h"
#include "harness/model/figure.h"
#include "harness/model/model.h"
#include "harness/model/rights.h"

namespace watchproof {

// A change that never came, and what was known where that showed.
struct Loss {
  WatchIndex watch{};  // that it never came to
  Change change;
  Revision first{};  // the lowest of those that were lost together
  Revision compaction_requested{};
  std::uint64_t received = 0;  // messages on the stream of the watch
};

namespace symptom {

// So many changes of one revision are missing, or they are not as they were written.
struct OfRevision {
  Revision revision{};
  std::uint32_t missing = 0;
};
// A change that had been delivered came again.
struct Repeated {};
struct BelowStart {
  Revision revision{};
};
struct ForeignKey {
  std::string_view key{};
};
struct ForbiddenKey {};
// An event of a key that the user of the stream may not read any more.
struct RightTaken {};
// What the store had to refuse for its limits. `nested`: all that it puts is in transactions in it.
struct BeyondLimit {
  bool of_space = false;
  bool nested = false;
};
// A lock, or an election, was won by a caller that had not kept its lease.
struct HeldWithoutLease {
  bool election = false;
};
// A call that its user has no right to make.
struct NotRefused {
  Method method = Method::kNone;
  CallNeeds missing;
};

// The watch had progress beyond what came then, or never.
struct PassedOver {
  WatchIndex watch{};
};
struct ProgressBack {
  const Response* response = nullptr;
};
struct ProgressBelowStart {
  const Response* response = nullptr;
};
struct NoProgress {
  StreamId stream{};
  bool requested = false;
};
// A message that should have said something.
struct Empty {
  const Response* response = nullptr;
};
struct HeaderAhead {
  Line line{};
};

// ErrCompacted to a watch that has not missed anything: by its position, to which progress may have
// brought it, or by reads of the past.
struct FalseNotice {
  bool by_reads = false;
  bool by_progress = false;
};
struct NoticeAgain {};
// No ErrCompacted until so many messages had come on the stream.
struct Silence {
  std::uint64_t received = 0;
  bool whole = false;  // nothing came instead either
};
// Nothing came, though so many watches were sent ErrCompacted again meanwhile; perhaps beside other
// calls on the connection.
struct Delay {
  std::size_t notices = 0;
  bool beside_calls = false;
};

// A member lacks what the others have.
struct MemberBehind {
  bool applied = false;  // it has carried out the log as far as they have
};

// The list of a cluster's members is not as operators made it.
struct MembersDiffer {
  bool vote_lost = false;  // a member with a vote is a learner
  bool vote_won = false;   // a learner is none
  bool unknown = false;    // one is listed that there is not, or not any more
};

// Not the id that the client chose.
struct OtherId {
  std::int64_t id = 0;
};
struct EndedWith {
  WatchIndex other{};
};
struct StreamEnded {
  StreamId stream{};
  StatusCode code{};
  Line line{};
};
// Without its leader.
struct StreamKept {};

struct NoPrevious {
  bool from_before_creation = false;  // as all that the watch has received so far
  Revision revision{};                // of its event
  Revision compaction_requested{};
};
struct PreviousUnasked {};

// A transaction that changes a key twice was carried out.
struct ChangedTwice {
  bool to_the_end = false;  // it deletes the key by a range without an end
};
// A write that is not the one acknowledged at the revision.
struct OtherWrite {
  Line acknowledged{};
  Line seen{};
};
struct BackInTime {
  const RecordedCall* call = nullptr;
};
// Nothing else of the key is wrong.
struct LeaseMissing {};
// Each key of a read in parts is as it was, but their order, number or choice is wrong; it named a
// field to sort by, and no order.
struct SortedInParts {};
// A lease, or its keys, before its time was over. It may have ended any time since it was last
// known to be there; the end of its keys is seen as it happens.
struct LeaseEnded {
  Line granted{};
  Duration there_at{};
};
// What a lease has left, by the store's own words.
struct TimeLeft {
  std::int64_t seconds = 0;
  std::int64_t granted = 0;
};

// A figure beside a burden is worse than it may be.
struct Burden {
  Figure figure{};
  std::string beside{};
};

}  // namespace symptom

using Symptom = std::variant<
    std::monostate, symptom::OfRevision, symptom::Repeated, symptom::BelowStart,
    symptom::ForeignKey, symptom::ForbiddenKey, symptom::RightTaken, symptom::BeyondLimit,
    symptom::HeldWithoutLease, symptom::NotRefused, symptom::PassedOver, symptom::ProgressBack,
    symptom::ProgressBelowStart, symptom::NoProgress, symptom::Empty, symptom::HeaderAhead,
    symptom::FalseNotice, symptom::NoticeAgain, symptom::Silence, symptom::Delay,
    symptom::MemberBehind, symptom::MembersDiffer, symptom::OtherId, symptom::EndedWith,
    symptom::StreamEnded, symptom::StreamKept, symptom::NoPrevious, symptom::PreviousUnasked,
    symptom::ChangedTwice, symptom::OtherWrite, symptom::BackInTime, symptom::LeaseMissing,
    symptom::SortedInParts, symptom::LeaseEnded, symptom::TimeLeft, symptom::Burden>;

}  // namespace watchproof
