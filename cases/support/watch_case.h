// SPDX-License-Identifier: Apache-2.0
// WATCH_CASE: one conformance question. The only header that a case includes.
//
//   // The question and why it matters, in plain words.
//   WATCH_CASE(Guarantee, Situation, {.requirement = "...", .explain = "...",
//                                     .guarantees = {"Ordered"}}) {
//     scenario.Put(...);
//   }
//
// The body is a plain function that adds steps to a plan; the runner carries the plan out against
// the target in a process of its own, and judges.
//
// Threads: registration happens before main. Ownership: the registry owns what is registered.
#pragma once

#include "cases/support/case_registry.h"
#include "cases/support/scenario.h"

namespace watchproof {

// Sentences of etcd's API that several cases come from.
inline constexpr const char* kWatchGuarantees =
    "events are ordered, unique, atomic and never dropped (etcd API, watch guarantees)";
inline constexpr const char* kBrokenWatch =
    "a broken watch can be resumed by a new watch from after the last event (etcd API, watch "
    "guarantees, resumable)";

// So many answers to creates wait at a server that cannot send (etcd, ctrlStreamBufLen), before it
// reads no further request: of more creates, the rest may be registered late.
inline constexpr std::size_t kAnswersThatWait = 16;

inline CaseInfo Placed(CaseInfo info, std::string name, std::string file, int line) {
  info.name = std::move(name);
  info.file = std::move(file);
  info.line = line;
  return info;
}

}  // namespace watchproof

// `made` completes what the metadata says.
#define WP_CASE(made, suite, name, ...)                                                    \
  static void wp_case_##suite##_##name(::watchproof::Scenario&);                           \
  [[maybe_unused]] static const bool wp_registered_##suite##_##name =                      \
      ::watchproof::AddCase(::watchproof::Placed(made(::watchproof::CaseInfo __VA_ARGS__), \
                                                 #suite "." #name, __FILE__, __LINE__),    \
                            &wp_case_##suite##_##name);                                    \
  static void wp_case_##suite##_##name([[maybe_unused]] ::watchproof::Scenario& scenario)

#define WATCH_CASE(suite, name, ...) WP_CASE(::watchproof::CaseInfo, suite, name, __VA_ARGS__)
