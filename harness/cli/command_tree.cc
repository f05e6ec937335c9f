// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/command_tree.h"

namespace watchproof {
namespace {

OptionInfo InfoOf(const CLI::Option& option) {
  OptionInfo info;
  for (const std::string& name : option.get_snames()) info.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) info.names.push_back("--" + name);
  if (info.names.empty()) info.place = option.get_name(true);
  if (option.get_expected_max() > 0) info.value = option.get_type_name();
  info.help = option.get_description();
  info.preset = option.get_default_str();
  info.variable = option.get_envname();
  info.required = option.get_required();
  info.takes_several = option.get_expected_max() > 1;
  info.takes_rest = info.takes_several && option.get_allow_extra_args();
  return info;
}

}  // namespace

CommandInfo TreeOf(const CLI::App& app) {
  CommandInfo info{app.get_name(), app.get_description(), {}, {}};
  for (const CLI::Option* option : app.get_options()) info.options.push_back(InfoOf(*option));
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_group().empty()) info.commands.push_back(TreeOf(*command));
  }
  return info;
}

}  // namespace watchproof
