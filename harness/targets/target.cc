// SPDX-License-Identifier: Apache-2.0
#include "harness/targets/target.h"

#include "harness/targets/probe.h"

namespace watchproof {

Result<std::unique_ptr<Target>> MakeTarget(const TargetSpec& spec) { return spec.make(spec); }

Result<ServerStatus> Target::Ask(Deadline deadline) const {
  return AskStatus(endpoint(), deadline, token());
}

Result<Endpoint> Target::EndpointOf(const std::string&) {
  return Fail(StatusCode::kUnimplemented, "clients of this target show no certificates");
}

std::optional<double> Target::Metric(std::string_view name) {
  const Result<Metrics> metrics = ReadMetrics();
  if (!metrics.has_value()) return std::nullopt;
  const auto found = metrics->find(name);
  return found == metrics->end() ? std::nullopt : std::optional(found->second);
}

std::optional<double> Target::ResidentBytes() { return Metric("process_resident_memory_bytes"); }

Status Target::Kill() {
  return Fail(StatusCode::kUnimplemented, "this target cannot survive a kill");
}

Status Target::Terminate(Deadline) { return Target::Kill(); }

Status Target::Restart(Deadline, const std::string&) {
  return Fail(StatusCode::kUnimplemented, "this target cannot be started again with its data");
}

Status Target::BeginFrom(const std::filesystem::path&, std::int64_t bump) {
  return WhatRestores(bump).error();
}

Result<std::filesystem::path> Target::WhatRestores(std::int64_t) const {
  return Fail(StatusCode::kUnimplemented, "snapshots that can be restored");
}

Status Target::BeginAnew() {
  return Fail(StatusCode::kUnimplemented, "this target is no member of a cluster");
}

Status Target::Pause() {
  return Fail(StatusCode::kUnimplemented, "this target is not a process that the harness started");
}

Status Target::Continue() { return Target::Pause(); }

}  // namespace watchproof
