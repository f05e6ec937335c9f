// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "cases/support/watch_case.h"
#include "harness/base/check.h"
#include "harness/driver/attempt.h"
#include "harness/driver/interrupt.h"

namespace watchproof {
namespace {

// The attempt of this process. GoogleTest makes the fixture, so it cannot be handed in.
std::optional<AttemptSpec>& Current() {
  static std::optional<AttemptSpec> spec;
  return spec;
}
bool g_reported = false;
// Set while a case only makes its plan.
std::optional<Plan>* g_planned = nullptr;

bool Report(const AttemptResult& result, int descriptor) {
  const std::string line = ToJsonLine(result) + "\n";
  std::size_t sent = 0;
  while (sent < line.size()) {
    const auto count = write(descriptor, line.data() + sent, line.size() - sent);
    if (count <= 0) return false;
    sent += static_cast<std::size_t>(count);
  }
  return true;
}

Result<Plan> PlanOf(const AttemptSpec& spec, const Scenario& scenario) {
  if (spec.given_plan.empty()) return scenario.plan();
  WP_ASSIGN_OR_RETURN(PlanFile file, ReadPlan(spec.given_plan));
  return std::move(file.plan);
}

Prng SeedOf(const AttemptSpec& spec) { return Prng(spec.seed).Fork("case/" + spec.case_name); }

}  // namespace

CaseFixture::CaseFixture() : scenario(SeedOf(*Current())) {}

bool AddCase(CaseInfo info, std::function<void(Scenario&)> body) {
  class Bodied final : public CaseFixture {
   public:
    explicit Bodied(const std::function<void(Scenario&)>& body) : body_(body) {}
    void TestBody() override { body_(scenario); }

   private:
    const std::function<void(Scenario&)> body_;
  };
  const std::size_t dot = info.name.find('.');
  const std::string suite = info.name.substr(0, dot);
  const std::string name = info.name.substr(dot + 1);
  testing::RegisterTest(suite.c_str(), name.c_str(), nullptr, nullptr, info.file.c_str(), info.line,
                        [body = std::move(body)]() -> CaseFixture* { return new Bodied(body); });
  return RegisterCase(std::move(info));
}

void CaseFixture::TearDown() {
  const AttemptSpec& spec = *Current();
  const CaseInfo* const info = FindCase(spec.case_name);
  WP_CHECK(info != nullptr, "GoogleTest ran a test that is not registered as a case");
  if (g_planned != nullptr) {
    *g_planned = scenario.plan();
    return;
  }
  Result<Plan> plan = PlanOf(spec, scenario);
  if (!plan.has_value()) {
    fmt::print(stderr, "case {}: {}\n", spec.case_name, plan.error().message());
    return;
  }
  plan->needs = info->needs;
  plan->expect = info->expect;
  // A given plan may be only a part of the case's plan.
  if (spec.given_plan.empty()) plan->guarantees = info->guarantees;
  AttemptResult result = RunAttempt(spec, *plan);
  result.upstream = info->upstream;
  g_reported = Report(result, spec.result_descriptor);
}

std::optional<Plan> PlanOf(const std::string& case_name, std::uint64_t seed,
                           const std::string& given_plan) {
  if (!given_plan.empty()) {
    Result<PlanFile> file = ReadPlan(given_plan);
    return file.has_value() ? std::optional(std::move(file->plan)) : std::nullopt;
  }
  // GoogleTest must not shard: exactly one case is run.
  for (const char* variable : {"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX"}) unsetenv(variable);
  static const bool initialised = [] {
    int count = 1;
    std::string name = "watchproof";
    char* words[] = {name.data(), nullptr};
    testing::InitGoogleTest(&count, words);
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    return true;
  }();
  if (!initialised) return std::nullopt;
  GTEST_FLAG_SET(filter, case_name);
  GTEST_FLAG_SET(repeat, 1);
  GTEST_FLAG_SET(output, "");
  Current() = AttemptSpec{.case_name = case_name, .seed = seed};
  std::optional<Plan> planned;
  g_planned = &planned;
  [[maybe_unused]] const int ignored = RUN_ALL_TESTS();
  g_planned = nullptr;
  return planned;
}

int RunCaseProcess(std::string_view json) {
  Result<AttemptSpec> spec = ParseAttemptSpec(json);
  if (!spec.has_value()) {
    fmt::print(stderr, "case: {}\n", spec.error().message());
    return 1;
  }
  if (!std::filesystem::is_directory(spec->folder)) {
    fmt::print(stderr, "case: \"{}\" is not a folder; expected the folder of the attempt\n",
               spec->folder);
    return 1;
  }
  Current() = std::move(*spec);
  WatchForInterrupts();
  std::string name = "watchproof";
  std::string filter = "--gtest_filter=" + Current()->case_name;
  std::string brief = "--gtest_brief=1";
  std::vector<char*> arguments{name.data(), filter.data(), brief.data(), nullptr};
  int count = 3;
  testing::InitGoogleTest(&count, arguments.data());
  // GoogleTest's exit code is not the verdict: the verdict is in the result line. The exit code
  // here shows only whether that line was written.
  [[maybe_unused]] const int ignored = RUN_ALL_TESTS();
  if (g_reported) return 0;
  fmt::print(stderr, "case {}: no result was reported\n", Current()->case_name);
  return 1;
}

}  // namespace watchproof
