// SPDX-License-Identifier: Apache-2.0
// The standing promises of the API by name: what a driver asks of every store at the end of every
// attempt, whatever the attempt was about.
//
//   for (const StandingPromise& promise : kStandingPromises) out << promise.name << promise.text;
//
// Threads: constants.
#pragma once

#include <string>
#include <string_view>

namespace watchproof {

struct StandingPromise {
  std::string_view name;  // in profiles and recordings
  std::string_view text;  // for readers
};

inline constexpr StandingPromise kStandingPromises[] = {
    {"progress", "progress on request"},
    {"delivery", "delivery to every open watch"},
    {"new-watches", "new watches of every kind"},
    {"read-of-every-key", "a read of every key"},
    {"read-of-the-past", "a read of the past"},
    {"serializable-read", "a serializable read of every key"},
    {"leases", "the leases"},
    {"end-of-watches", "the end of every watch by its cancel"},
};

constexpr const StandingPromise* FindStandingPromise(std::string_view name) {
  for (const StandingPromise& promise : kStandingPromises) {
    if (promise.name == name) return &promise;
  }
  return nullptr;
}

// The text; of a recording by another version, the name.
inline std::string TextOfPromise(std::string_view name) {
  const StandingPromise* const promise = FindStandingPromise(name);
  return std::string(promise == nullptr ? name : promise->text);
}

}  // namespace watchproof
