// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/config_file.h"

#include "harness/base/toml_fields.h"
#include "harness/runs/parse.h"

namespace watchproof {
namespace {

using toml_fields::FailAt;

// A number is as good as its text: jobs = 4.
Result<std::string> WordOf(const toml::node& node, const std::string& key) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto number = node.value_exact<std::int64_t>()) return std::to_string(*number);
  return FailAt(node, fmt::format("'{}': expected a text or a whole number", key));
}

Result<std::vector<std::string>> WordsOf(const toml::node& node, const std::string& key,
                                         FlagKind kind) {
  if (kind == FlagKind::kSwitch) {
    const auto on = node.value_exact<bool>();
    if (!on) return FailAt(node, fmt::format("'{}': expected true or false", key));
    return std::vector<std::string>{*on ? "true" : "false"};
  }
  if (const toml::array* several = node.as_array(); several != nullptr) {
    if (kind != FlagKind::kTexts) {
      return FailAt(node, fmt::format("'{}': expected one value, not a list", key));
    }
    std::vector<std::string> words;
    for (const toml::node& one : *several) {
      WP_ASSIGN_OR_RETURN(std::string word, WordOf(one, key));
      words.push_back(std::move(word));
    }
    return words;
  }
  WP_ASSIGN_OR_RETURN(std::string word, WordOf(node, key));
  return std::vector<std::string>{std::move(word)};
}

}  // namespace

Result<std::map<std::string, std::vector<std::string>>> ParseConfig(std::string_view text,
                                                                    const KnownFlags& known) {
  WP_ASSIGN_OR_RETURN(const toml::table table, toml_fields::Document(text));
  std::map<std::string, std::vector<std::string>> values;
  for (const auto& [place, node] : table) {
    const std::string key(place.str());
    const auto flag = known.find("--" + key);
    if (flag == known.end()) {
      std::vector<std::string> keys;
      for (const auto& [name, kind] : known) keys.push_back(name.substr(2));
      return FailAt(node,
                    fmt::format("'{}' is no flag of run{}; `watchproof run --help` lists them", key,
                                DidYouMean(key, keys)));
    }
    WP_ASSIGN_OR_RETURN(values[flag->first], WordsOf(node, key, flag->second));
  }
  return values;
}

}  // namespace watchproof
