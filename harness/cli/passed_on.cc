// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/passed_on.h"

#include "harness/runs/run_targets.h"

namespace watchproof {

Result<RunOptions> OptionsFromWords(const std::vector<std::string>& words, Sources sources,
                                    const std::set<std::string>& by_caller) {
  CLI::App app;
  RunFlags flags(app, sources);
  flags.SetByCaller(by_caller);
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
        ->group(of_run->get_group())
        ->default_str(of_run->get_default_str());
  }
  return passed;
}

Result<RunOptions> PassedOn::Options(const AskedOfRun& asked) const {
  CLI::App app;
  RunFlags flags(app);
  flags.SetByCaller(asked.cases.empty() ? std::set<std::string>{"--target"}
                                        : std::set<std::string>{"--target", "--filter"});
  std::map<std::string, std::string> given = asked.defaults;
  for (const auto& [name, value] : values_) {
    if (!value.empty()) given[name] = value;
  }
  given["--plan"] = asked.plan;
  std::vector<std::string> names;
  for (const auto& [name, value] : given) {
    if (value.empty()) continue;
    app.get_option(name)->add_result(value);
    names.push_back(name);
  }
  app.parse(std::vector<std::string>());  // the environment
  WP_ASSIGN_OR_RETURN(RunOptions options, flags.Resolve(names));
  WP_RETURN_IF_ERROR(SetTargets(asked.targets, options));
  WP_RETURN_IF_ERROR(GiveAccess(options));
  NoteFlag("--target", asked.targets, options);
  if (!asked.cases.empty()) {
    options.selection.filter = fmt::format("{}", fmt::join(asked.cases, ":"));
    NoteFlag("--filter", {options.selection.filter}, options);
  }
  options.print_results = false;
  options.quiet = true;
  options.tries = 1;   // builds are compared plan by plan, and a chance is that of one try
  options.shard = {};  // what decides between builds decides from every pair
  return options;
}

tl::expected<Run, CommandEnd> PassedOn::Prepare(const AskedOfRun& asked) const {
  Result<RunOptions> options = Options(asked);
  if (!options.has_value()) return tl::unexpected<CommandEnd>(options.error());
  return Run::Prepare(*std::move(options), executable_);
}

std::optional<ExitCode> EndRun(Run& run) {
  const ExitCode ended = ReportEnd(run.End());
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
