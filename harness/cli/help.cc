// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/help.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/cli/command_tree.h"
#include "harness/cli/examples.h"
#include "harness/report/text.h"
#include "harness/runs/console.h"

namespace watchproof {
namespace {

constexpr std::size_t kWidest = 80;
constexpr std::size_t kLongestHead = 24;

struct HelpRow {
  std::string head;
  std::string text;
};

// Heads to the left, texts to the right; below a head that leaves no room for it.
std::string RowsText(const std::string& heading, const std::vector<HelpRow>& rows,
                     std::size_t width) {
  std::size_t head = 0;
  for (const HelpRow& row : rows) {
    if (const std::size_t own = Columns(row.head); own <= kLongestHead) head = std::max(head, own);
  }
  const std::size_t indent = head + 4;
  std::string text = fmt::format("\n{}:\n", heading);
  for (const HelpRow& row : rows) {
    const bool fits = Columns(row.head) <= head;
    if (!fits) text += fmt::format("  {}\n", row.head);
    const std::string before = PadRight(fits ? "  " + row.head : "", indent);
    text += Hanging(before, row.text, width - indent);
  }
  return text;
}

std::string CommandRows(const CLI::App& app, std::size_t width) {
  std::string text;
  for (const CommandGroup& group : CommandGroupsOf(app)) {
    std::vector<HelpRow> rows;
    for (const CLI::App* command : group.commands) {
      rows.push_back({command->get_name(), command->get_description()});
    }
    text += RowsText(group.name, rows, width);
  }
  return text;
}

std::string OptionRows(const CLI::App& app, std::size_t width) {
  std::string text;
  for (const OptionGroup& group : GroupsOf(app)) {
    std::vector<HelpRow> rows;
    for (const CLI::Option* option : group.options) {
      std::string explanation = ExplanationOf(*option);
      // Where each flag has one, the footer says so.
      if (const std::string variable = option->get_envname();
          !variable.empty() && app.get_footer().empty()) {
        explanation += fmt::format(" (variable: {})", variable);
      }
      rows.push_back({HeadOf(*option, kPlainText), explanation});
    }
    text += RowsText(group.name, rows, width);
  }
  return text;
}

std::string FirstSteps() {
  std::string text = "\nFirst steps:\n";
  for (std::size_t i = 0; i < kFirstSteps; ++i) text += ExampleText(Examples()[i]);
  return text;
}

}  // namespace

std::string HelpFormatter::make_help(const CLI::App* app, std::string name,
                                     CLI::AppFormatMode /*mode*/) const {
  const std::size_t width = std::min(kWidest, DetectStyle(When::kNever).width);
  const bool whole = app->get_parent() == nullptr;
  const bool commands = !CommandsOf(*app).empty();
  const std::string usage =
      commands ? name + " COMMAND [OPTION]..." : UsageOf(*app, name, kPlainText);
  std::string text = Hanging("", app->get_description(), width);
  text += "\n" + Hanging("Usage: ", usage, width - 7);
  text += CommandRows(*app, width) + OptionRows(*app, width);
  if (!app->get_footer().empty()) text += "\n" + Hanging("", app->get_footer(), width);
  // "history dump" of "watchproof history dump"
  return text + (whole ? FirstSteps() : ExamplesOf(name.substr(name.find(' ') + 1)));
}

}  // namespace watchproof
