// SPDX-License-Identifier: Apache-2.0
// How --help is set out: flags in their groups, wrapped to 80 columns, or fewer where the terminal
// has fewer, and at the end lines to type.
//
//   app.formatter(std::make_shared<HelpFormatter>());   // before its commands are added
//
// Threads: pure.
#pragma once

#include <CLI/App.hpp>
#include <CLI/FormatterFwd.hpp>
#include <string>

namespace watchproof {

class HelpFormatter : public CLI::FormatterBase {
 public:
  // `name`: "watchproof history dump".
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
};

}  // namespace watchproof
