// SPDX-License-Identifier: Apache-2.0
// The data folder of a durable store, held by one process at a time.
//
//   WP_ASSIGN_OR_RETURN(auto folder, DataFolder::Hold(path));   // made when it is not there
//   folder->file();                                            // where the data file is or will be
//
// The hold ends with the object, and with the process however that ends. Not thread-safe.
// Ownership: owns the descriptor of the folder.
#pragma once

#include <filesystem>
#include <memory>

#include "harness/base/status.h"

namespace watchproof::store {

class DataFolder {
 public:
  // kFailedPrecondition when another process holds it.
  static Result<std::unique_ptr<DataFolder>> Hold(const std::filesystem::path& path);
  ~DataFolder();
  DataFolder(const DataFolder&) = delete;
  DataFolder& operator=(const DataFolder&) = delete;

  std::filesystem::path file() const { return path_ / "store.mdb"; }
  // Where a file is made before it takes the place of the one above.
  std::filesystem::path draft() const { return path_ / "store.mdb.draft"; }
  // Puts the draft in the place of the file, so that after a crash either of them is whole.
  Status Promote() const;
  void DropDraft() const;

 private:
  DataFolder(std::filesystem::path path, int descriptor);

  const std::filesystem::path path_;
  const int descriptor_;
};

// Why this file cannot be opened as a data file, without touching it: foreign, empty, cut short.
Status InspectDataFile(const std::filesystem::path& file);

}  // namespace watchproof::store
