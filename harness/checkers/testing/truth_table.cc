// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/testing/truth_table.h"

namespace watchproof {

// One body for the rows of all guarantees.
TEST_P(TruthTable, Holds) { ExpectRow(GetParam()); }

}  // namespace watchproof
