// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/command_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace watchproof {
namespace {

std::string AsItIs(std::string_view text) { return std::string(text); }

template <typename Group, typename Member>
void AddTo(std::vector<Group>& groups, const std::string& name, std::vector<Member> Group::*members,
           Member member) {
  auto group = std::ranges::find(groups, name, &Group::name);
  if (group == groups.end()) group = groups.insert(group, Group{name, {}});
  ((*group).*members).push_back(member);
}

}  // namespace

const Markup kPlainText = {&AsItIs, &AsItIs};

std::string HeadOf(const CLI::Option& option, const Markup& markup) {
  if (option.get_positional()) {
    std::string name = option.get_name(true);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
    return markup.place(name);
  }
  std::vector<std::string> flags;
  for (const std::string& flag : FlagsOf(option)) flags.push_back(markup.name(flag));
  const std::string all = fmt::format("{}", fmt::join(flags, ", "));
  const std::string form = FormOf(option);
  if (form.empty()) return all;
  return fmt::format("{} {}{}", all, markup.place(form), TakesRest(option) ? "..." : "");
}

std::string ExplanationOf(const CLI::Option& option) {
  const std::string preset = option.get_default_str();
  return preset.empty() ? option.get_description()
                        : fmt::format("{} (default: {})", option.get_description(), preset);
}

std::string UsageOf(const CLI::App& command, const std::string& name, const Markup& markup) {
  std::string flags;
  std::string places;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) {
      if (option->get_required()) flags += " " + HeadOf(*option, markup);
      continue;
    }
    const std::string place = HeadOf(*option, markup) + (TakesSeveral(*option) ? "..." : "");
    places += option->get_required() ? " " + place : " [" + place + "]";
  }
  return fmt::format("{}{} [{}]...{}", markup.name(name), flags, markup.place("OPTION"), places);
}

std::vector<OptionGroup> GroupsOf(const CLI::App& command) {
  std::vector<OptionGroup> groups;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) AddTo(groups, "Arguments", &OptionGroup::options, option);
  }
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional() || option == command.get_help_ptr()) continue;
    AddTo(groups, option->get_group(), &OptionGroup::options, option);
  }
  return groups;
}

std::vector<CommandGroup> CommandGroupsOf(const CLI::App& app) {
  std::vector<CommandGroup> groups;
  for (const CLI::App* command : CommandsOf(app)) {
    AddTo(groups, command->get_group(), &CommandGroup::commands, command);
  }
  return groups;
}

}  // namespace watchproof
