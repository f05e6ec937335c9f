// SPDX-License-Identifier: Apache-2.0
// --help of every command: what it may be relied on for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>

#include "harness/cli/testing/scripted_run.h"

namespace watchproof {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::Not;
using ::testing::SizeIs;

std::string Printed(const Words& words, const Variables& environment = {}) {
  ScriptedRun command = ScriptedRun::Command(words, environment);
  EXPECT_EQ(command.Wait(), 0) << testing::PrintToString(words) << "\n" << command.output();
  return command.output();
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// {"run"}, {"history", "dump"}, ...; as completion offers them.
std::vector<Words> CommandsBelow(const Words& parent) {
  Words ask{"complete"};
  ask.insert(ask.end(), parent.begin(), parent.end());
  ask.emplace_back();
  std::vector<Words> commands;
  for (const std::string& line : LinesOf(Printed(ask))) {
    Words command = parent;
    command.push_back(line.substr(0, line.find('\t')));
    commands.push_back(std::move(command));
  }
  return commands;
}

std::vector<Words> AllCommands() {
  std::vector<Words> all;
  for (const Words& command : CommandsBelow({})) {
    if (command[0] != "history" && command[0] != "baseline") {
      all.push_back(command);
      continue;
    }
    for (const Words& inner : CommandsBelow(command)) all.push_back(inner);
  }
  return all;
}

std::string HelpOf(Words command) {
  command.emplace_back("--help");
  return Printed(command);
}

std::set<std::string> Matches(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::set<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at) {
    found.insert((*at)[1]);
  }
  return found;
}

// At the beginning of a line.
std::set<std::string> FlagsIn(const std::string& help) {
  std::set<std::string> flags;
  for (const std::string& line : LinesOf(help)) {
    if (line.starts_with("  -")) flags.merge(Matches(line, "^  (?:-., )?(--[a-z-]+)"));
  }
  return flags;
}

TEST(Help, OfEachCommandFitsIntoEightyColumnsAndEndsWithAnExample) {
  const std::vector<Words> commands = AllCommands();
  EXPECT_GT(commands.size(), 25U);
  for (const Words& command : commands) {
    const std::string help = HelpOf(command);
    EXPECT_THAT(LinesOf(help), testing::Each(SizeIs(Le(80U)))) << help;
    const std::size_t examples = help.find("\nExamples:\n");
    ASSERT_NE(examples, std::string::npos) << help;
    const std::string line = LinesOf(help).back();
    for (const std::string& word : command) EXPECT_THAT(line, HasSubstr(" " + word));
  }
}

TEST(Help, OfEachCommandSpeaksOfNoFlagOfAnother) {
  std::set<std::string> names;
  for (const Words& command : AllCommands()) names.insert(command[0]);
  for (const Words& command : AllCommands()) {
    std::string help = HelpOf(command);
    const std::set<std::string> own = FlagsIn(help);
    help = std::regex_replace(help, std::regex("\\s+"), " ");
    // `report --merge` is a flag of another command, and says so; others are of other programs.
    help = std::regex_replace(help, std::regex(" -- etcd --data-dir|'command:[^']*'"), "");
    for (const std::string& name : names) {
      if (name == command[0]) continue;
      help = std::regex_replace(help, std::regex("\\b" + name + " --[a-z-]+"), "");
    }
    std::set<std::string> others;
    for (const std::string& flag : Matches(help, "[ `(](--[a-z][a-z-]*)")) {
      if (!own.contains(flag)) others.insert(flag);
    }
    EXPECT_THAT(others, IsEmpty()) << testing::PrintToString(command);
  }
}

TEST(Help, OfRunHasItsFlagsInGroupsTheMostUsedFirst) {
  const std::vector<std::string> lines = LinesOf(HelpOf({"run"}));
  std::vector<std::string> groups;
  for (const std::string& line : lines) {
    if (line.ends_with(":") && !line.starts_with(" ")) groups.push_back(line);
  }
  EXPECT_THAT(groups, testing::ElementsAre("What to test:", "Which cases:", "Faults:",
                                           "Running server:", "Repeating:", "Many machines:",
                                           "Results:", "Output:", "Earlier runs:", "Examples:"));
}

TEST(Help, OfTheProgramGroupsCommandsAndEndsWithFirstSteps) {
  const std::vector<std::string> lines = LinesOf(Printed({"--help"}));
  for (const char* group : {"Test:", "Understand a failure:", "Decide:", "Tools:"}) {
    EXPECT_THAT(lines, Contains(group));
  }
  const auto steps = std::ranges::find(lines, "First steps:");
  EXPECT_EQ(lines.end() - steps, 7);
  EXPECT_THAT(lines.back(), HasSubstr("watchproof doctor"));
  EXPECT_THAT(lines, Not(Contains(HasSubstr("attempt of one case"))));
}

}  // namespace
}  // namespace watchproof
