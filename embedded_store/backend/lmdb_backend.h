// SPDX-License-Identifier: Apache-2.0
// The durable backend: a data folder with one LMDB file, written by one commit thread.
//
//   WP_ASSIGN_OR_RETURN(auto backend, LmdbBackend::Open("/var/lib/store"));
//
// Group commit: while one transaction is being synced, staged changes gather for the next, so that
// many clients share one sync. A ticket is safe when the sync that covers it has returned. When the
// disk is full, Admit refuses what would grow the file, and names the file; what was admitted
// before has its space reserved. A write error of another kind is final: everything staged since
// fails, and so does everything staged later, until the folder is opened again. Threads: any; one
// of its own. Ownership: owns folder and file.
#pragma once

#include <deque>
#include <filesystem>
#include <future>
#include <memory>
#include <thread>

#include "embedded_store/backend/backend.h"
#include "embedded_store/backend/data_folder.h"
#include "embedded_store/backend/lmdb_file.h"
#include "harness/base/mutex.h"

namespace watchproof::store {

class LmdbBackend final : public Backend {
 public:
  // Makes the folder and the file when they are not there. Errors name the file.
  static Result<std::unique_ptr<LmdbBackend>> Open(const std::filesystem::path& folder);
  ~LmdbBackend() override { Stop(); }

  bool durable() const override { return true; }
  Status Admit(std::size_t bytes, Purpose purpose) override;
  Result<std::unique_ptr<BackendReader>> Read() const override;
  Ticket Stage(std::vector<Mutation> mutations) override;
  Ticket staged() const override;
  void WhenSafe(Ticket ticket, Done done) override;
  void OnSafe(std::function<void(Ticket)> listener) override { listener_ = std::move(listener); }
  BackendSizes sizes() const override;
  Status Defragment() override;
  void Stop() override;

 private:
  struct Staged {
    Ticket ticket;
    std::vector<Mutation> mutations;
    std::size_t weight = 0;
  };
  struct Waiting {
    Ticket ticket;
    Done done;
  };

  LmdbBackend(std::unique_ptr<DataFolder> folder, std::shared_ptr<LmdbFile> file);
  void Run();
  // What the next transaction shall hold: everything staged, up to a bound. False when nothing is
  // left to do and it is time to stop.
  bool AwaitWork(std::vector<Staged>& batch);
  void Commit(const std::vector<Staged>& batch);
  // Tries again while the disk is full.
  Status Write(const std::vector<Staged>& batch);
  void Publish(const std::vector<Staged>& batch);
  void Break(const Status& status);
  std::vector<std::promise<Status>> TakeSwaps();
  Status Swap();
  std::shared_ptr<LmdbFile> file() const;

  const std::unique_ptr<DataFolder> folder_;
  std::function<void(Ticket)> listener_;  // constant once something is staged

  mutable Mutex mu_;
  CondVar work_;
  // Shared with open readers; replaced only when there are none.
  std::shared_ptr<LmdbFile> file_ GUARDED_BY(mu_);
  std::deque<Staged> queue_ GUARDED_BY(mu_);
  std::size_t weight_ GUARDED_BY(mu_) = 0;  // of all that is staged and not safe
  Ticket staged_ GUARDED_BY(mu_);
  Ticket safe_ GUARDED_BY(mu_);
  Status broken_ GUARDED_BY(mu_);                            // the error that ended all writing
  std::deque<Waiting> waiting_ GUARDED_BY(mu_);              // by ticket
  std::vector<std::promise<Status>> swaps_ GUARDED_BY(mu_);  // that Defragment waits for
  bool stopping_ GUARDED_BY(mu_) = false;
  std::thread thread_;
};

}  // namespace watchproof::store
