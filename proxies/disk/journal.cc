// SPDX-License-Identifier: Apache-2.0
#include "proxies/disk/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <set>

#include "harness/base/prng.h"

namespace watchproof::proxy {
namespace {

constexpr std::int64_t kBlock = 65536;
constexpr std::int64_t kSector = 512;

std::int64_t SizeOf(int file) {
  struct stat found {};
  return fstat(file, &found) == 0 ? found.st_size : 0;
}

std::string ReadAt(int file, std::int64_t offset, std::int64_t size) {
  std::string bytes(static_cast<std::size_t>(size), '\0');
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t got = pread(file, bytes.data() + have, bytes.size() - have,
                              offset + static_cast<std::int64_t>(have));
    if (got <= 0) break;
    have += static_cast<std::size_t>(got);
  }
  bytes.resize(have);
  return bytes;
}

void WriteAt(int file, std::int64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = pwrite(file, bytes.data(), bytes.size(), offset);
    if (put <= 0) return;
    offset += put;
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
}

bool AllZero(std::string_view bytes) {
  return std::ranges::all_of(bytes, [](char byte) { return byte == 0; });
}

// What is in a folder that was never made is gone with it, synced or not.
Status RemoveAll(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::remove_all(path, error);
  return error ? FromErrorCode(error).WithContext("{}: removing it", path.string()) : Status();
}

std::string Counted(std::int64_t number, std::string_view thing) {
  return fmt::format("{} {}{}", number, thing, number == 1 ? "" : "s");
}

}  // namespace

std::optional<FileId> FileIdOf(int descriptor) {
  struct stat found {};
  if (fstat(descriptor, &found) != 0) return std::nullopt;
  return FileId{found.st_dev, found.st_ino};
}

std::optional<FileId> FileIdOf(const std::filesystem::path& path) {
  struct stat found {};
  if (lstat(path.c_str(), &found) != 0) return std::nullopt;
  return FileId{found.st_dev, found.st_ino};
}

Journal::Journal(std::filesystem::path folder, std::filesystem::path store)
    : folder_(std::move(folder)), store_(std::move(store)) {
  std::error_code ignored;
  std::filesystem::remove_all(store_, ignored);  // of one that was killed
}

Journal::~Journal() {
  std::error_code ignored;
  std::filesystem::remove_all(store_, ignored);
}

std::string Journal::Relative(const std::filesystem::path& path) const {
  return path.lexically_relative(folder_).string();
}

void Journal::BeforeWrite(int file, std::int64_t offset, std::int64_t size) {
  Content content{.offset = offset, .size_before = SizeOf(file), .length = size};
  Save(content, file);
}

void Journal::BeforeTruncate(int file, std::int64_t size) {
  Content content{.offset = size, .size_before = SizeOf(file)};
  if (content.size_before == size) return;
  content.length = std::max<std::int64_t>(0, content.size_before - size);
  Save(content, file);
}

void Journal::Save(Content& content, int file) {
  const auto id = FileIdOf(file);
  if (!id) return;
  content.file = *id;
  Open& open = open_[*id];
  if (!open.descriptor) {
    const std::string own = fmt::format("/proc/self/fd/{}", file);
    open.descriptor = Descriptor(::open(own.c_str(), O_RDWR | O_CLOEXEC));
    std::error_code error;
    open.name = Relative(std::filesystem::read_symlink(own, error));
  }
  const std::int64_t end = std::min(content.offset + content.length, content.size_before);
  for (std::int64_t at = content.offset; at < end; at += kBlock) {
    std::string old = ReadAt(open.descriptor.number(), at, std::min(kBlock, end - at));
    if (!AllZero(old)) content.old.emplace_back(at, std::move(old));
  }
  contents_[*id].push_back(next_);
  records_[next_++] = {.at = Clock::now(), .content = std::move(content)};
}

