// SPDX-License-Identifier: Apache-2.0
// `man`: the manual page, in the language of man(7).
#include <map>
#include <set>

#include "harness/cli/command_tree.h"
#include "harness/cli/commands.h"
#include "harness/cli/examples.h"
#include "harness/runs/version.h"

namespace watchproof {
namespace {

// As it is printed: what the formatter takes for commands, or for other characters, is escaped.
std::string Roff(std::string_view text) {
  std::string escaped = text.starts_with(".") || text.starts_with("'") ? "\\&" : "";
  static const std::map<char, std::string_view> kNames = {
      {'\\', "\\e"}, {'-', "\\-"}, {'\'', "\\(aq"}, {'`', "\\(ga"}, {'^', "\\(ha"}, {'~', "\\(ti"}};
  for (const char c : text) {
    const auto name = kNames.find(c);
    if (name == kNames.end()) {
      escaped += c;
    } else {
      escaped += name->second;
    }
  }
  return escaped;
}

std::string Bold(std::string_view text) { return "\\fB" + Roff(text) + "\\fR"; }
std::string Italic(std::string_view text) { return "\\fI" + Roff(text) + "\\fR"; }

void PrintEntry(const std::string& head, std::string_view text) {
  fmt::print(".TP\n{}\n{}\n", head, Roff(text));
}

const Markup kRoff = {&Bold, &Italic};

void PrintOptions(const CLI::App& command) {
  const std::vector<OptionGroup> groups = GroupsOf(command);
  for (const OptionGroup& group : groups) {
    if (groups.size() > 1) fmt::print(".PP\n{}\n", Italic(group.name + ":"));
    for (const CLI::Option* option : group.options) {
      const std::string variable = option->get_envname();
      PrintEntry(HeadOf(*option, kRoff),
                 fmt::format("{}.{}", ExplanationOf(*option),
                             variable.empty() ? "" : fmt::format(" Variable: {}.", variable)));
    }
  }
}

void PrintExamples() {
  // Lines to type are neither hyphenated nor stretched.
  fmt::print(".SH EXAMPLES\n.nh\n.ad l\n");
  for (const Example& example : Examples()) PrintEntry(Bold(example.line), example.does);
  fmt::print(".hy\n.ad b\n");
}

// Those that can be given; a group of commands is none.
void PrintCommands(const CLI::App& parent, const std::string& before) {
  for (const CLI::App* command : CommandsOf(parent)) {
    const std::string name = before + " " + command->get_name();
    if (!CommandsOf(*command).empty()) {
      PrintCommands(*command, name);
      continue;
    }
    fmt::print(".SS \"{}\"\n{}\n.PP\n{}.\n", Roff(name.substr(name.find(' ') + 1)),
               UsageOf(*command, name, kRoff), Roff(command->get_description()));
    PrintOptions(*command);
  }
}

// Variable -> the options that it sets.
void CollectVariables(const CLI::App& command,
                      std::map<std::string, std::set<std::string>>& variables) {
  for (const CLI::Option* option : command.get_options()) {
    const std::string variable = option->get_envname();
    if (!variable.empty()) variables[variable].insert(FlagsOf(*option).back());
  }
  for (const CLI::App* inner : CommandsOf(command)) CollectVariables(*inner, variables);
}

void PrintEnvironment(const CLI::App& root) {
  fmt::print(".SH ENVIRONMENT\n{}\n",
             Roff("An option that is given wins over its variable, and the variable over "
                  "watchproof.toml. Several values are separated by spaces."));
  std::map<std::string, std::set<std::string>> variables;
  CollectVariables(root, variables);
  for (const auto& [variable, options] : variables) {
    PrintEntry(Bold(variable), fmt::format("The value of {}.", fmt::join(options, ", ")));
  }
  PrintEntry(Bold("GTEST_FILTER") + ", " + Bold("GTEST_TOTAL_SHARDS") + ", " +
                 Bold("GTEST_SHARD_INDEX") + ", " + Bold("GTEST_RANDOM_SEED"),
             "As GoogleTest uses them, for run, unless the option or its own variable is given.");
  PrintEntry(Bold("JOB_COMPLETION_INDEX"),
             "With --shards: which of them this is, from 0, as Kubernetes sets it for a pod.");
  PrintEntry(Bold("WATCHPROOF_CACHE") + ", " + Bold("XDG_CACHE_HOME"),
             "Where fetched releases and built consumers are: the folder itself, or its parent.");
  PrintEntry(Bold("NO_COLOR") + ", " + Bold("CLICOLOR_FORCE"), "Colours never, or always.");
}

void PrintFiles() {
  fmt::print(".SH FILES\n");
  PrintEntry(Italic("watchproof.toml"), "Options of run, from the working folder.");
  PrintEntry(
      Italic("watchproof-runs/latest/"),
      "The latest run: report.html, results.jsonl, junit.xml, and a recording of each failed "
      "attempt.");
  PrintEntry(Italic("~/.cache/watchproof/releases/"), "Servers that fetch has placed there.");
}

void PrintPage(const CLI::App& root) {
  fmt::print(".TH WATCHPROOF 1 \"\" \"watchproof {}\" \"User Commands\"\n",
             Roff(Versions().at("watchproof")));
  fmt::print(".SH NAME\nwatchproof \\- test the guarantees of the etcd watch API under faults\n");
  fmt::print(".SH SYNOPSIS\n{} {} [{}]...\n.br\n{} {}\n", Bold("watchproof"), Italic("COMMAND"),
             Italic("OPTION"), Bold("watchproof"), Bold("--version"));
  fmt::print(".SH DESCRIPTION\n{}\n{}\n", Roff(root.get_description()),
             Roff("It starts a store, or uses one that is running, puts a fault-injecting proxy "
                  "before it, opens many watches on one stream, and checks for each watch that "
                  "every revision arrived exactly once and in order, or that ErrCompacted was "
                  "reported. Each case, guarantee, fault, defect and known bug is described by "
                  "explain, and listed by list and bugs. Each command has --help."));
  PrintOptions(root);
  PrintExamples();
  fmt::print(".SH COMMANDS\n");
  PrintCommands(root, "watchproof");
  fmt::print(".SH \"EXIT STATUS\"\n");
  for (const ExitCodeInfo& info : ExitCodes()) {
    PrintEntry(Bold(std::to_string(static_cast<int>(info.code))),
               fmt::format("{}: {}.", info.name, info.when));
  }
  PrintFiles();
  PrintEnvironment(root);
  fmt::print(".SH \"SEE ALSO\"\n{}(1), {}(1)\n", Bold("etcd"), Bold("etcdctl"));
}

}  // namespace

CommandBody AddMan(const Command& command) {
  return [&root = *command.parser.get_parent()] {
    PrintPage(root);
    return ExitCode::kOk;
  };
}

}  // namespace watchproof
