// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/passed_on.h"

namespace watchproof {

Result<RunOptions> OptionsFromWords(const std::vector<std::string>& words, Sources sources) {
  CLI::App app;
  RunFlags flags(app, sources);
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
        ->type_name(of_run->get_type_name())
        ->default_str(of_run->get_default_str());
  }
}

tl::expected<Run, Refusal> PassedOn::Prepare(std::vector<std::string> words,
                                             const std::string& executable) const {
  for (const auto& [name, value] : values_) {
    if (!value.empty()) words.insert(words.end(), {name, value});
  }
  Result<RunOptions> options = OptionsFromWords(words);
  if (!options.has_value()) {
    return tl::unexpected(Refusal{ExitCode::kUsage, options.error().message()});
  }
  options->print_results = false;
  options->quiet = true;
  options->shard = {};  // what decides between builds decides from every pair
  return Run::Prepare(*std::move(options), executable);
}

}  // namespace watchproof