std::shared_ptr<Descriptor> Journal::OpenFolder(const std::filesystem::path& path) const {
  return std::make_shared<Descriptor>(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

Result<Journal::Entry> Journal::EntryAt(const std::filesystem::path& path) const {
  Entry entry{.folder = OpenFolder(path.parent_path()), .name = path.filename().string()};
  const auto in = FileIdOf(entry.folder->number());
  if (!in) return FromErrno(ENOENT).WithContext("{}: its folder", path.string());
  entry.in = *in;
  entry.file = FileIdOf(path).value_or(FileId());
  return entry;
}

void Journal::Made(const std::filesystem::path& path, bool folder) {
  auto entry = EntryAt(path);
  if (!entry.has_value()) return;
  entry->kind = folder ? Entry::Kind::kMadeFolder : Entry::Kind::kMade;
  Enter(std::move(entry).value());
}

void Journal::Enter(Entry entry) {
  entries_.insert(next_);
  records_[next_++] = {.at = Clock::now(), .entry = std::move(entry)};
}

Result<std::string> Journal::Store(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(store_, error);
  std::string name = fmt::format("{}", ++stored_);
  if (!error) std::filesystem::create_hard_link(path, store_ / name, error);
  if (error) {
    return FromErrorCode(error).WithContext("{}: keeping {}", store_.string(), path.string());
  }
  return name;
}

Status Journal::Rename(const std::filesystem::path& from, const std::filesystem::path& to,
                       const std::function<bool()>& change) {
  auto before = EntryAt(from);
  auto after = EntryAt(to);
  if (!before.has_value() || !after.has_value()) {
    change();
    return {};
  }
  std::string stored;
  if (after->file != FileId() && std::filesystem::is_regular_file(to)) {
    WP_ASSIGN_OR_RETURN(stored, Store(to));
  }
  if (!change()) return {};
  after->kind = Entry::Kind::kRenamed;
  after->file = before->file;
  after->from_in = before->in;
  after->from_folder = before->folder;
  after->from = before->name;
  after->stored = std::move(stored);
  Enter(std::move(after).value());
  return {};
}

Status Journal::Remove(const std::filesystem::path& path, bool folder,
                       const std::function<bool()>& change) {
  auto entry = EntryAt(path);
  if (!entry.has_value() || entry->file == FileId()) {
    change();
    return {};
  }
  entry->kind = folder ? Entry::Kind::kRemovedFolder : Entry::Kind::kRemoved;
  if (folder) {
    struct stat found {};
    lstat(path.c_str(), &found);
    entry->mode = found.st_mode & 07777U;
  } else {
    WP_ASSIGN_OR_RETURN(entry->stored, Store(path));
  }
  if (change()) Enter(std::move(entry).value());
  return {};
}

void Journal::Drop(Place entry) {
  const auto record = records_.find(entry);
  if (const std::string& stored = record->second.entry->stored; !stored.empty()) {
    std::error_code ignored;
    std::filesystem::remove(store_ / stored, ignored);
  }
  records_.erase(record);
  entries_.erase(entry);
}

void Journal::KeepFolders(FileId folder, Place begun) {
  for (const Place place : entries_) {
    if (place >= begun) return;
    const Entry& entry = *records_.at(place).entry;
    if (entry.kind != Entry::Kind::kMadeFolder || entry.file != folder) continue;
    const FileId above = entry.in;
    Drop(place);
    return KeepFolders(above, begun);
  }
}

bool Journal::Keeps(FileId file, bool folder, const Entry& entry) {
  const bool of_it = entry.file == file && entry.kind != Entry::Kind::kRemoved;
  return of_it || (folder && (entry.in == file || entry.from_in == file));
}

void Journal::Forgotten(int file, bool folder, Place begun) {
  const auto id = FileIdOf(file);
  if (!id) return;
  if (const auto written = contents_.find(*id); written != contents_.end()) {
    for (auto at = written->second.rbegin(); at != written->second.rend(); ++at) {
      if (*at >= begun) continue;
      if (std::exchange(records_.at(*at).forgotten, true)) break;  // and so were those before it
    }
  }
  for (const Place place : entries_) {
    Record& record = records_.at(place);
    if (place < begun && Keeps(*id, folder, *record.entry)) record.forgotten = true;
  }
}

bool Journal::HasForgotten() const {
  return std::ranges::any_of(records_, [](const auto& one) { return one.second.forgotten; });
}

void Journal::Synced(int file, bool folder, Place begun) {
  const auto id = FileIdOf(file);
  if (!id) return;
  if (const auto written = contents_.find(*id); written != contents_.end()) {
    std::vector<Place>& places = written->second;
    const auto durable = std::ranges::lower_bound(places, begun);
    for (auto at = places.begin(); at != durable; ++at) records_.erase(*at);
    places.erase(places.begin(), durable);
    if (places.empty()) {
      contents_.erase(written);
      open_.erase(*id);
    }
  }
  std::set<FileId> above;
  for (auto at = entries_.begin(); at != entries_.end() && *at < begun;) {
    const Place place = *at++;
    const Entry& entry = *records_.at(place).entry;
    if (!Keeps(*id, folder, entry)) continue;
    above.insert(entry.in);
    Drop(place);
  }
  if (folder) above.insert(*id);
  for (const FileId& one : above) KeepFolders(one, begun);
}

std::string Journal::NameOf(const Entry& entry) const {
  std::error_code error;
  const auto in =
      std::filesystem::read_symlink(fmt::format("/proc/self/fd/{}", entry.folder->number()), error);
  return Relative(in / entry.name);
}

void Journal::Moved(FileId folder, Descriptor there) {
  const auto now = std::make_shared<Descriptor>(std::move(there));
  for (auto& [place, record] : records_) {
    if (!record.entry) continue;
    if (record.entry->in == folder) record.entry->folder = now;
    if (record.entry->from_in == folder) record.entry->from_folder = now;
  }
}

Status Journal::Undo(const Entry& entry) {
  const int folder = entry.folder->number();
  const char* const name = entry.name.c_str();
  int failed = 0;
  switch (entry.kind) {
    case Entry::Kind::kMade:
      failed = unlinkat(folder, name, 0);
      break;
    case Entry::Kind::kMadeFolder:
      return RemoveAll(fmt::format("/proc/self/fd/{}/{}", folder, name));
    case Entry::Kind::kRenamed:
      failed = renameat(folder, name, entry.from_folder->number(), entry.from.c_str());
      break;
    case Entry::Kind::kRemoved:
      break;
    case Entry::Kind::kRemovedFolder:
      failed = mkdirat(folder, name, entry.mode);
      // What was removed from it before comes back into the new one.
      if (failed == 0) Moved(entry.file, Descriptor(openat(folder, name, O_PATH | O_CLOEXEC)));
      break;
  }
  if (failed == 0 && !entry.stored.empty()) {
    failed = renameat(AT_FDCWD, (store_ / entry.stored).c_str(), folder, name);
  }
  // What was made in a folder that stays removed is gone with it.
  if (failed == 0 || errno == ENOENT) return {};
  return FromErrno(errno).WithContext("{}: taking it back", NameOf(entry));
}

// One power failure, from the newest change to the oldest.
struct Journal::Failure {
  Failure(Journal& of, const Kept& what) : journal(of), kept(what), prng(what.seed) {
    // A journalling file system keeps changes of entries in their order.
    if (kept.torn) {
      entries_kept = journal.next_;
    } else if (kept.chance > 0) {
      const auto below = static_cast<double>(prng.Below(journal.next_));
      entries_kept = 1 + static_cast<Place>(below * kept.chance);
    }
    for (const auto& [place, record] : journal.records_) {
      if (!record.entry || place < entries_kept) continue;
      if (record.entry->kind == Entry::Kind::kMade) made.insert(record.entry->file);
      const bool removed = record.entry->kind == Entry::Kind::kRemoved;
      if (removed && made.contains(record.entry->file)) fleeting.insert(record.entry->file);
    }
  }

  Status TakeBack(const Entry& entry) {
    const std::string name = journal.NameOf(entry);
    WP_RETURN_IF_ERROR(journal.Undo(entry));
    if (fleeting.contains(entry.file)) return {};
    ++taken;
    ++loss.entries;
    switch (entry.kind) {
      case Entry::Kind::kMade:
      case Entry::Kind::kMadeFolder:
        lines.push_back(name + ": was never made");
        break;
      case Entry::Kind::kRenamed:
        lines.push_back(
            fmt::format("{}: back to its name {}{}", name, entry.from,
                        entry.stored.empty() ? "" : ", and the file before it is back"));
        break;
      default:
        lines.push_back(name + ": was never removed");
    }
    return {};
  }

  Status TakeBack(const Content& content) {
    const Open& open = journal.open_.at(content.file);
    const int file = open.descriptor.number();
    const std::int64_t size = SizeOf(file);
    const std::int64_t end = std::min(content.offset + content.length, size);
    const std::int64_t kept_bytes = KeepSome(content, file, end);
    // Newer changes were taken back already.
    if (content.size_before != size && ftruncate(file, content.size_before) != 0) {
      return FromErrno(errno).WithContext("{}: its size", open.name);
    }
    PutBack(content, file);
    const std::int64_t gone = std::max<std::int64_t>(0, end - content.offset) - kept_bytes;
    if (fleeting.contains(content.file) || (gone == 0 && kept_bytes > 0)) return {};
    ++taken;
    Lost& of_file = lost[content.file];
    ++of_file.writes;
    of_file.bytes += gone;
    return {};
  }

  // How many bytes of it are kept, as they are now.
  std::int64_t KeepSome(const Content& content, int file, std::int64_t end) {
    if (!kept.torn && kept.chance == 0) return 0;
    const bool newest = std::exchange(is_newest, false);
    const std::int64_t unit = kept.torn ? kSector : kept.unit;
    const std::int64_t sectors = std::max<std::int64_t>(1, content.length / kSector);
    const auto within = static_cast<std::int64_t>(prng.Below(static_cast<std::uint64_t>(sectors)));
    const std::int64_t torn_at = content.offset + kSector * within;
    std::int64_t bytes = 0;
    for (std::int64_t from = content.offset; from < end;) {
      const std::int64_t to = std::min(end, from - from % unit + unit);
      const bool keep = kept.torn ? !newest || to <= torn_at : prng.Chance(kept.chance);
      if (keep) again.push_back({file, from, ReadAt(file, from, to - from)});
      if (keep) bytes += to - from;
      from = to;
    }
    return bytes;
  }

  static void PutBack(const Content& content, int file) {
    const std::int64_t end = std::min(content.offset + content.length, content.size_before);
    std::int64_t zero_from = content.offset;
    const auto zeros = [&](std::int64_t to) {
      if (to <= zero_from) return;
      WriteAt(file, zero_from, std::string(static_cast<std::size_t>(to - zero_from), '\0'));
    };
    for (const auto& [offset, bytes] : content.old) {
      zeros(offset);
      WriteAt(file, offset, bytes);
      zero_from = offset + static_cast<std::int64_t>(bytes.size());
    }
    zeros(end);
  }

  Loss Conclude() {
    for (auto at = again.rbegin(); at != again.rend(); ++at) {
      WriteAt(at->file, at->offset, at->bytes);
    }
    for (const auto& [file, what] : lost) {
      loss.writes += what.writes;
      loss.bytes += what.bytes;
      if (made.contains(file)) continue;  // it is not there at all
      loss.lines.push_back(fmt::format("{}: {}, {}", journal.open_.at(file).name,
                                       Counted(what.writes, "write"), Counted(what.bytes, "byte")));
    }
    loss.lines.insert(loss.lines.end(), lines.rbegin(), lines.rend());
    return loss;
  }

  struct Redo {
    int file = -1;
    std::int64_t offset = 0;
    std::string bytes;
  };
  struct Lost {
    std::int64_t writes = 0;
    std::int64_t bytes = 0;
  };

  Journal& journal;
  const Kept& kept;
  Prng prng;
  Place entries_kept = 0;
  std::set<FileId> made;      // since the last sync, and nothing of it is durable
  std::set<FileId> fleeting;  // of these, those that were removed again
  std::vector<Redo> again;    // newest first
  std::map<FileId, Lost> lost;
  std::size_t taken = 0;           // changes, of contents or entries
  std::vector<std::string> lines;  // newest first
  bool is_newest = true;           // the next contents are
  Loss loss;
};

Result<Loss> Journal::LosePower(const Kept& kept) {
  Failure failure(*this, kept);
  const bool keeps_all = !kept.torn && kept.chance >= 1;
  bool kept_file_lost = false;
  for (auto at = records_.rbegin(); at != records_.rend() && !keeps_all; ++at) {
    const auto& [when, content, entry, forgotten] = at->second;
    if (entry && at->first < failure.entries_kept) continue;
    const std::size_t before = failure.taken;
    WP_RETURN_IF_ERROR(content ? failure.TakeBack(*content) : failure.TakeBack(*entry));
    if (failure.taken == before) continue;
    failure.loss.forgotten += forgotten ? 1 : 0;
    const bool of_kept_file = content && !failure.made.contains(content->file);
    if (of_kept_file || !kept_file_lost) failure.loss.oldest = when;
    kept_file_lost = kept_file_lost || of_kept_file;
  }
  Loss loss = failure.Conclude();
  KeepAll();
  return loss;
}

void Journal::KeepAll() {
  records_.clear();
  contents_.clear();
  entries_.clear();
  open_.clear();
  std::error_code ignored;
  std::filesystem::remove_all(store_, ignored);
}

}  // namespace watchproof::proxy
