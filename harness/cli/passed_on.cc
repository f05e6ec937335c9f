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

std::shared_ptr<PassedOn> PassedOn::Add(const Command& command,
                                        const std::vector<std::string>& names) {
  const std::shared_ptr<PassedOn> passed(new PassedOn(command.words[0]));
  CLI::App app;
  const RunFlags flags(app);
  for (const std::string& name : names) {
    const CLI::Option* of_run = app.get_option(name);
    command.Value(name, passed->values_[name], of_run->get_type_name(), of_run->get_description())
        ->default_str(of_run->get_default_str());
  }
  return passed;
}

tl::expected<Run, CommandEnd> PassedOn::Prepare(std::vector<std::string> words) const {
  for (const auto& [name, value] : values_) {
    if (!value.empty()) words.insert(words.end(), {name, value});
  }
  Result<RunOptions> options = OptionsFromWords(words);
  if (!options.has_value()) return tl::unexpected<CommandEnd>(options.error());
  options->print_results = false;
  options->quiet = true;
  options->tries = 1;   // builds are compared plan by plan, and a chance is that of one try
  options->shard = {};  // what decides between builds decides from every pair
  return Run::Prepare(*std::move(options), executable_);
}

std::optional<ExitCode> EndRun(Run& run) {
  const ExitCode ended = SayWhy(run.End());
  if (ended == ExitCode::kInterrupted || ended == ExitCode::kTerminated) return ended;
  // By a signal that came when no attempt was under way.
  if (const auto code = Signals::Install().exit_code()) return code;
  return run.broken() ? std::optional(ExitCode::kInternal) : std::nullopt;
}

CommandEnd Publish(Run& run, const std::string& file, const std::string& json,
                   const std::string& text, ExitCode code) {
  fmt::print("{}", text.empty() ? json + "\n" : text);
  const Status kept = run.folder().Write(file, json + "\n");
  return kept.ok() ? CommandEnd(code) : CommandEnd(kept, ExitCode::kInternal);
}

}  // namespace watchproof
