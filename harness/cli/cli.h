// SPDX-License-Identifier: Apache-2.0
// The command `watchproof`: from its arguments to its exit code.
//
//   int main(int argc, char** argv) { return watchproof::Main(argc, argv); }
//
// The cases are those that are linked in. Once per process.
#pragma once

namespace watchproof {

int Main(int argc, char** argv);

// For main() of another program: if its arguments name a command, carries that out and ends the
// process. Runs start their own executable again, for each case and for the embedded store.
void RunIfCommand(int argc, char** argv);

}  // namespace watchproof
