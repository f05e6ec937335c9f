// SPDX-License-Identifier: Apache-2.0
#include "harness/history/watch_filter.h"

namespace watchproof {

bool WatchFilter::Concerns(const NumberedEntry& line) {
  const EntryKind kind = line.entry.kind;
  const bool frame = kind == EntryKind::kStreamOpened || kind == EntryKind::kStreamClosed;
  concerned_ = frame && line.entry.stream == stream_;
  parser_.Consume(line);
  return concerned_;
}

void WatchFilter::OnAsked(WatchIndex watch, const Asked& asked) {
  if (asked.stream != stream_ || asked.ordinal != ordinal_) return;
  wanted_ = watch;
  concerned_ = true;
}

void WatchFilter::OnAnnotation(const Annotation& annotation, Where) {
  const auto* next = std::get_if<Resumption>(&annotation);
  if (next == nullptr) return;
  concerned_ = (next->stream == stream_ && next->ordinal == ordinal_) ||
               (next->next_stream == stream_ && next->next_ordinal == ordinal_);
}

}  // namespace watchproof
