// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/passed_on.h"

namespace watchproof {

Result<RunOptions> OptionsFromWords(const std::vector<std::string>& words) {
  CLI::App app;
  RunFlags flags(app);
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& error) {
    return Fail(StatusCode::kInvalidArgument, "{}", error.what());
  }
  return flags.Resolve(words);
}

PassedOn::PassedOn(CLI::App& command, const std::vector<std::string>& names) {
  CLI::App app;
  const RunFlags flags(app);
  for (const std::string& name : names) {
    const CLI::Option* of_run = app.get_option(name);
    command.add_option(name, values_[name], of_run->get_description())
        ->type_name(of_run->get_type_name());
  }
}

Result<RunOptions> PassedOn::Resolve(std::vector<std::string> words) const {
  for (const auto& [name, value] : values_) {
    if (!value.empty()) words.insert(words.end(), {name, value});
  }
  return OptionsFromWords(words);
}

}  // namespace watchproof
