// SPDX-License-Identifier: Apache-2.0
// The steps with which a client ends a stream of watches, as a whole or its own half of it, and
// with which it sends what the server does not know or take. See step.h.
#pragma once

#include <string>

#include "harness/scenario/step.h"

namespace watchproof {

// The client closes the stream, and with it all its watches. Nothing is asked on it afterwards.
struct CloseStep {
  std::string stream = "main";
  static constexpr std::string_view kOp = "close";
  void Fields(FieldList& field);
  Usage Cost() const { return {.operations = 1}; }
  Status Run(StepContext& context) const;
};

// The client ends its half of the stream: it sends no more requests, and its watches stay open.
struct FinishRequestsStep {
  std::string stream = "main";
  static constexpr std::string_view kOp = "finish requests";
  void Fields(FieldList& field);
  Usage Cost() const { return {.operations = 1}; }
  Status Run(StepContext& context) const;
};

// The client sends a request of a kind that the server does not know.
struct UnknownRequestStep {
  std::string stream = "main";
  static constexpr std::string_view kOp = "unknown request";
  void Fields(FieldList& field);
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
  void Fields(FieldList& field);
  Usage Cost() const { return {.operations = 1}; }
  Status Run(StepContext& context) const;
};

}  // namespace watchproof
