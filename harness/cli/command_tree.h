// SPDX-License-Identifier: Apache-2.0
// What completion and the manual page need to know of the parser's commands and their options.
//
//   for (const CLI::App* command : CommandsOf(app)) ...
//   FlagsOf(*app.get_option("--help"));   // {"-h", "--help"}
//
// Threads: pure.
#pragma once

#include <CLI/App.hpp>
#include <string>
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

}  // namespace watchproof
