// SPDX-License-Identifier: Apache-2.0
// A library to be preloaded under a store, so that a kill takes from its data file everything that
// was not synced, as a power cut may.
//
//   LD_PRELOAD=libunsynced_loss_shim.so WP_SHIM_FILE=/data/store.mdb WP_SHIM_JOURNAL=/x/journal
//   WP_SHIM_KEEP=0 ...
//
// The page cache survives a SIGKILL, so a kill alone never shows a missing sync. Before each write
// to the file, this notes what was there in a journal; a sync empties the journal. The next process
// that opens the file finds what is left in the journal and puts it back, newest first. With
// WP_SHIM_KEEP=SEED, every other place, chosen by the seed, keeps what was written: disks may write
// any part of what was not synced. Writes through a descriptor that syncs by itself (O_DSYNC, as
// LMDB opens for its meta pages) count as synced.
// Threads: any; one lock. Test code only.
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include <utility>
#include <vector>

#include "harness/base/mutex.h"

namespace {

// One entry of the journal, followed by `size` bytes of what the file held. A marker means that the
// place was synced by itself, so that older entries for it no longer count.
struct Entry {
  int64_t offset;
  int64_t size;
  int64_t marker;
};

watchproof::Mutex mu;
bool data_descriptor[1024];
bool syncs_itself[1024];
int journal = -1;

template <typename Function>
Function* Real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}
// Looked up when first called: others may open files before this library is initialised.
#define WP_REAL(name, type)                      \
  auto* real_##name() {                          \
    static auto* const real = Real<type>(#name); \
    return real;                                 \
  }
WP_REAL(open, int(const char*, int, ...))
WP_REAL(close, int(int))
WP_REAL(pwrite, ssize_t(int, const void*, size_t, off_t))
WP_REAL(write, ssize_t(int, const void*, size_t))
WP_REAL(writev, ssize_t(int, const iovec*, int))
WP_REAL(fdatasync, int(int))
WP_REAL(fsync, int(int))
WP_REAL(ftruncate, int(int, off_t))
WP_REAL(msync, int(void*, size_t, int))

[[noreturn]] void Give(const char* why) {
  const char head[] = "unsynced_loss_shim: ";
  (void)!real_write()(2, head, sizeof head - 1);
  (void)!real_write()(2, why, strlen(why));
  (void)!real_write()(2, "\n", 1);
  abort();
}

bool Watched(int descriptor) {
  return descriptor >= 0 && descriptor < 1024 && data_descriptor[descriptor];
}

// Any mix of the bits does; it only has to differ from seed to seed.
bool Kept(uint64_t seed, int64_t offset) {
  if (seed == 0) return false;
  uint64_t x = seed * 0x9e3779b97f4a7c15U ^ static_cast<uint64_t>(offset / 4096);
  x ^= x >> 31;
  x *= 0xbf58476d1ce4e5b9U;
  return (x >> 40 & 1) != 0;
}

bool SyncedLater(const std::vector<Entry>& markers, const Entry& entry) {
  for (const Entry& marker : markers) {
    if (marker.offset <= entry.offset && entry.offset < marker.offset + marker.size) return true;
  }
  return false;
}

// Takes back what the last process did not sync.
void Restore(int file) {
  const char* seed_text = getenv("WP_SHIM_KEEP");
  const uint64_t seed = seed_text == nullptr ? 0 : strtoull(seed_text, nullptr, 10);
  std::vector<std::pair<Entry, int64_t>> entries;  // with where its bytes are
  Entry entry;
  for (int64_t at = 0; pread(journal, &entry, sizeof entry, at) == sizeof entry;) {
    entries.emplace_back(entry, at + static_cast<int64_t>(sizeof entry));
    at += static_cast<int64_t>(sizeof entry) + (entry.marker != 0 ? 0 : entry.size);
  }
  std::vector<Entry> markers;
  std::vector<char> bytes;
  for (auto it = entries.rbegin(); it != entries.rend(); ++it) {
    const Entry& one = it->first;
    if (one.marker != 0) {
      markers.push_back(one);
      continue;
    }
    if (SyncedLater(markers, one) || Kept(seed, one.offset)) continue;
    bytes.resize(static_cast<size_t>(one.size));
    // An entry that is cut short was never followed by its write.
    if (pread(journal, bytes.data(), bytes.size(), it->second) != one.size) continue;
    if (real_pwrite()(file, bytes.data(), bytes.size(), one.offset) != one.size) Give("restoring");
  }
  if (real_ftruncate()(journal, 0) != 0) Give("emptying the journal");
}

