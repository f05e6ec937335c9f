// SPDX-License-Identifier: Apache-2.0
#include "harness/consumers/wire_counts.h"

#include "harness/history/run_started.h"

namespace watchproof {
namespace {

// The harness has no streams on the proxied path beside a consumer.
constexpr std::string_view kProxied = "proxied";

}  // namespace

void WireCounts::Consume(const NumberedEntry& line) {
  const Entry& entry = line.entry;
  if (entry.kind == EntryKind::kStreamOpened &&
      (entry.text == kProxied || entry.text == kConsumerPath)) {
    streams_.insert(entry.stream);
    ++counts_["streams"];
  }
  const bool passes =
      entry.kind == EntryKind::kStreamOpened || entry.kind == EntryKind::kRequestSent ||
      entry.kind == EntryKind::kResponseReceived || entry.kind == EntryKind::kStreamClosed;
  if (passes && streams_.contains(entry.stream)) parser_.Consume(line);
}

void WireCounts::OnAsked(WatchIndex, const Asked& asked) {
  ++counts_["creates"];
  last_create_ = asked.where.line;
  if (asked.request.fragment) ++counts_["creates with fragments"];
}

// What is for the whole stream is one message, though it covers several watches.
void WireCounts::OnProgress(WatchIndex, const Response& response) {
  if (response.message.watch_id != kWholeStream) ++counts_["progress"];
}

void WireCounts::OnDelivered(WatchIndex, ResponsePtr& response) {
  counts_["events"] += response->message.events.size();
  if (!response->last_part) ++counts_["fragments"];
}

}  // namespace watchproof
