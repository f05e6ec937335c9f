// SPDX-License-Identifier: Apache-2.0
// results.db: one row per attempt of every run in its folder, for queries across runs. A cache of
// the folders.
//
//   WP_RETURN_IF_ERROR(AddToDatabase(run_dir, record.id));
//
// Rows come from the run's results.jsonl. A database that is missing, broken or of another layout
// is rebuilt from all folders of run_dir; deleting it loses nothing. Threads and processes: several
// runs may add at the same time; they wait for each other.
#pragma once

#include <filesystem>
#include <string>

#include "harness/base/status.h"

namespace watchproof {

Status AddToDatabase(const std::filesystem::path& run_dir, const std::string& run_id);
// From the folders alone; returns the number of rows.
Result<int> RebuildDatabase(const std::filesystem::path& run_dir);

}  // namespace watchproof