void Note(int file, int64_t offset, int64_t size) {
  const bool marker = syncs_itself[file];
  std::vector<char> record(sizeof(Entry) + static_cast<size_t>(marker ? 0 : size));
  const Entry entry{.offset = offset, .size = size, .marker = marker ? 1 : 0};
  memcpy(record.data(), &entry, sizeof entry);
  // Bytes past the end of the file read as zeros, and are restored as zeros.
  if (!marker && pread(file, record.data() + sizeof entry, static_cast<size_t>(size), offset) < 0) {
    Give("reading what is to be overwritten");
  }
  if (real_write()(journal, record.data(), record.size()) != static_cast<ssize_t>(record.size())) {
    Give("writing the journal");
  }
}

int Synced(int descriptor) {
  if (!Watched(descriptor)) return 0;
  watchproof::MutexLock lock(mu);
  return real_ftruncate()(journal, 0);
}

void Opened(const char* path, int flags, int descriptor) {
  const char* wanted = getenv("WP_SHIM_FILE");
  if (wanted == nullptr || strcmp(path, wanted) != 0) return;
  if ((flags & O_ACCMODE) == O_RDONLY) return;
  if (descriptor >= 1024) Give("too many descriptors");
  watchproof::MutexLock lock(mu);
  if (journal < 0) {
    journal = real_open()(getenv("WP_SHIM_JOURNAL"), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (journal < 0) Give("opening the journal");
    Restore(descriptor);
  }
  data_descriptor[descriptor] = true;
  syncs_itself[descriptor] = (flags & O_DSYNC) != 0;
}

int64_t Total(const iovec* parts, int count) {
  int64_t total = 0;
  for (int i = 0; i < count; ++i) total += static_cast<int64_t>(parts[i].iov_len);
  return total;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  const int descriptor = real_open()(path, flags, mode);
  if (descriptor >= 0) Opened(path, flags, descriptor);
  return descriptor;
}
int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  return open(path, flags, mode);
}
int close(int descriptor) {
  if (Watched(descriptor)) data_descriptor[descriptor] = false;
  return real_close()(descriptor);
}
ssize_t pwrite(int descriptor, const void* bytes, size_t size, off_t offset) {
  if (!Watched(descriptor)) return real_pwrite()(descriptor, bytes, size, offset);
  watchproof::MutexLock lock(mu);
  Note(descriptor, offset, static_cast<int64_t>(size));
  return real_pwrite()(descriptor, bytes, size, offset);
}
ssize_t pwrite64(int descriptor, const void* bytes, size_t size, off_t offset) {
  return pwrite(descriptor, bytes, size, offset);
}
ssize_t write(int descriptor, const void* bytes, size_t size) {
  if (!Watched(descriptor)) return real_write()(descriptor, bytes, size);
  watchproof::MutexLock lock(mu);
  Note(descriptor, lseek(descriptor, 0, SEEK_CUR), static_cast<int64_t>(size));
  return real_write()(descriptor, bytes, size);
}
ssize_t writev(int descriptor, const iovec* parts, int count) {
  if (!Watched(descriptor)) return real_writev()(descriptor, parts, count);
  watchproof::MutexLock lock(mu);
  Note(descriptor, lseek(descriptor, 0, SEEK_CUR), Total(parts, count));
  return real_writev()(descriptor, parts, count);
}
// Nothing is lost here but what this library takes back, so the disk itself need not be waited for.
int fdatasync(int descriptor) {
  return Watched(descriptor) ? Synced(descriptor) : real_fdatasync()(descriptor);
}
int fsync(int descriptor) {
  return Watched(descriptor) ? Synced(descriptor) : real_fsync()(descriptor);
}
// The store does not write through its map; if it ever does, this must handle it.
int msync(void* from, size_t size, int flags) {
  if (journal >= 0) Give("the file is written through its map");
  return real_msync()(from, size, flags);
}

}  // extern "C"
