// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/step.h"

namespace watchproof {
namespace {

std::vector<Step>& Kinds() {
  static std::vector<Step> kinds;
  return kinds;
}

}  // namespace

const std::vector<Step>& StepKinds() { return Kinds(); }

void RegisterStep(Step empty) { Kinds().push_back(std::move(empty)); }

Usage& Usage::operator+=(const Usage& other) {
  keys += other.keys;
  bytes += other.bytes;
  watchers += other.watchers;
  leases += other.leases;
  compactions += other.compactions;
  operations += other.operations;
  faults += other.faults;
  return *this;
}

}  // namespace watchproof
