// SPDX-License-Identifier: Apache-2.0
#include "harness/history/watch_filter.h"

namespace watchproof {

bool WatchFilter::Concerns(const NumberedEntry& line) {
  const EntryKind kind = line.entry.kind;
  const bool frame = kind == EntryKind::kStreamOpened || kind == EntryKind::kStreamClosed;
  concerned_ = frame && line.entry.stream == stream_;
  narrator_.Tell(line);
  return concerned_;
}

void WatchFilter::OnAsked(WatchIndex watch, const Asked& asked) {
  if (asked.stream != stream_ || asked.ordinal != ordinal_) return;
  wanted_ = watch;
  concerned_ = true;
}

void WatchFilter::OnResumption(const Resumption& resumption) {
  concerned_ = (resumption.stream == stream_ && resumption.ordinal == ordinal_) ||
               (resumption.next_stream == stream_ && resumption.next_ordinal == ordinal_);
}

}  // namespace watchproof
