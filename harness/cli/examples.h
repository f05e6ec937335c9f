// SPDX-License-Identifier: Apache-2.0
// Command lines that people begin with: --help of a command ends with its own, the manual page has
// all, and the help of the whole program the first steps.
//
//   for (const Example& example : Examples()) ... example.line ...
//
// Threads: a constant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace watchproof {

struct Example {
  std::string_view command;  // "history dump"
  std::string_view line;     // as it is typed, in a shell
  std::string_view does;     // "a release of etcd, in a minute"
};

// The common tasks first; at least one of each command.
const std::vector<Example>& Examples();

// So many of the first, in any command, are first steps.
inline constexpr std::size_t kFirstSteps = 3;

// "  # a release of etcd, in a minute\n  watchproof run ...\n"
std::string ExampleText(const Example& example);

// What --help of the command ends with: its examples under a heading.
std::string ExamplesOf(std::string_view command);

}  // namespace watchproof
