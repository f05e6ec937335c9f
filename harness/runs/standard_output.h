// SPDX-License-Identifier: Apache-2.0
// Standard output and error that may fail without disturbing the command that writes to them: a
// full disk may lose output, but never changes a verdict.
//
//   TakeOverStandardStreams();                // before anything is printed
//   const int code = Run();
//   const int lost = CloseStandardOutput();   // errno of the first write that failed, or 0
//
// A reader that went away (`| head`) counts as success.
// Once per process.
#pragma once

#include <cstddef>

namespace watchproof {

struct ScreenSize {
  std::size_t width = 100;
  std::size_t height = 30;
};

void TakeOverStandardStreams();
int CloseStandardOutput();

// Whether the descriptor is a terminal that can be drawn on.
bool IsDrawable(int descriptor);
// The default if it is no terminal.
ScreenSize SizeOfScreen(int descriptor);

}  // namespace watchproof
