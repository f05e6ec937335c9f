// SPDX-License-Identifier: Apache-2.0
// What a power failure would take: all that was done below a folder and not synced since.
//
//   journal.BeforeWrite(file, offset, size);  ... write ...
//   journal.Synced(file, begun);                         // durable: everything before `begun`
//   Loss loss = journal.LosePower({});                   // the program has ended
//
// What a sync keeps is what ext4, xfs and btrfs keep: the contents of the file, and with them the
// entries under which it was made, linked or renamed, and those of new folders above it. A folder's
// sync keeps every entry in it. Nothing else is durable: no rename, removal or new folder.
//
// Not thread-safe. Ownership: owns what it holds open, and the links in its store, by which removed
// files can come back.
#pragma once

#include <sys/types.h>

#include <compare>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/base/deadline.h"
#include "harness/base/status.h"
#include "proxies/disk/descriptor.h"

namespace watchproof::proxy {

// A file or folder, whatever its name is.
struct FileId {
  dev_t device = 0;
  ino_t number = 0;
  auto operator<=>(const FileId&) const = default;
};
std::optional<FileId> FileIdOf(int descriptor);
std::optional<FileId> FileIdOf(const std::filesystem::path& path);  // of a link: the link itself

// What of the unsynced is kept all the same, as a disk may that writes in an order of its own.
struct Kept {
  double chance = 0;         // of each unit of contents, and how far into the changes of entries
  std::int64_t unit = 4096;  // bytes: a page, or a sector
  bool torn = false;         // all but the last write is kept, and of that one some sectors only
  std::uint64_t seed = 0;
};

// What a power failure took.
struct Loss {
  std::int64_t writes = 0;  // of which something was lost
  std::int64_t bytes = 0;
  std::int64_t entries = 0;  // files made, renamed, removed; folders
  // Those of the writes and entries that a sync had pretended to keep.
  std::int64_t forgotten = 0;
  // When the oldest lost write to a file that is still there was made; without such a write: the
  // oldest of all changes.
  TimePoint oldest{};
  // "member/wal/0.wal: 3 writes, 4096 bytes", "member/snap/db: back to its name db.tmp.1"
  std::vector<std::string> lines;
  bool nothing() const { return writes == 0 && entries == 0; }
};

class Journal {
 public:
  // `store` is made when it is needed, on the same file system; removed at the end.
  Journal(std::filesystem::path folder, std::filesystem::path store);
  ~Journal();

  using Place = std::uint64_t;
  // Everything entered so far is before it.
  Place now() const { return next_; }

  // Before the change is made, of a file that is open for reading.
  void BeforeWrite(int file, std::int64_t offset, std::int64_t size);
  void BeforeTruncate(int file, std::int64_t size);
  // After the change.
  void Made(const std::filesystem::path& path, bool folder);
  // Between the two, `change` is carried out: it returns whether that succeeded. An error: the
  // store cannot be used, and nothing was done.
  Status Rename(const std::filesystem::path& from, const std::filesystem::path& to,
                const std::function<bool()>& change);
  Status Remove(const std::filesystem::path& path, bool folder,
                const std::function<bool()>& change);

  // A file, or a folder.
  void Synced(int file, bool folder, Place begun);
  // The program has its answer, and nothing was kept.
  void Forgotten(int file, bool folder, Place begun);
  // Whether a power failure would take some of that.
  bool HasForgotten() const;
  // All that was done is durable from now on.
  void KeepAll();
  // Takes back what is not durable. Requires: the program that wrote has ended.
  Result<Loss> LosePower(const Kept& kept);

 private:
  struct Content {
    FileId file;
    std::int64_t offset = 0;
    std::int64_t size_before = 0;                           // of the file
    std::int64_t length = 0;                                // of what was replaced, at most
    std::vector<std::pair<std::int64_t, std::string>> old;  // offset and bytes; between them zeros
  };
  struct Entry {
    enum class Kind { kMade, kMadeFolder, kRenamed, kRemoved, kRemovedFolder } kind = Kind::kMade;
    FileId file;
    FileId in;  // the folder of the name
    std::shared_ptr<Descriptor> folder;
    std::string name;
    FileId from_in{};  // of a rename: what it was
    std::shared_ptr<Descriptor> from_folder;
    std::string from;
    std::string stored;  // the removed or replaced file, in the store
    unsigned mode = 0;   // of a removed folder
  };
  struct Record {
    TimePoint at{};
    std::optional<Content> content{};
    std::optional<Entry> entry{};
    bool forgotten = false;  // by a sync
  };
  struct Open {
    Descriptor descriptor;
    std::string name;  // below the folder
  };

  struct Failure;

  void Save(Content& content, int file);
  Result<Entry> EntryAt(const std::filesystem::path& path) const;
  std::shared_ptr<Descriptor> OpenFolder(const std::filesystem::path& path) const;
  Result<std::string> Store(const std::filesystem::path& path);
  void Enter(Entry entry);
  void Drop(Place entry);
  // Whether a sync of the file, or folder, keeps the entry.
  static bool Keeps(FileId file, bool folder, const Entry& entry);
  void KeepFolders(FileId folder, Place begun);
  Status Undo(const Entry& entry);
  void Moved(FileId folder, Descriptor there);
  std::string Relative(const std::filesystem::path& path) const;
  std::string NameOf(const Entry& entry) const;

  const std::filesystem::path folder_;
  const std::filesystem::path store_;
  Place next_ = 1;
  std::uint64_t stored_ = 0;
  std::map<Place, Record> records_;
  std::map<FileId, std::vector<Place>> contents_;  // those of a file, in order
  std::set<Place> entries_;
  std::map<FileId, Open> open_;  // files with contents that are not durable
};

}  // namespace watchproof::proxy
