// SPDX-License-Identifier: Apache-2.0
// Any store that a command line can start: on its own address, or on a free port if its command
// line has no {host}, with its own data folder if it has {data}.
#include "harness/base/shell_words.h"
#include "harness/targets/command_target.h"

namespace watchproof {
namespace {

// The words of a template that has what it needs.
Result<std::vector<std::string>> Words(std::string_view rest) {
  if (!rest.starts_with(":")) {
    return Fail(StatusCode::kInvalidArgument, "expected command:TEMPLATE, a command line");
  }
  WP_ASSIGN_OR_RETURN(std::vector<std::string> words, SplitShellWords(rest.substr(1)));
  if (words.empty() || words.front().empty()) {
    return Fail(StatusCode::kInvalidArgument,
                "no program; expected a command line such as command:mystore --listen "
                "{{host}}:{{port}} --data {{data}}");
  }
  WP_RETURN_IF_ERROR(CheckTemplate(words));
  return words;
}

Status ParseCommand(std::string_view rest, TargetSpec& spec) {
  Result<std::vector<std::string>> words = Words(rest);
  if (!words.has_value()) return words.error().WithContext("target \"{}\"", spec.text);
  const std::string& program = words->front();
  spec.product = "command";
  spec.program = program;
  spec.name = spec.label = program.substr(program.rfind('/') + 1);
  spec.make = [words = *words](const TargetSpec&) {
    return std::make_unique<CommandTarget>(words);
  };
  return {};
}

const TargetRegistration kCommand{{
    .info = {.name = "command",
             .grammar = "command:TEMPLATE",
             .explain = "Any store that a command line starts, such as command:mystore --listen "
                        "{host}:{port} --data {data}. The template reaches to the end of the "
                        "argument and is split into words like a shell does, with quotes and "
                        "backslashes, but no shell runs. {port} is required; {host} is a loopback "
                        "address for this store alone (without it the store is reached on "
                        "127.0.0.1 and {port} is a free one), {peer-port} a second port, {data} "
                        "an empty folder. With {data} the store must keep what it acknowledged "
                        "when it is killed and started again; without it, cases that need this "
                        "are unsupported."},
    .parse = ParseCommand,
}};

}  // namespace
}  // namespace watchproof
