// SPDX-License-Identifier: Apache-2.0
#include "harness/report/doctor_report.h"

#include <fmt/format.h>

#include "harness/base/escape.h"
#include "harness/history/json_fields.h"
#include "harness/report/text.h"

namespace watchproof {
namespace {

constexpr std::size_t kTextWidth = 76;  // of a text behind the names

std::string_view WordOf(Health health) {
  constexpr std::string_view kWords[] = {"ok", "limited", "missing"};
  return kWords[static_cast<std::size_t>(health)];
}

// The name on the first line, the text beside and below it.
std::string Row(std::string_view word, std::string_view name, const std::string& text) {
  return Hanging(fmt::format("  {:<8} {:<15} ", word, name), Escaped(text), kTextWidth);
}

std::string TextOf(const MachineCheck& check) {
  std::string text = Row(WordOf(check.health), check.name, check.found);
  if (!check.without.empty()) text += Row("", "without it", check.without);
  if (!check.advice.empty()) text += Row("", "do", check.advice);
  return text;
}

std::string TextOf(const TargetCheck& target) {
  std::string text = Escaped(target.target) + "\n";
  if (!target.trouble.empty()) return text + Row("missing", "use", target.trouble);
  text += Row("ok", "starts",
              fmt::format("answers as {} after {}", target.version, FormatSeconds(target.seconds)));
  text += Row("ok", "offers", fmt::format("{}", fmt::join(target.offered, ", ")));
  for (const MissingCapability& missing : target.missing) {
    text +=
        Row("missing", "lacks",
            fmt::format("{}: {} unsupported, such as {}", missing.name,
                        missing.cases.size() == 1 ? "1 case is"
                                                  : Count(missing.cases.size(), "case") + " are",
                        missing.cases.front()));
    text += Row("", "do", missing.advice);
  }
  return text;
}

}  // namespace

std::string ToText(const DoctorReport& report) {
  std::string text = "this machine\n";
  for (const MachineCheck& check : report.checks) text += TextOf(check);
  for (const TargetCheck& target : report.targets) text += "\n" + TextOf(target);
  return text;
}

void to_json(Json& json, const MachineCheck& check) {
  json = {{"name", check.name},
          {"health", WordOf(check.health)},
          {"found", check.found},
          {"without", check.without},
          {"advice", check.advice}};
}
void to_json(Json& json, const MissingCapability& missing) {
  json = {{"name", missing.name}, {"cases", missing.cases}, {"advice", missing.advice}};
}
void to_json(Json& json, const TargetCheck& target) {
  json = {{"target", target.target},   {"usable", target.trouble.empty()},
          {"trouble", target.trouble}, {"version", target.version},
          {"seconds", target.seconds}, {"offered", target.offered},
          {"missing", target.missing}};
}

std::string ToJson(const DoctorReport& report) {
  return DumpJson({{"schema", 1},
                   {"checks", report.checks},
                   {"targets", report.targets},
                   {"exit_code", report.exit_code}});
}

}  // namespace watchproof
