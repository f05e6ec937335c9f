// SPDX-License-Identifier: Apache-2.0
// The commands and options of the command line as plain values, for whoever describes all of them:
// completion and the manual page. The only walk of the parser's tree.
//
//   const CommandInfo root = TreeOf(app);
//   root.commands[0].options[0].names  // {"-h", "--help"}
//
// Threads: pure. Ownership: a copy.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace watchproof {

struct OptionInfo {
  std::vector<std::string> names;  // "-o", "--output"; empty: it has a place, not a name
  std::string place;               // "run", of one without a name
  // "FILE", "CASE", "auto|on|off": words in lower case stand for themselves. Empty: a switch.
  std::string value;
  std::string help;
  std::string preset;    // the value unless another is given; may be empty
  std::string variable;  // "WATCHPROOF_JOBS"; may be empty
  bool required = false;
  bool takes_several = false;  // values
  bool takes_rest = false;     // several values in a row: --among A B C
};

struct CommandInfo {
  std::string name;  // "history"
  std::string help;
  std::vector<OptionInfo> options;
  std::vector<CommandInfo> commands;
};

// Without what is internal.
CommandInfo TreeOf(const CLI::App& app);

}  // namespace watchproof
