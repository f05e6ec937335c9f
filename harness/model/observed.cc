// SPDX-License-Identifier: Apache-2.0
#include "harness/model/observed.h"

#include <algorithm>

#include "harness/history/run_started.h"
#include "harness/model/operations.h"

namespace watchproof {

void Observed::Consume(const NumberedEntry& line) {
  switch (line.entry.kind) {
    case EntryKind::kRunStarted:
      if (const auto started = ParseRunStarted(line.entry.text); started.has_value()) {
        restated_through_ = line.line.plus(static_cast<std::uint64_t>(started->restated));
      }
      return;
    case EntryKind::kCallStarted:
    case EntryKind::kCallEnded:
      if (const RecordedCall* call = calls_.Consume(line); call != nullptr) EndCall(*call);
      return;
    case EntryKind::kStreamOpened:
      if (line.entry.text == kRecorderPath) own_streams_.insert(line.entry.stream.value);
      [[fallthrough]];
    default:
      parser_.Consume(line);
  }
}

Observed::Place Observed::At(Revision revision, std::string_view key, const Bytes& owner) {
  AtRevision& at = revisions_[revision];
  for (Change& known : at.changes) {
    if (known.key == key) return {known};
  }
  at.owners.push_back(owner);
  at.changes.push_back({.revision = revision, .key = key});
  ++coverage_.changes;
  return {at.changes.back(), true};
}

void Observed::EndCall(const RecordedCall& call) {
  if (call.outcome != CallOutcome::kAnswered || call.ended.value == 0) return;
  HeaderView header;
  if (ParseHeader(call.response.view(), header).ok()) coverage_.clusters.insert(header.cluster_id);
  if (call.method == Method::kCompact) ++coverage_.compactions;
  if (!IsWrite(call.method)) return;
  const auto effect = AcknowledgedEffect(call.method, call.request.view(), call.response.view());
  if (!effect.has_value() || !effect->changes()) return;
  ++coverage_.writes;
  for (const Operation& operation : effect->operations) {
    TakeWrite(call, operation, effect->revision);
  }
}

void Observed::TakeWrite(const RecordedCall& call, const Operation& operation, Revision revision) {
  const bool one_key = operation.range_end.empty() && operation.deleted.value_or(0) == 1;
  if (operation.deletes && !one_key) return;
  const auto [change, is_new] = At(revision, operation.key, call.request);
  const bool seen_by_watch = !is_new && change.seen_by != Change::kNone;
  if (seen_by_watch && !change.confirmed) {
    change.confirmed = true;
    ++coverage_.confirmed;
  }
  if (!is_new) revisions_[revision].owners.push_back(call.request);
  change.deleted = operation.deletes;
  change.written = call.began;
  change.acknowledged = true;
  if (is_new) change.lineage_known = operation.deletes;
  if (!operation.keeps_value) change.value = operation.value;
  if (is_new) change.value_known = !operation.keeps_value;
  if (!operation.keeps_lease) change.lease = operation.lease;
  if (is_new) change.lease_known = !operation.keeps_lease;
}

void Observed::OnAsked(WatchIndex watch, const Asked& asked) {
  const bool own = own_streams_.contains(asked.stream.value);
  own_watches_.resize(watch.value + 1);
  own_watches_[watch.value] = own;
  if (own) ++coverage_.control_watches;
  if (!own) ++coverage_.watches;
  if (!own && asked.where.line <= restated_through_) ++coverage_.restated;
}

void Observed::OnCreated(WatchIndex, const Response& response) {
  coverage_.clusters.insert(response.message.header.cluster_id);
}

void Observed::OnDelivered(WatchIndex watch, ResponsePtr& response) {
  coverage_.clusters.insert(response->message.header.cluster_id);
  (own_watches_[watch.value] ? coverage_.control_events : coverage_.events) +=
      response->message.events.size();
  const Bytes& owner = response->tail.size() > 0 ? response->tail : response->payload;
  for (const EventView& event : response->message.events) {
    const KeyValueView& kv = event.kv;
    if (event.type != 0 && event.type != 1) continue;
    const auto [change, is_new] = At(Revision(kv.mod_revision), kv.key, owner);
    const bool others =
        change.acknowledged || (change.seen_by != Change::kNone && change.seen_by != watch.value);
    if (!is_new && others && !change.confirmed) {
      change.confirmed = true;
      ++coverage_.confirmed;
    }
    if (change.seen_by != Change::kNone) continue;
    change.seen_by = watch.value;
    change.lineage_known = true;
    change.create_revision = Revision(kv.create_revision);
    change.version = kv.version;
    if (!change.acknowledged) {
      change.deleted = event.type == 1;
      change.written = response->where.line;
    }
    // What an acknowledged write left as it was is known from the event.
    if (is_new || !change.value_known) change.value = kv.value;
    if (is_new || !change.lease_known) change.lease = kv.lease;
    if (!is_new) revisions_[change.revision].owners.push_back(owner);
    change.value_known = true;
    change.lease_known = true;
  }
}

void Observed::OnCompacted(WatchIndex watch, const Response&) {
  if (!own_watches_[watch.value]) ++coverage_.notices;
}
void Observed::OnProgress(WatchIndex watch, const Response&) {
  if (!own_watches_[watch.value]) ++coverage_.progress;
}

void Observed::OnAnnotation(const Annotation& annotation, Where) {
  if (const auto* lost = std::get_if<NotRecorded>(&annotation)) coverage_.lost.push_back(*lost);
}

}  // namespace watchproof
