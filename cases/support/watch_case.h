// SPDX-License-Identifier: Apache-2.0
// WATCH_CASE: one conformance question, one GoogleTest test, one process. The only header a case
// includes.
//
//   // What is asked, and why it matters, in plain words.
//   WATCH_CASE(Suite, Statement, {.requirement = "...", .explain = "...", .guarantees =
//   {"Ordered"}}) {
//     scenario.Put(...);
//   }
//
// The body plans; the fixture then carries the plan out against the target, judges and writes the
// result.
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

// A case whose body is a value: for tables of cases that differ in a few words. Returns true, so
// that it can initialise a constant.
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
