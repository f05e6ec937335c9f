// SPDX-License-Identifier: Apache-2.0
// What help, completion and the manual page need to know of the parser's commands and their
// options.
//
//   for (const CLI::App* command : CommandsOf(app)) ...
//   FlagsOf(*app.get_option("--help"));   // {"-h", "--help"}
//   UsageOf(command, "watchproof draw", kPlainText);   // "watchproof draw [OPTION]... WHAT"
//
// Threads: pure.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace watchproof {

// Without what is internal.
inline std::vector<const CLI::App*> CommandsOf(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); });
}

// "-o", "--output"; empty: it has a place, not a name.
inline std::vector<std::string> FlagsOf(const CLI::Option& option) {
  std::vector<std::string> flags;
  for (const std::string& name : option.get_snames()) flags.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) flags.push_back("--" + name);
  return flags;
}

// "FILE", "CASE", "auto|on|off": words in lower case stand for themselves. Empty: a switch.
inline std::string FormOf(const CLI::Option& option) {
  return option.get_expected_max() > 0 ? option.get_type_name() : "";
}

inline bool TakesSeveral(const CLI::Option& option) { return option.get_expected_max() > 1; }
// Several values in a row: --among A B C.
inline bool TakesRest(const CLI::Option& option) {
  return TakesSeveral(option) && option.get_allow_extra_args();
}

// How names that are typed as they are, and what stands for something else, are set off.
struct Markup {
  std::string (*name)(std::string_view text);
  std::string (*place)(std::string_view text);
};
extern const Markup kPlainText;

// "--keep failed|all|none", "RUN".
std::string HeadOf(const CLI::Option& option, const Markup& markup);
// The explanation, with the default if there is one.
std::string ExplanationOf(const CLI::Option& option);
// Required flags, and what has a place, by name.
std::string UsageOf(const CLI::App& command, const std::string& name, const Markup& markup);

// Options under one heading, in the order in which they were added. --help is in none.
struct OptionGroup {
  std::string name;
  std::vector<const CLI::Option*> options;
};
// What has a place comes first, under "Arguments".
std::vector<OptionGroup> GroupsOf(const CLI::App& command);

// Commands under one heading.
struct CommandGroup {
  std::string name;
  std::vector<const CLI::App*> commands;
};
std::vector<CommandGroup> CommandGroupsOf(const CLI::App& app);

}  // namespace watchproof
