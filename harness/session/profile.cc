// SPDX-License-Identifier: Apache-2.0
#include "harness/session/profile.h"

#include <algorithm>
#include <fstream>

#include "harness/base/toml_fields.h"
#include "harness/promises/promise.h"

namespace watchproof {
namespace {

using toml_fields::FailAt;
using toml_fields::Text;

Result<std::vector<std::string>> Words(const toml::table& table, std::string_view field) {
  std::vector<std::string> words;
  const toml::node* node = table.get(field);
  if (node == nullptr) return words;
  const toml::array* array = node->as_array();
  if (array == nullptr) return FailAt(*node, fmt::format("expected '{}' with a list", field));
  for (const toml::node& element : *array) {
    const auto word = element.value_exact<std::string>();
    if (!word) return FailAt(element, fmt::format("expected texts in '{}'", field));
    words.push_back(*word);
  }
  return words;
}

std::vector<std::string_view> CapabilityNames() {
  std::vector<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(kLastCapability); ++i) {
    names.push_back(Name(static_cast<Capability>(i)));
  }
  return names;
}

Result<Capabilities> CapabilitiesIn(const toml::table& table, std::string_view field) {
  WP_ASSIGN_OR_RETURN(const auto words, Words(table, field));
  Capabilities capabilities;
  for (const std::string& word : words) {
    const auto capability = FindCapability(word);
    if (!capability) {
      return FailAt(*table.get(field),
                    fmt::format("'{}' in '{}' is no capability; expected some of {}", word, field,
                                fmt::join(CapabilityNames(), ", ")));
    }
    capabilities.insert(*capability);
  }
  return capabilities;
}

Result<std::set<std::string, std::less<>>> PromisesIn(const toml::table& table,
                                                      std::string_view field) {
  WP_ASSIGN_OR_RETURN(const auto words, Words(table, field));
  for (const std::string& word : words) {
    if (FindStandingPromise(word) != nullptr) continue;
    std::vector<std::string_view> names;
    for (const StandingPromise& promise : StandingPromises()) names.push_back(promise.name);
    return FailAt(*table.get(field),
                  fmt::format("'{}' in '{}' is no standing promise; expected some of {}", word,
                              field, fmt::join(names, ", ")));
  }
  return std::set<std::string, std::less<>>(words.begin(), words.end());
}

Result<bool> SwitchIn(const toml::table& table, std::string_view field) {
  const toml::node* node = table.get(field);
  if (node == nullptr) return false;
  const auto value = node->value_exact<bool>();
  if (!value) return FailAt(*node, fmt::format("expected '{}' with true or false", field));
  return *value;
}

Result<Deviations> DeviationsIn(const toml::table& table) {
  Deviations deviations;
  WP_ASSIGN_OR_RETURN(const auto fields, Words(table, "always_zero"));
  for (const std::string& field : fields) {
    if (std::find(kFieldsThatMayBeUnset.begin(), kFieldsThatMayBeUnset.end(), field) ==
        kFieldsThatMayBeUnset.end()) {
      return FailAt(*table.get("always_zero"), fmt::format("'{}' is none of {}", field,
                                                           fmt::join(kFieldsThatMayBeUnset, ", ")));
    }
    deviations.unset.insert(field);
  }
  WP_ASSIGN_OR_RETURN(deviations.previous_unasked, SwitchIn(table, "previous_values_unasked"));
  WP_ASSIGN_OR_RETURN(deviations.keeps_history, SwitchIn(table, "keeps_history"));
  WP_ASSIGN_OR_RETURN(deviations.metadata_of_deletes, SwitchIn(table, "metadata_of_deletes"));
  return deviations;
}

}  // namespace

Result<Profile> ParseProfile(std::string_view text) {
  WP_ASSIGN_OR_RETURN(const toml::table table, toml_fields::Document(text));
  WP_RETURN_IF_ERROR(toml_fields::OnlyFields(
      table, {"about", "always_zero", "compacted_at_the_floor", "keeps_history", "lacks",
              "leases_take_revisions", "leaves_out", "metadata_of_deletes", "name", "offers",
              "previous_values_unasked", "requests"}));
  Profile profile;
  WP_ASSIGN_OR_RETURN(profile.name, Text(table, "name"));
  WP_ASSIGN_OR_RETURN(profile.about, Text(table, "about"));
  WP_ASSIGN_OR_RETURN(profile.stated.offered, CapabilitiesIn(table, "offers"));
  WP_ASSIGN_OR_RETURN(profile.stated.missing, CapabilitiesIn(table, "lacks"));
  for (const Capability capability : profile.stated.missing) {
    if (!profile.stated.offered.contains(capability)) continue;
    return FailAt(*table.get("lacks"), fmt::format("'{}' is in 'offers', too", Name(capability)));
  }
  if (table.contains("requests")) {
    WP_ASSIGN_OR_RETURN(const std::string requests, Text(table, "requests"));
    if (requests != "all" && requests != "kubernetes") {
      return FailAt(*table.get("requests"), "expected 'requests' with all or kubernetes");
    }
    if (requests == "kubernetes") profile.requests = Profile::Requests::kKubernetes;
  }
  WP_ASSIGN_OR_RETURN(profile.compacted_at_the_floor, SwitchIn(table, "compacted_at_the_floor"));
  WP_ASSIGN_OR_RETURN(profile.leases_take_revisions, SwitchIn(table, "leases_take_revisions"));
  WP_ASSIGN_OR_RETURN(profile.leaves_out, PromisesIn(table, "leaves_out"));
  WP_ASSIGN_OR_RETURN(profile.deviations, DeviationsIn(table));
  return profile;
}

Result<Profile> ProfileFor(const std::string& text, const TargetSpec& target) {
  if (!text.empty()) return ParseProfile(text);
  if (target.profile.empty()) return Profile();
  WP_ASSIGN_OR_RETURN(const std::string shipped, ProfileText(target.profile));
  return ParseProfile(shipped);
}

std::vector<std::string> ShippedProfiles() {
  std::vector<std::string> names;
  for (const ShippedProfile& profile : ProfileTexts()) names.emplace_back(profile.name);
  return names;
}

Result<std::string> ProfileText(const std::string& name_or_file) {
  for (const ShippedProfile& profile : ProfileTexts()) {
    if (profile.name == name_or_file) return std::string(profile.text);
  }
  std::error_code ignored;
  std::ifstream file(name_or_file, std::ios::binary);
  if (!file || std::filesystem::is_directory(name_or_file, ignored)) {
    return Fail(StatusCode::kNotFound,
                "'{}' is neither a shipped profile ({}) nor a file that can be read", name_or_file,
                fmt::join(ShippedProfiles(), ", "));
  }
  return std::string((std::istreambuf_iterator<char>(file)), {});
}

}  // namespace watchproof
