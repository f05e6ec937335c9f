// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/run_consumers.h"

#include <algorithm>
#include <set>

#include "harness/consumers/consumer_build.h"
#include "harness/consumers/consumer_source.h"

namespace watchproof {

Status AddConsumers(RunOptions& options) {
  if (!options.consumers.empty() && !options.defects.empty()) {
    return Fail(StatusCode::kInvalidArgument,
                "--consumer: not with --defects; expected --target embedded+DEFECT");
  }
  for (const std::string& consumer : options.consumers) {
    if (auto found = FindConsumer(consumer); !found.has_value()) {
      return std::move(found).error().WithContext("--consumer");
    }
  }
  std::vector<TargetSpec> targets;
  for (const TargetSpec& target : options.targets) {
    if (options.consumers.empty() || !target.consumer.empty()) targets.push_back(target);
    for (const std::string& consumer : options.consumers) {
      if (target.consumer.empty()) targets.push_back(WithConsumer(target, consumer));
    }
  }
  options.targets = std::move(targets);
  const auto with =
      std::count_if(options.targets.begin(), options.targets.end(),
                    [](const TargetSpec& target) { return !target.consumer.empty(); });
  if (with == 0 || with == static_cast<std::ptrdiff_t>(options.targets.size())) return {};
  return Fail(StatusCode::kInvalidArgument,
              "--target: some have a consumer and some have none; expected one for each, as by "
              "--consumer NAME");
}

Status AcceptKnown(const std::vector<TargetSpec>& targets, Expectations& expectations) {
  std::set<std::string> seen;
  for (const TargetSpec& target : targets) {
    if (target.consumer.empty() || !seen.insert(target.consumer).second) continue;
    WP_ASSIGN_OR_RETURN(const ConsumerSource source, FindConsumer(target.consumer));
    if (source.accepted.empty()) continue;
    const std::string place = source.name + "/accepted.toml";
    auto accepted = ParseBaseline(source.accepted);
    if (!accepted.has_value()) return std::move(accepted).error().WithContext("{}", place);
    for (AcceptedFailure& entry : *accepted) entry.place = fmt::format("{}:{}", place, entry.line);
    expectations.Accept(*accepted);
  }
  return {};
}

bool HasConsumers(const std::vector<TargetSpec>& targets) {
  return !targets.empty() && !targets.front().consumer.empty();
}

std::vector<TargetSpec> ColumnsOf(const std::vector<TargetSpec>& targets) {
  std::vector<TargetSpec> columns;
  const auto add = [&columns](const TargetSpec& target) {
    if (std::none_of(columns.begin(), columns.end(),
                     [&target](const TargetSpec& one) { return one.text == target.text; })) {
      columns.push_back(target);
    }
  };
  for (const TargetSpec& target : targets) {
    add(WithoutConsumer(target));
    add(target);
  }
  return columns;
}

Result<RunConsumers> BuildConsumers(const std::vector<TargetSpec>& targets,
                                    const std::function<void(const std::string&)>& report) {
  RunConsumers consumers;
  for (const TargetSpec& target : targets) {
    if (target.consumer.empty() || consumers.contains(target.consumer)) continue;
    WP_ASSIGN_OR_RETURN(const ConsumerSource source, FindConsumer(target.consumer));
    const auto built = BuildConsumer(source, report);
    if (!built.has_value() && built.error().code() != StatusCode::kNotFound) return built.error();
    consumers[target.consumer] = {
        .layers = source.recipe.layers,
        .can = source.recipe.can,
        .command = built.has_value() ? built->command : std::vector<std::string>(),
        .jobs = source.recipe.jobs,
        .missing = built.has_value() ? "" : built.error().message()};
  }
  return consumers;
}

}  // namespace watchproof
