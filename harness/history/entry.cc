// SPDX-License-Identifier: Apache-2.0
#include "harness/history/entry.h"

namespace watchproof {

const char* Name(EntryKind kind) {
  switch (kind) {
    case EntryKind::kRunStarted:
      return "run started";
    case EntryKind::kStreamOpened:
      return "stream opened";
    case EntryKind::kRequestSent:
      return "request";
    case EntryKind::kResponseReceived:
      return "response";
    case EntryKind::kStreamClosed:
      return "stream closed";
    case EntryKind::kCallStarted:
      return "call started";
    case EntryKind::kCallEnded:
      return "call ended";
    case EntryKind::kFault:
      return "fault";
    case EntryKind::kAnnotation:
      return "annotation";
  }
  return "unnamed";
}

}  // namespace watchproof
