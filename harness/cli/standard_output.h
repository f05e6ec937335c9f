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

namespace watchproof {

void TakeOverStandardStreams();
int CloseStandardOutput();

}  // namespace watchproof
