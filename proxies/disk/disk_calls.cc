// SPDX-License-Identifier: Apache-2.0
// Carries out the calls that a program makes to its disk, in its place.
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "proxies/disk/caller.h"
#include "proxies/disk/disk.h"

namespace watchproof::proxy {
namespace {

std::int64_t OrErrno(std::int64_t result) { return result < 0 ? -errno : result; }

}  // namespace

struct Disk::File {
  Descriptor description;  // the same open file as the program's: its position, its locks
  std::string name;
  std::size_t of_class = 0;
  bool folder = false;
  bool appends = false;
  bool syncs = false;  // each write
  int number() const { return description.number(); }
};

std::optional<std::string> Disk::Below(const std::filesystem::path& path) const {
  const std::string name = path.lexically_relative(options_.folder).string();
  if (name.empty() || name.starts_with("..")) return std::nullopt;
  return name;
}

template <typename Execute>
std::optional<std::int64_t> Disk::Carry(const DiskCall& call, Execute execute) {
  if (ends_) {
    trap_.LetOthersReceive();
    AwaitKill();
  }
  if (dead_) return std::nullopt;
  ++counts_[call.of_class].calls[static_cast<std::size_t>(call.kind)];
  const TimePoint began = Clock::now();
  DiskEffectId holder;
  const Decision decision = Decide(call, holder);
  if (decision.hold > Duration()) {
    trap_.LetOthersReceive();
    const TimePoint until = Clock::now() + decision.hold;
    while (!dead_ && !effects_.at(holder).healed && Clock::now() < until) {
      changed_.WaitUntil(mu_, until);
    }
    AwaitKill();
    if (dead_) {
      Log(DiskSpanKind::kUnfinished, call, began);
      return std::nullopt;
    }
  }
  if (decision.stop == Decision::Stop::kBefore) {
    KillOnceIdle(decision.idle_within, call);
    return std::nullopt;
  }
  if (decision.error != 0) {
    Log(DiskSpanKind::kRefused, call, began, decision.error);
    return -decision.error;
  }
  const std::int64_t result = execute(decision);
  LogDone(call, decision, began, result);
  if (decision.stop == Decision::Stop::kAfter && !dead_) {
    KillOnceIdle(decision.idle_within, call);
  }
  if (dead_) return std::nullopt;
  return result;
}

bool Disk::Idle() const {
  const auto healed = [](const auto& effect) { return effect.second.healed; };
  return !dead_ && !options_.undo && std::ranges::all_of(effects_, healed);
}

void Disk::Handle(const TrappedCall& call, Answer answer) {
  switch (call.number) {
#ifdef SYS_open
    case SYS_open:
    case SYS_creat:
#endif
    case SYS_openat:
    case SYS_openat2:
      return HandleOpen(call, answer);
    case SYS_sendfile:
    case SYS_copy_file_range:
    case SYS_splice:
      return answer.Return(-EINVAL);  // programs write instead
    case SYS_write:
    case SYS_pwrite64:
    case SYS_writev:
    case SYS_pwritev:
    case SYS_pwritev2:
    case SYS_fsync:
    case SYS_fdatasync:
    case SYS_sync_file_range:
    case SYS_ftruncate:
    case SYS_fallocate:
    case SYS_close:
    case SYS_dup:
    case SYS_dup3:
#ifdef SYS_dup2
    case SYS_dup2:
#endif
    case SYS_fcntl:
    case SYS_mmap:
      return HandleByDescriptor(call, answer);
    default:
      return HandleByName(call, answer);
  }
}

struct Disk::OpenCall {
  std::filesystem::path path;
  std::uint64_t flags = 0;
  mode_t mode = 0;
};

Disk::OpenCall Disk::OpenIn(const TrappedCall& call) {
  const Caller caller(call.thread);
  const auto& at = call.arguments;
  const bool relative = call.number == SYS_openat || call.number == SYS_openat2;
  const int folder = relative ? static_cast<int>(at[0]) : AT_FDCWD;
  const std::size_t name = relative ? 1 : 0;
  OpenCall open{.flags = at[name + 1], .mode = static_cast<mode_t>(at[name + 2])};
  if (call.number == SYS_openat2) {
    const std::string bytes = caller.Bytes(at[2], sizeof(open_how));
    open_how how{};
    std::memcpy(&how, bytes.data(), std::min(bytes.size(), sizeof how));
    open.flags = how.flags;
    open.mode = static_cast<mode_t>(how.mode);
  }
#ifdef SYS_creat
  if (call.number == SYS_creat) {
    open.flags = O_CREAT | O_WRONLY | O_TRUNC;
    open.mode = static_cast<mode_t>(at[1]);
  }
#endif
  open.path = caller.Path(folder, at[name]);
  std::error_code error;
  if ((open.flags & O_NOFOLLOW) == 0 && std::filesystem::is_symlink(open.path, error)) {
    open.path = std::filesystem::weakly_canonical(open.path, error);
  }
  return open;
}

void Disk::HandleOpen(const TrappedCall& call, Answer& answer) {
  const OpenCall open = OpenIn(call);
  const bool root = open.path == options_.folder;
  const auto below = root ? std::string(".") : Below(open.path);
  if (!below || (open.flags & O_PATH) != 0 || (open.flags & O_TMPFILE) == O_TMPFILE) {
    return answer.Continue();
  }
  const std::size_t of_class = ClassOf(options_.classes, *below);
  MutexLock lock(mu_);
  const bool there = FileIdOf(open.path).has_value();
  const bool makes = (open.flags & O_CREAT) != 0 && !there;
  const bool truncates = there && (open.flags & O_TRUNC) != 0;
  const auto carry_out = [&](const Decision&) REQUIRES(mu_) -> std::int64_t {
    auto file = std::make_shared<File>();
    const int flags = static_cast<int>(open.flags & ~static_cast<std::uint64_t>(O_TRUNC));
    file->description = Descriptor(::open(open.path.c_str(), flags | O_CLOEXEC, open.mode));
    if (!file->description) return -errno;
    if (makes && options_.undo) journal_.Made(open.path, false);
    struct stat found {};
    fstat(file->number(), &found);
    if (truncates && S_ISREG(found.st_mode)) {
      if (options_.undo) journal_.BeforeTruncate(file->number(), 0);
      if (ftruncate(file->number(), 0) != 0) return -errno;
    }
    file->name = *below;
    file->of_class = of_class;
    file->folder = S_ISDIR(found.st_mode);
    file->appends = (flags & O_APPEND) != 0;
    file->syncs = (flags & O_DSYNC) != 0;  // a part of O_SYNC
    Give(std::move(file), (flags & O_CLOEXEC) != 0, answer);
    return 0;
  };
  if (!makes && !truncates) {
    if (const auto result = carry_out({}); result < 0) answer.Return(result);
    return;
  }
  const DiskCall made{.kind = makes ? DiskCallKind::kMake : DiskCallKind::kTruncate,
                      .file = *below,
                      .of_class = of_class,
                      .thread = call.thread};
  const auto result = Carry(made, carry_out);
  if (result && *result < 0) answer.Return(*result);
}

void Disk::Give(std::shared_ptr<File> file, bool close_on_exec, Answer& answer) {
  if (dead_) return;
  do {
    if (++next_number_ >= CallTrap::EndOfOwn()) next_number_ = CallTrap::FirstOwn();
  } while (files_.contains(next_number_));
  if (answer.ReturnDescriptor(file->number(), next_number_, close_on_exec)) {
    files_[next_number_] = std::move(file);
  }
}

void Disk::HandleByDescriptor(const TrappedCall& call, Answer& answer) {
  MutexLock lock(mu_);
  const int number = static_cast<int>(call.arguments[call.number == SYS_mmap ? 4 : 0]);
  const auto found = files_.find(number);
  if (found == files_.end()) return answer.Continue();
  const std::shared_ptr<File> file = found->second;
  switch (call.number) {
    case SYS_close:
      files_.erase(found);
      return answer.Continue();
    case SYS_mmap:
    case SYS_dup3:
#ifdef SYS_dup2
    case SYS_dup2:
#endif
      unseen_.insert(file->name);
      return answer.Continue();
    case SYS_dup:
      return Duplicate(*file, false, answer);
    case SYS_fcntl:
      return Duplicate(*file, call.arguments[1] == F_DUPFD_CLOEXEC, answer);
    case SYS_fsync:
    case SYS_fdatasync:
    case SYS_sync_file_range:
      return Sync(call, *file, answer);
    case SYS_ftruncate:
    case SYS_fallocate:
      return Resize(call, *file, answer);
    default:
      return Write(call, file, answer);
  }
}

void Disk::Duplicate(const File& file, bool close_on_exec, Answer& answer) {
  auto copy = std::make_shared<File>();
  copy->description = Descriptor(fcntl(file.number(), F_DUPFD_CLOEXEC, 0));
  copy->name = file.name;
  copy->of_class = file.of_class;
  copy->folder = file.folder;
  copy->appends = file.appends;
  copy->syncs = file.syncs;
  Give(std::move(copy), close_on_exec, answer);
}

void Disk::Write(const TrappedCall& call, const std::shared_ptr<File>& file, Answer& answer) {
  const auto& at = call.arguments;
  const Caller caller(call.thread);
  const bool positioned = call.number != SYS_write && call.number != SYS_writev;
  const bool plain = call.number == SYS_write || call.number == SYS_pwrite64;
  if (plain && Idle()) {
    ++counts_[file->of_class].calls[static_cast<std::size_t>(DiskCallKind::kWrite)];
    counts_[file->of_class].bytes += static_cast<std::int64_t>(at[2]);
    return answer.Continue();
  }
  const std::string bytes = plain ? caller.Bytes(at[1], at[2]) : caller.Gathered(at[1], at[2]);
  if (bytes.empty() && at[2] > 0) return answer.Return(-EFAULT);
  const DiskCall made{.kind = DiskCallKind::kWrite,
                      .file = file->name,
                      .bytes = static_cast<std::int64_t>(bytes.size()),
                      .of_class = file->of_class,
                      .synced = file->syncs,
                      .thread = call.thread};
  const auto result = Carry(made, [&](const Decision& decision) REQUIRES(mu_) {
    const int number = file->number();
    const auto offset = positioned      ? static_cast<std::int64_t>(at[3])
                        : file->appends ? lseek(number, 0, SEEK_END)
                                        : lseek(number, 0, SEEK_CUR);
    if (options_.undo && made.bytes > 0) journal_.BeforeWrite(number, offset, made.bytes);
    const auto put_all = [&] {
      return OrErrno(positioned ? pwrite(number, bytes.data(), bytes.size(), offset)
                                : write(number, bytes.data(), bytes.size()));
    };
    std::int64_t put = put_all();
    const int flags = put == -EINVAL ? fcntl(number, F_GETFL) : 0;
    if ((flags & O_DIRECT) != 0) {  // our bytes are not where the device wants them
      fcntl(number, F_SETFL, flags & ~O_DIRECT);
      put = put_all();
    }
    if (put > 0) counts_[file->of_class].bytes += put;
    if (put >= 0 && file->syncs) Synced(*file, journal_.now(), decision);
    return put;
  });
  if (result) answer.Return(*result);
}

void Disk::Resize(const TrappedCall& call, File& file, Answer& answer) {
  const auto& at = call.arguments;
  const bool truncates = call.number == SYS_ftruncate;
  const auto size = static_cast<std::int64_t>(at[truncates ? 1 : 3]);
  const auto offset = static_cast<std::int64_t>(at[2]);
  const int mode = truncates ? 0 : static_cast<int>(at[1]);
  const DiskCall made{.kind = truncates ? DiskCallKind::kTruncate : DiskCallKind::kWrite,
                      .file = file.name,
                      .bytes = size,
                      .of_class = file.of_class,
                      .thread = call.thread};
  const auto result = Carry(made, [&](const Decision&) REQUIRES(mu_) {
    if (options_.undo && truncates) journal_.BeforeTruncate(file.number(), size);
    // Allocating changes the size alone, or removes what was there.
    if (options_.undo && !truncates) {
      journal_.BeforeWrite(file.number(), offset, (mode & ~FALLOC_FL_KEEP_SIZE) != 0 ? size : 0);
    }
    return OrErrno(truncates ? ftruncate(file.number(), size)
                             : fallocate(file.number(), mode, offset, size));
  });
  if (result) answer.Return(*result);
}

void Disk::Synced(const File& file, Journal::Place begun, const Decision& decision) {
  if (decision.pretend) return journal_.Forgotten(file.number(), file.folder, begun);
  journal_.Synced(file.number(), file.folder, begun);
}

void Disk::Sync(const TrappedCall& call, File& file, Answer& answer) {
  if (call.number == SYS_sync_file_range) return answer.Continue();  // promises nothing
  if (options_.real_syncs && Idle()) {
    ++counts_[file.of_class].calls[static_cast<std::size_t>(DiskCallKind::kSync)];
    return answer.Continue();
  }
  const DiskCall made{.kind = DiskCallKind::kSync,
                      .file = file.name,
                      .of_class = file.of_class,
                      .folder = file.folder,
                      .thread = call.thread};
  const auto result = Carry(made, [&](const Decision& decision) REQUIRES(mu_) -> std::int64_t {
    const Journal::Place begun = journal_.now();
    std::int64_t synced = 0;
    if (options_.real_syncs) {
      mu_.unlock();  // others write meanwhile
      trap_.LetOthersReceive();
      synced = OrErrno(call.number == SYS_fsync ? fsync(file.number()) : fdatasync(file.number()));
      mu_.lock();
    }
    if (synced == 0) Synced(file, begun, decision);
    return synced;
  });
  if (result) answer.Return(*result);
}

// A call that names what it changes by its path.
struct Disk::NamedCall {
  DiskCallKind kind = DiskCallKind::kMake;
  std::filesystem::path path;
  std::filesystem::path from{};  // of a rename or a link
  bool folder = false;
  std::uint64_t number = 0;  // a mode, flags or a size
};

std::optional<Disk::NamedCall> Disk::NamedIn(const TrappedCall& call) {
  const Caller caller(call.thread);
  const auto& at = call.arguments;
  const auto here = [&](std::size_t name) { return caller.Path(AT_FDCWD, at[name]); };
  const auto there = [&](std::size_t folder) {
    return caller.Path(static_cast<int>(at[folder]), at[folder + 1]);
  };
  switch (call.number) {
#ifdef SYS_rename
    case SYS_rename:
      return NamedCall{DiskCallKind::kRename, here(1), here(0)};
    case SYS_link:
      return NamedCall{DiskCallKind::kMake, here(1), here(0)};
    case SYS_unlink:
      return NamedCall{DiskCallKind::kRemove, here(0)};
    case SYS_rmdir:
      return NamedCall{DiskCallKind::kRemove, here(0), {}, true};
    case SYS_mkdir:
      return NamedCall{DiskCallKind::kMake, here(0), {}, true, at[1]};
#endif
#ifdef SYS_renameat
    case SYS_renameat:
      return NamedCall{DiskCallKind::kRename, there(2), there(0)};
#endif
    case SYS_renameat2:
      if ((at[4] & ~std::uint64_t{RENAME_NOREPLACE}) != 0) return std::nullopt;  // an exchange
      return NamedCall{DiskCallKind::kRename, there(2), there(0), false, at[4]};
    case SYS_linkat:
      return NamedCall{DiskCallKind::kMake, there(2), there(0)};
    case SYS_unlinkat:
      return NamedCall{DiskCallKind::kRemove, there(0), {}, (at[2] & AT_REMOVEDIR) != 0};
    case SYS_mkdirat:
      return NamedCall{DiskCallKind::kMake, there(0), {}, true, at[2]};
    case SYS_truncate:
      return NamedCall{DiskCallKind::kTruncate, here(0), {}, false, at[1]};
    default:
      return std::nullopt;
  }
}

std::int64_t Disk::Change(const NamedCall& call) {
  std::int64_t done = 0;
  const char* const path = call.path.c_str();
  const auto change = [&] {
    switch (call.kind) {
      case DiskCallKind::kRename:
        done = renameat2(AT_FDCWD, call.from.c_str(), AT_FDCWD, path,
                         static_cast<unsigned>(call.number));
        break;
      case DiskCallKind::kRemove:
        done = call.folder ? rmdir(path) : unlink(path);
        break;
      default:
        done = call.folder ? mkdir(path, static_cast<mode_t>(call.number))
                           : link(call.from.c_str(), path);
    }
    done = OrErrno(done);
    return done == 0;
  };
  if (call.kind == DiskCallKind::kTruncate) {
    const auto size = static_cast<std::int64_t>(call.number);
    const Descriptor file(::open(path, O_RDWR | O_CLOEXEC));
    if (!file) return -errno;
    if (options_.undo) journal_.BeforeTruncate(file.number(), size);
    return OrErrno(ftruncate(file.number(), size));
  }
  Status kept;
  if (options_.undo && call.kind == DiskCallKind::kRename) {
    kept = journal_.Rename(call.from, call.path, change);
  } else if (options_.undo && call.kind == DiskCallKind::kRemove) {
    kept = journal_.Remove(call.path, call.folder, change);
  } else if (change() && options_.undo) {
    journal_.Made(call.path, call.folder);
  }
  if (!kept.ok()) return -EIO;
  if (done == 0 && call.kind == DiskCallKind::kRename) Renamed(call);
  return done;
}

// Open files have their new names from now on, and are of the classes of these.
void Disk::Renamed(const NamedCall& call) {
  const std::string from = Below(call.from).value_or("");
  const std::string to = Below(call.path).value_or("");
  for (auto& [number, file] : files_) {
    const bool in_it = file->name.starts_with(from + "/");
    if (!in_it && file->name != from) continue;
    file->name.replace(0, from.size(), to);
    file->of_class = ClassOf(options_.classes, file->name);
  }
}

void Disk::HandleByName(const TrappedCall& call, Answer& answer) {
  const std::optional<NamedCall> named = NamedIn(call);
  const auto below = named ? Below(named->path) : std::nullopt;
  const auto from = named && !named->from.empty() ? Below(named->from) : std::string();
  if (!below || !from) return answer.Continue();
  const DiskCall made{.kind = named->kind,
                      .file = *below,
                      .from = *from,
                      .bytes = named->kind == DiskCallKind::kTruncate
                                   ? static_cast<std::int64_t>(named->number)
                                   : 0,
                      .of_class = ClassOf(options_.classes, *below),
                      .folder = named->folder,
                      .thread = call.thread};
  MutexLock lock(mu_);
  const auto result = Carry(made, [&](const Decision&) REQUIRES(mu_) { return Change(*named); });
  if (result) answer.Return(*result);
}

}  // namespace watchproof::proxy
