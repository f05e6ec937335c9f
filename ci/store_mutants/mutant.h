// SPDX-License-Identifier: Apache-2.0
// Chooses, once per process, which of the mutants woven into a program acts, and notes which of
// them were reached.
//
//   if (WP_MUTANT(17) ? a <= b : a < b) ...
//
// WATCHPROOF_STORE_MUTANT is the number of the mutant; without it none acts. If
// WATCHPROOF_STORE_MUTANTS_REACHED names a file with one byte for each mutant, the byte of the
// chosen one becomes 1 when it is reached; without a chosen one, those of all that are reached.
// Child processes inherit both. Threads: any.
#pragma once

#include <type_traits>

namespace watchproof::store_mutants {

// Both are set before the first constructor of a static object runs.
extern int chosen;
extern int ignored_bits;  // all of them, while all mutants are noted; else none
bool Reached(int id);

}  // namespace watchproof::store_mutants

#define WP_MUTANT(id)                                                  \
  (__builtin_expect((((id) ^ ::watchproof::store_mutants::chosen) &    \
                     ~::watchproof::store_mutants::ignored_bits) == 0, \
                    false) &&                                          \
   ::watchproof::store_mutants::Reached(id))
