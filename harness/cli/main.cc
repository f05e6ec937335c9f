// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/cli.h"

int main(int argc, char** argv) { return watchproof::Main(argc, argv); }
