// SPDX-License-Identifier: Apache-2.0
#include "harness/session/memory_meter.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace watchproof {
namespace {

constexpr Duration kPeriod = 200ms;
constexpr int kRest = 10;  // a reading is followed by so many times its own time

std::optional<std::int64_t> Read(const FaultPorts& ports) {
  if (!ports.resident_bytes) return std::nullopt;
  const auto bytes = ports.resident_bytes();
  return bytes ? std::optional(static_cast<std::int64_t>(*bytes)) : std::nullopt;
}

}  // namespace

void MemoryMeter::Armed(const std::string& fault, const FaultPorts& ports) {
  const auto before = Read(ports);
  if (before) armaments_.push_back({.footprint = {.fault = fault, .before = *before}});
  next_ = ports.now() + kPeriod;
}

void MemoryMeter::Sample(const FaultPorts& ports) {
  const bool any = std::any_of(armaments_.begin(), armaments_.end(),
                               [](const Armament& armament) { return !armament.over; });
  if (!any) return;
  const Duration began = ports.now();
  if (began < next_) return;
  const auto bytes = Read(ports);
  const Duration ended = ports.now();
  next_ = ended + std::max<Duration>(kPeriod, kRest * (ended - began));
  if (!bytes) return;
  for (Armament& armament : armaments_) {
    if (!armament.over) armament.footprint.bytes.Add(*bytes);
  }
}

void MemoryMeter::Healed(const std::string& fault, const FaultPorts& ports) {
  for (Armament& armament : armaments_) {
    if (armament.footprint.fault != fault || std::exchange(armament.over, true)) continue;
    if (const auto bytes = Read(ports)) armament.footprint.bytes.Add(*bytes);
  }
}

std::vector<Footprint> MemoryMeter::Summary() const {
  std::vector<Footprint> footprints;
  for (const Armament& armament : armaments_) {
    if (armament.footprint.bytes.count() > 0) footprints.push_back(armament.footprint);
  }
  return footprints;
}

}  // namespace watchproof
