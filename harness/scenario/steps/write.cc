// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/steps/write.h"

#include "harness/model/operations.h"
#include "harness/scenario/step_context.h"

namespace watchproof {
namespace {

const StepRegistration<PutStep> kPut;
const StepRegistration<DeleteStep> kDelete;
const StepRegistration<TxnStep> kTxn;
const StepRegistration<RefusedTxnStep> kRefusedTxn;
const StepRegistration<CompactStep> kCompact;

std::int64_t LeaseOf(StepContext& context, const PutStep& put) {
  return put.lease.empty() ? 0 : context.leases().at(put.lease);
}

WriteOp InTransaction(StepContext& context, const Step& write) {
  AttemptSession& session = context.session();
  if (const auto* put = write.As<PutStep>()) {
    return {.kind = WriteOp::Kind::kPut,
            .key = session.Placed(put->key),
            .value = put->value.Make(),
            .lease = LeaseOf(context, *put)};
  }
  const DeleteStep& erase = *write.As<DeleteStep>();
  return {.kind = WriteOp::Kind::kDelete,
          .key = session.Placed(erase.key),
          .range_end = session.PlacedEnd(erase.range_end)};
}

}  // namespace

void PutStep::Fields(FieldList& field) {
  field("key", key).Is(Subject::kKey);
  field("value", value);
  field("lease", lease).Optional().MayUse(Subject::kLease);
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
  return context.NoteWrite(
      session.kv().Put(session.Placed(key), value.Make(), LeaseOf(context, *this)));
}

void DeleteStep::Fields(FieldList& field) {
  field("key", key).Is(Subject::kKey);
  field("range_end", range_end).Optional();
}

Status DeleteStep::Run(StepContext& context) const {
  AttemptSession& session = context.session();
  return context.NoteWrite(session.kv().Delete(session.Placed(key), session.PlacedEnd(range_end)));
}

void TxnStep::Fields(FieldList& field) {
  field("writes", writes).Of({PutStep::kOp, DeleteStep::kOp});
}

Usage TxnStep::Cost() const {
  Usage usage;
  for (const Step& write : writes) usage += write.Cost();
  usage.operations = 1;
  return usage;
}

std::vector<TxnStep> TxnStep::Smaller() const {
  std::vector<TxnStep> smaller;
  for (std::size_t i = 0; i < writes.size() && writes.size() > 1; ++i) {
    smaller.push_back(*this);
    smaller.back().writes.erase(smaller.back().writes.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return smaller;
}

Status TxnStep::Run(StepContext& context) const {
  std::vector<WriteOp> operations;
  for (const Step& write : writes) operations.push_back(InTransaction(context, write));
  return context.NoteWrite(context.session().kv().Transact(operations));
}

void RefusedTxnStep::Fields(FieldList& field) {
  field("write", write);
  field("key", key);
  field("at", at);
}

Usage RefusedTxnStep::Cost() const { return {.bytes = write.Cost().bytes}; }

// Whether the other members reject it, too, shows on their watches.
Status RefusedTxnStep::Run(StepContext& context) const {
  AttemptSession& session = context.session();
  const auto done = session.kv().Transact(
      {{.kind = WriteOp::Kind::kPut, .key = session.Placed(write.key), .value = write.value.Make()},
       {.kind = WriteOp::Kind::kRead,
        .key = session.Placed(key),
        .revision = context.Resolve(at)}});
  if (done.has_value()) return context.NoteHead(done);
  if (!IsDefiniteRefusal(done.error().code())) return done.error();
  return {};
}

void CompactStep::Fields(FieldList& field) {
  field("at", at);
  field("at_once", at_once).Optional();
  field("refused", refused).Optional();
}

Status CompactStep::Run(StepContext& context) const {
  AttemptSession& session = context.session();
  const Revision floor = context.Resolve(at);
  WP_RETURN_IF_ERROR(session.CheckFloor());
  using Answer = KvClient::Answer;
  const auto done = session.kv().Compact(floor, at_once ? Answer::kAtOnce : Answer::kPhysical);
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
