// SPDX-License-Identifier: Apache-2.0
#include "harness/model/lag_follower.h"

#include "harness/history/annotation.h"
#include "harness/model/operations.h"

namespace watchproof {

void LagFollower::Consume(const NumberedEntry& line) {
  const Entry& entry = line.entry;
  if (entry.kind == EntryKind::kCallEnded) {
    HeaderView header;
    const bool answered = IsWrite(entry.method) && entry.code == StatusCode::kOk;
    if (answered && ParseHeader(entry.payload.view(), header).ok()) {
      meter_.Known(Revision(header.revision), entry.at);
    }
  } else if (entry.kind == EntryKind::kFault) {
    meter_.FaultLine(entry.text, entry.at);
  } else if (IsStage(entry, Stage::kHealed)) {
    meter_.AllHealed(entry.at);
  }
}

void LagFollower::ObserveControlEvents(const Response& response) {
  for (const EventView& event : response.message.events) {
    meter_.Known(Revision(event.kv.mod_revision), response.where.at);
  }
}

}  // namespace watchproof
