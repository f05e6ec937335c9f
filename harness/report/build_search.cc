// SPDX-License-Identifier: Apache-2.0
#include "harness/report/build_search.h"

#include <fmt/format.h>

#include "harness/base/escape.h"
#include "harness/history/json_fields.h"

namespace watchproof {
namespace {

std::string_view Name(BuildState state) {
  constexpr std::string_view kNames[] = {"not looked at", "good", "bad", "skipped"};
  return kNames[static_cast<std::size_t>(state)];
}

}  // namespace

std::string StepText(const BuildStep& step) {
  std::string text = fmt::format("{}: {}, shown in {} of {}", step.name, Name(step.state),
                                 step.counted.hits, step.counted.trials);
  if (step.state == BuildState::kSkipped) text += ": " + step.reason;
  return text;
}

std::string ToText(const FoundStep& found) {
  const BuildStep& good = found.steps[found.last_good];
  const BuildStep& bad = found.steps[found.first_bad];
  std::string text =
      fmt::format("last good  {}\nfirst bad  {}\n", Escaped(good.name), Escaped(bad.name));
  for (std::size_t i = found.last_good + 1; i < found.first_bad; ++i) {
    text += fmt::format("between    {}\n", Escaped(StepText(found.steps[i])));
  }
  text += fmt::format("by         {}, shown in {} of {} ({})\n", found.case_name, bad.counted.hits,
                      bad.counted.trials, Percent(ClopperPearson(bad.counted)));
  if (!found.by.empty()) text += fmt::format("figure     {}\n", Escaped(found.by));
  if (!found.key.empty()) text += fmt::format("key        {}\n", Escaped(found.key));
  if (!found.not_fetched.empty()) {
    text +=
        fmt::format("go on      watchproof fetch etcd {}, which is between; then the same again\n",
                    found.not_fetched.front());
  }
  return text + fmt::format("repeat     {}\nrun        {}, seed {}\n", Escaped(bad.repeat),
                            Escaped(found.run), found.seed);
}

void to_json(Json& json, const BuildStep& step) {
  json = {{"build", step.name},
          {"state", Name(step.state)},
          {"shown", step.counted.hits},
          {"tried", step.counted.trials},
          {"version", step.version},
          {"reason", step.state == BuildState::kSkipped ? step.reason : ""},
          {"repeat", step.repeat}};
}

std::string ToJson(const FoundStep& found) {
  return DumpJson({{"schema", 1},
                   {"last_good", found.steps[found.last_good].name},
                   {"first_bad", found.steps[found.first_bad].name},
                   {"decided", found.first_bad - found.last_good == 1},
                   {"case", found.case_name},
                   {"figure", found.by},
                   {"answer_key", found.key},
                   {"not_fetched", found.not_fetched},
                   {"run", found.run},
                   {"seed", found.seed},
                   {"builds", found.steps}});
}

}  // namespace watchproof
