// SPDX-License-Identifier: Apache-2.0
// Each name in the table of the API is one of a step, a fault, a case, a standing promise or a
// guarantee.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "cases/support/case_registry.h"
#include "harness/api/api_table.h"
#include "harness/checkers/guarantee.h"
#include "harness/faults/fault.h"
#include "harness/promises/promise.h"
#include "harness/scenario/step.h"
#include "harness/script/script.h"

namespace watchproof {
namespace {

using Names = std::set<std::string, std::less<>>;

template <std::size_t... kIndex>
Names StepsOfScripts(std::index_sequence<kIndex...>) {
  return {std::variant_alternative_t<kIndex, explore::Step>::kName...};
}

Names Drawing() {
  Names names = StepsOfScripts(std::make_index_sequence<std::variant_size_v<explore::Step>>());
  for (const FaultInfo& fault : KnownFaults()) names.insert(fault.name);
  for (const Step& step : StepKinds()) names.emplace(step.op());
  return names;
}

Names Asking() {
  Names names;
  for (const CaseInfo& one : AllCases()) {
    names.insert(one.name);
    names.insert(one.name.substr(0, one.name.find('.')) + ".*");
  }
  for (const StandingPromise& promise : StandingPromises()) names.emplace(promise.name);
  return names;
}

Names Judging() {
  Names names;
  for (const Guarantee guarantee : AllGuarantees()) names.emplace(Name(guarantee));
  return names;
}

void ExpectKnown(ApiCell ApiRow::*cell, const Names& known) {
  for (const ApiRow& row : ApiTable::BuiltIn().rows()) {
    for (const std::string& name : (row.*cell).names) {
      EXPECT_TRUE(known.contains(name)) << name << " of " << row.name;
    }
  }
}

TEST(ApiNames, AreThoseOfWhatThereIs) {
  ExpectKnown(&ApiRow::drawn, Drawing());
  ExpectKnown(&ApiRow::asked, Asking());
  ExpectKnown(&ApiRow::judged, Judging());
}

// Bounds are of memory and of delays, which are no fields.
TEST(ApiNames, EachGuaranteeJudgesSomething) {
  Names judging = Judging();
  for (const ApiRow& row : ApiTable::BuiltIn().rows()) {
    for (const std::string& name : row.judged.names) judging.erase(name);
  }
  EXPECT_THAT(judging, testing::ElementsAre("Bounded")) << "add them to fixtures/api/etcd.toml";
}

}  // namespace
}  // namespace watchproof
