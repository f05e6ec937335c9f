// SPDX-License-Identifier: Apache-2.0
// A broken guarantee with its evidence. A value: never an exception, never a Status.
//
// Threads: values.
#pragma once

#include <string>
#include <vector>

#include "harness/checkers/guarantee.h"
#include "harness/history/entry.h"

namespace watchproof {

struct Finding {
  Guarantee guarantee{};
  std::string watch;     // "watch 3 of stream 1 on [\"a\", \"b\") from revision 2"
  std::string expected;  // "a revision of at least 799"
  std::string
      observed;  // "revision 3 (key \"k/4\") in line 212, 1.3 ms after revision 799 in line 211"
  std::string signature{};     // of harness/signatures, if one fits
  std::vector<Line> evidence;  // the two or three lines that contradict each other
  Duration at{};               // time of the offending line, to name the fault active then
  std::string impact{};        // on a Kubernetes cache; empty: that of its guarantee
  std::string clause{};        // of the contract, that it broke, by its id
  // It is about what did not come: a paused or busy server may only have been late, so that the
  // recording is no proof by itself.
  bool by_silence = false;
  Level level = Level::kMust;  // how binding the broken rule is
  // The standing promise (harness/promises) that was asked for when it showed, where it is about
  // no watch: what the attempt was about need not be the cause.
  std::string standing{};
};

}  // namespace watchproof
