// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/testing/call_table.h"

namespace watchproof {

// One body for the rows of all guarantees.
TEST_P(CallTable, Holds) { ExpectCallRow(GetParam()); }

}  // namespace watchproof
