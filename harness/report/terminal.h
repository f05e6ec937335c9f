// SPDX-License-Identifier: Apache-2.0
// The output of a run for a terminal or a CI log, as text; the command prints it.
//
//   TerminalStyle style{.colour = true, .charset = Charset::kUtf8, .width = 100};
//   out << AttemptText(record, attempt, style) << ... << MatrixText(record, style);
//
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <string>

#include "harness/report/run_record.h"
#include "harness/report/text.h"

namespace watchproof {

struct TerminalStyle {
  bool colour = false;
  Charset charset = Charset::kUtf8;
  std::size_t width = 100;
  bool cut = true;  // what is wider; off a terminal nothing is lost
};

// One line for a pass, a known failure or an unsupported case; otherwise a block with the
// reason, the evidence and the repeat command. `first`: the case that was shown with the same cause
// before, which then says it; empty: none was.
std::string AttemptText(const RunRecord& record, const AttemptSummary& attempt,
                        const TerminalStyle& style, const std::string& first = {});
// What AttemptText leaves out: the finding of a known failure, and what every fault did.
std::string DetailsText(const RunRecord& record, const AttemptSummary& attempt,
                        const TerminalStyle& style);
// Cases by targets; where lines are cut, never wider than the style says.
std::string MatrixText(const RunRecord& record, const TerminalStyle& style);
// The text in the colour of the outcome, if there are colours.
std::string Paint(std::string_view text, Outcome outcome, const TerminalStyle& style);

}  // namespace watchproof
