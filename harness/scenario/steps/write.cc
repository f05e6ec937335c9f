// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/steps/write.h"

#include <algorithm>

#include "harness/model/operations.h"
#include "harness/scenario/step_context.h"
#include "harness/session/consumer_link.h"

namespace watchproof {
namespace {

const StepRegistration<PutStep, PacedPutsStep, DeleteStep, ReadStep, TxnStep, RefusedTxnStep,
                       CompactStep>
    kWriteSteps;

// For which a wait is not worth a line of the recording.
constexpr Duration kSoon = 100ms;
constexpr Duration kSilence = 5s;

std::int64_t LeaseOf(StepContext& context, const PutStep& put) {
  return put.lease.empty() ? 0 : context.leases().at(put.lease);
}

std::string ValueOf(const PutStep& put) { return ConsumerValue(put.key, put.value.Make()); }

PutRequest RequestOf(StepContext& context, const PutStep& put) {
  return {.key = context.session().Placed(put.key),
          .value = put.keeps_value ? "" : ValueOf(put),
          .lease = LeaseOf(context, put),
          .previous = put.previous,
          .keeps_value = put.keeps_value,
          .keeps_lease = put.keeps_lease};
}
DeleteRequest RequestOf(StepContext& context, const DeleteStep& erase) {
  return {.key = context.session().Placed(erase.key),
          .range_end = context.session().PlacedEnd(erase.range_end),
          .previous = erase.previous};
}
ReadRequest RequestOf(StepContext& context, const ReadStep& read) {
  return {.key = context.session().Placed(read.key),
          .range_end = context.session().PlacedEnd(read.range_end),
          .limit = read.limit,
          .revision = context.Resolve(read.at),
          .serializable = read.serializable,
          .count_only = read.count_only,
          .keys_only = read.keys_only,
          .order = read.descending ? ReadRequest::Order::kDescend : ReadRequest::Order::kNone};
}

TxnRequest RequestOf(StepContext& context, const TxnStep& step) {
  TxnRequest txn;
  if (!step.absent.empty()) {
    txn.compares.push_back({.key = context.session().Placed(step.absent),
                            .range_end = context.session().PlacedEnd(step.absent_end)});
  }
  const auto add = [&context](const std::vector<Step>& steps, std::vector<KvRequest>& branch) {
    for (const Step& one : steps) {
      if (auto request = RequestOf(context, one)) branch.push_back(*std::move(request));
    }
  };
  add(step.writes, txn.success);
  add(step.otherwise, txn.failure);
  return txn;
}

// A put that it may carry out.
bool OnLease(const KvRequest& request) {
  const auto* const put = std::get_if<PutRequest>(&request);
  if (put != nullptr) return put->lease != 0;
  const auto* const txn = std::get_if<TxnRequest>(&request);
  return txn != nullptr &&
         (std::ranges::any_of(txn->success, OnLease) || std::ranges::any_of(txn->failure, OnLease));
}

}  // namespace

std::optional<KvRequest> RequestOf(StepContext& context, const Step& step) {
  if (const auto* put = step.As<PutStep>()) return RequestOf(context, *put);
  if (const auto* erase = step.As<DeleteStep>()) return RequestOf(context, *erase);
  if (const auto* read = step.As<ReadStep>()) return RequestOf(context, *read);
  if (const auto* txn = step.As<TxnStep>()) return RequestOf(context, *txn);
  return std::nullopt;
}

std::string PutStep::BeyondKubernetes() const {
  return previous || keeps_value || keeps_lease ? "a put with options" : "";
}

Usage PutStep::Cost() const {
  return {.bytes = static_cast<std::int64_t>(value.bytes), .operations = 1};
}

std::vector<PutStep> PutStep::Smaller() const {
  if (value.bytes <= 1) return {};
  PutStep shorter = *this;
  shorter.value.bytes = value.bytes > 64 ? value.bytes / 8 : 1;
  return {shorter};
}

Status PutStep::Run(StepContext& context) const {
  AttemptSession& session = context.session();
  const auto done =
      BeyondKubernetes().empty()
          ? session.kv().Put(session.Placed(key), ValueOf(*this), LeaseOf(context, *this))
          : session.kv().Write(RequestOf(context, *this));
  return lease.empty() ? context.NoteWrite(done) : context.NoteLeaseWrite(done);
}

Usage PacedPutsStep::Cost() const {
  const auto puts = static_cast<std::int64_t>(count);
  return {.bytes = puts * static_cast<std::int64_t>(std::to_string(count).size()),
          .operations = count};
}

std::vector<PacedPutsStep> PacedPutsStep::Smaller() const {
  std::vector<PacedPutsStep> smaller;
  for (const std::size_t fewer : {std::size_t{1}, count / 2, count * 3 / 4}) {
    if (fewer == 0 || fewer >= count) continue;
    smaller.push_back(*this);
    smaller.back().count = fewer;
  }
  return smaller;
}

// The values differ, as those of any writer do.
Status PacedPutsStep::Run(StepContext& context) const {
  AttemptSession& session = context.session();
  const Deadline end = Within(time);
  for (std::size_t i = 0; i < count && !end.expired() && !session.GivesUp(); ++i) {
    WP_RETURN_IF_ERROR(context.NoteHead(
        session.kv().Put(session.Placed(key), ConsumerValue(key, std::to_string(i)))));
    if (!context.Delivered(group, kSoon) && !context.MustArrive(group, kSilence)) break;
  }
  return {};
}

std::string DeleteStep::BeyondKubernetes() const {
  if (!range_end.empty()) return "a deletion of a range";
  return previous ? "a deletion with options" : "";
}

Status DeleteStep::Run(StepContext& context) const {
  AttemptSession& session = context.session();
  if (previous) return context.NoteWrite(session.kv().Write(RequestOf(context, *this)));
  return context.NoteWrite(session.kv().Delete(session.Placed(key), session.PlacedEnd(range_end)));
}

std::string ReadStep::BeyondKubernetes() const {
  return serializable || keys_only || descending || in_parts ? "a read with options" : "";
}

Status ReadStep::Run(StepContext& context) const {
  KvClient& kv = context.session().kv();
  const ReadRequest request = RequestOf(context, *this);
  const auto read = in_parts ? kv.ReadInParts(request) : kv.Read(request);
  // Whether the target had to refuse it is judged from the recording.
  if (!read.has_value() && read.error().code() == StatusCode::kOutOfRange) return {};
  return context.NoteHead(read);
}

Usage TxnStep::Cost() const {
  Usage usage;
  for (const auto* branch : {&writes, &otherwise}) {
    for (const Step& one : *branch) usage += one.Cost();
  }
  usage.operations = 1;
  return usage;
}

std::vector<TxnStep> TxnStep::Smaller() const {
  std::vector<TxnStep> smaller;
  for (const auto branch : {&TxnStep::writes, &TxnStep::otherwise}) {
    for (std::size_t i = 0; i < (this->*branch).size(); ++i) {
      if (writes.size() + otherwise.size() == 1) break;
      std::vector<Step>& less = smaller.emplace_back(*this).*branch;
      less.erase(less.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  // What is left of it always runs.
  if (!absent.empty() && otherwise.empty()) {
    smaller.push_back(*this);
    smaller.back().absent.clear();
    smaller.back().absent_end.clear();
  }
  return smaller;
}

Status TxnStep::Run(StepContext& context) const {
  const TxnRequest txn = RequestOf(context, *this);
  const auto done = context.session().kv().Transact(txn);
  return OnLease(txn) ? context.NoteLeaseWrite(done) : context.NoteWrite(done);
}

// Whether it was rejected is judged from the recording; whether the other members reject it, too,
// shows on their watches.
Status RefusedTxnStep::Run(StepContext& context) const {
  const auto done = context.session().kv().Transact(RequestOf(context, TxnStep{writes}));
  if (done.has_value()) return context.NoteHead(done);
  if (!IsDefiniteRefusal(done.error().code())) return done.error();
  return {};
}

Status CompactStep::Run(StepContext& context) const {
  AttemptSession& session = context.session();
  const Revision floor = context.Resolve(at);
  WP_RETURN_IF_ERROR(session.CheckFloor());
  using Answer = KvClient::Answer;
  const auto done = session.kv().Compact(floor, at_once ? Answer::kAtOnce : Answer::kPhysical);
  if (done.has_value()) context.NoteFloor(floor);
  // Whether the target had to reject it is judged from the recording.
  if (refused && !done.has_value() && !IsDefiniteRefusal(done.error().code())) return done.error();
  if (refused || done.has_value()) return {};
  // The harness itself never compacts beyond the plan.
  const bool by_others = context.environment().target().shared() &&
                         done.error().code() == StatusCode::kOutOfRange && floor <= context.head();
  if (!by_others) return done.error();
  context.Inconclusive(fmt::format(
      "others compacted the target beyond revision {} before the plan's compaction there", floor));
  return {};
}

}  // namespace watchproof
