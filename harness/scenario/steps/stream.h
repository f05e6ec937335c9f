// SPDX-License-Identifier: Apache-2.0
// The steps about a stream of watches as a whole: progress, its end, and what the server does not
// know or take. See step.h.
#pragma once

#include <string>

#include "harness/scenario/step.h"

namespace watchproof {

struct RequestProgressStep {
  std::string stream = "main";
  static constexpr std::string_view kOp = "request progress";
  void Fields(FieldList& field) { field("stream", stream); }
  Usage Cost() const { return {.operations = 1}; }
  Status Run(StepContext& context) const;
};

// Waits until a progress answer has arrived on the stream; the request is repeated, because a
// target may drop it while a watch is not caught up.
struct AwaitProgressStep {
  std::string stream = "main";
  static constexpr std::string_view kOp = "await progress";
  void Fields(FieldList& field) { field("stream", stream); }
  Usage Cost() const { return {.operations = 1}; }
  Status Run(StepContext& context) const;
};

// As AwaitProgress, but required of the target: if no answer comes in time, that is a finding of
// Bookmarkable.
struct MustReportProgressStep {
  bool asked = true;  // otherwise without a request, to watches with progress_notify
  std::string stream = "main";
  Duration limit = 5s;
  static constexpr std::string_view kOp = "must report progress";
  void Fields(FieldList& field) {
    field("asked", asked);
    field("stream", stream);
    field("us", limit).Waits();
  }
  Status Run(StepContext& context) const;
};

// The client closes the stream, and with it all its watches. Nothing is asked on it afterwards.
struct CloseStep {
  std::string stream = "main";
  static constexpr std::string_view kOp = "close";
  void Fields(FieldList& field) { field("stream", stream); }
  Usage Cost() const { return {.operations = 1}; }
  Status Run(StepContext& context) const;
};

// The client ends its half of the stream: it sends no more requests, and its watches stay open.
struct FinishRequestsStep {
  std::string stream = "main";
  static constexpr std::string_view kOp = "finish requests";
  void Fields(FieldList& field) { field("stream", stream); }
  Usage Cost() const { return {.operations = 1}; }
  Status Run(StepContext& context) const;
};

// The client sends a request of a kind that the server does not know.
struct UnknownRequestStep {
  std::string stream = "main";
  static constexpr std::string_view kOp = "unknown request";
  void Fields(FieldList& field) { field("stream", stream); }
  Usage Cost() const { return {.operations = 1}; }
  std::string BeyondKubernetes() const { return "requests of unknown kinds"; }
  Status Run(StepContext& context) const;
};

// The client sends a request of so many bytes that the server must end the stream, and waits for
// that. A server that takes the request makes the attempt inconclusive. Nothing is asked on the
// stream afterwards.
struct OversizedRequestStep {
  std::string stream = "main";
  std::int64_t bytes = 5 << 20;  // above gRPC's default limit of 4 MiB
  static constexpr std::string_view kOp = "oversized request";
  void Fields(FieldList& field) {
    field("stream", stream);
    field("bytes", bytes).Within(1, 64 << 20, "bytes");
  }
  Usage Cost() const { return {.operations = 1}; }
  Status Run(StepContext& context) const;
};

}  // namespace watchproof
