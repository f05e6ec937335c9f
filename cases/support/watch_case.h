// SPDX-License-Identifier: Apache-2.0
// WATCH_CASE: one conformance question, one GoogleTest test, one process. The only header that a
// case includes.
//
//   // The question and why it matters, in plain words.
//   WATCH_CASE(Guarantee, Situation, {.requirement = "...", .explain = "...",
//                                     .guarantees = {"Ordered"}}) {
//     scenario.Put(...);
//   }
//
// The body adds steps to a plan. The fixture then runs the plan against the target, judges, and
// writes the result.
//
// Threads: registration happens before main. Ownership: the registry owns what is registered.
#pragma once

#include <gtest/gtest.h>

#include <functional>

#include "cases/support/case_registry.h"
#include "cases/support/scenario.h"

namespace watchproof {

class CaseFixture : public testing::Test {
 protected:
  CaseFixture();
  void TearDown() override;

  Scenario scenario;
};

// Registers a case with a function as its body: for tables of cases that differ in a few
// parameters. Returns true, so that it can initialise a constant.
bool AddCase(CaseInfo info, std::function<void(Scenario&)> body);

inline CaseInfo Placed(CaseInfo info, std::string name, std::string file, int line) {
  info.name = std::move(name);
  info.file = std::move(file);
  info.line = line;
  return info;
}

}  // namespace watchproof

#define WATCH_CASE(suite, name, ...)                                                          \
  [[maybe_unused]] static const bool wp_registered_##suite##_##name =                         \
      ::watchproof::RegisterCase(::watchproof::Placed(::watchproof::CaseInfo __VA_ARGS__,     \
                                                      #suite "." #name, __FILE__, __LINE__)); \
  GTEST_TEST_(suite, name, ::watchproof::CaseFixture,                                         \
              ::testing::internal::GetTypeId<::watchproof::CaseFixture>())
