// SPDX-License-Identifier: Apache-2.0
// The command `watchproof`, whole: words in, exit code out.
//
//   int main(int argc, char** argv) { return watchproof::Main(argc, argv); }
//
// Which cases there are is decided by what else is linked in. Once per process.
#pragma once

namespace watchproof {

int Main(int argc, char** argv);

}  // namespace watchproof
