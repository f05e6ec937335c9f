// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/run_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "harness/base/log.h"
#include "harness/base/prng.h"
#include "harness/report/utc.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

constexpr char kLockFile[] = "lock";

// True when the process that locked the folder has ended. Process ids do not help: they are reused.
bool OwnerIsGone(const fs::path& folder) {
  const int fd = open((folder / kLockFile).c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return false;  // the run ended normally, or the folder is not a run's
  const bool gone = flock(fd, LOCK_EX | LOCK_NB) == 0;
  close(fd);
  return gone;
}

// cases/<target>/<case>/<attempt>/tmp
void RemoveTemporaries(const fs::path& run) {
  std::error_code error;
  fs::recursive_directory_iterator at(run / "cases", error);
  for (const fs::recursive_directory_iterator end; !error && at != end; at.increment(error)) {
    if (at.depth() != 3) continue;
    at.disable_recursion_pending();
    if (at->path().filename() == "tmp") {
      std::error_code ignored;
      fs::remove_all(at->path(), ignored);
    }
  }
}

void SweepDeadRuns(const fs::path& run_dir) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(run_dir, error)) {
    if (entry.is_symlink() || !entry.is_directory() || !OwnerIsGone(entry.path())) continue;
    LogInfo("cleaning up after an ended run", {{"run", entry.path().filename().string()}});
    RemoveTemporaries(entry.path());
    fs::remove(entry.path() / kLockFile, error);
  }
}

Status WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return FromErrno(errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

// Moves the link in one step, so that `latest` always points at a run.
void PointLatest(const fs::path& run_dir, const std::string& id) {
  const fs::path aside = run_dir / fmt::format(".latest.{}", getpid());
  std::error_code error;
  fs::remove(aside, error);
  fs::create_directory_symlink(id, aside, error);
  if (!error) fs::rename(aside, run_dir / "latest", error);
  if (error) {
    LogWarn("the link to the latest run was not moved", {{"why", error.message()}});
    fs::remove(aside, error);
  }
}

}  // namespace

Result<RunFolder> RunFolder::Create(const fs::path& run_dir, std::string_view seed,
                                    std::int64_t utc) {
  std::error_code error;
  fs::create_directories(run_dir, error);
  if (error || !fs::is_directory(run_dir, error)) {
    return FromErrorCode(error ? error : std::make_error_code(std::errc::not_a_directory))
        .WithContext("run folder '{}' cannot be made", run_dir.string());
  }
  SweepDeadRuns(run_dir);
  RunFolder folder;
  folder.run_dir_ = run_dir;
  const std::string_view digits = seed.starts_with("0x") ? seed.substr(2) : seed;
  const std::string name = fmt::format("{}-{}", FormatStamp(utc), digits);
  for (int n = 1; folder.path_.empty(); ++n) {
    const fs::path candidate =
        fs::absolute(run_dir) / (n == 1 ? name : fmt::format("{}-{}", name, n));
    const bool made = fs::create_directory(candidate, error);
    if (error) {
      return FromErrorCode(error).WithContext("run folder '{}' cannot be written to",
                                              run_dir.string());
    }
    if (made) folder.path_ = candidate;
  }
  folder.lock_ = open((folder.path_ / kLockFile).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (folder.lock_ < 0 || flock(folder.lock_, LOCK_EX) != 0) {
    return FromErrno(errno).WithContext("run folder '{}' cannot be locked", folder.path_.string());
  }
  if (Status locked = WriteAll(folder.lock_, fmt::format("{}\n", getpid())); !locked.ok()) {
    return std::move(locked).WithContext("run folder '{}' cannot be written to",
                                         folder.path_.string());
  }
  PointLatest(run_dir, folder.id());
  return folder;
}

RunFolder::RunFolder(RunFolder&& other) noexcept
    : run_dir_(std::move(other.run_dir_)),
      path_(std::move(other.path_)),
      lock_(std::exchange(other.lock_, -1)),
      target_folders_(std::move(other.target_folders_)) {}

RunFolder::~RunFolder() {
  if (lock_ < 0) return;
  std::error_code error;
  fs::remove(path_ / kLockFile, error);
  close(lock_);
}

std::string RunFolder::TargetFolder(const TargetSpec& target) {
  const auto known = target_folders_.find(target.text);
  if (known != target_folders_.end()) return known->second;
  // A command line is too long for the name of a folder, its label is not.
  std::string name = PathComponent(target.Label());
  const auto same = [&](const auto& entry) { return entry.second == name; };
  while (std::any_of(target_folders_.begin(), target_folders_.end(), same)) name += '_';
  return target_folders_.emplace(target.text, name).first->second;
}

Result<AttemptFolder> RunFolder::MakeAttempt(const TargetSpec& target, const std::string& case_name,
                                             int attempt) {
  AttemptFolder made;
  made.relative =
      fmt::format("cases/{}/{}/{}", TargetFolder(target), PathComponent(case_name), attempt);
  made.absolute = path_ / made.relative;
  made.temporary = made.absolute / "tmp";
  std::error_code error;
  fs::create_directories(made.temporary, error);
  if (error) return FromErrorCode(error).WithContext("folder '{}'", made.temporary.string());
  return made;
}

void RunFolder::FinishAttempt(const AttemptFolder& attempt, KeepHistory keep) {
  std::error_code error;
  fs::remove_all(attempt.temporary, error);
  if (error) {
    LogWarn("a temporary folder could not be removed", {{"why", error.message()}});
  }
  if (keep == KeepHistory::kNo) fs::remove(attempt.absolute / "history.wire.zst", error);
}

Status RunFolder::AppendLine(std::string_view file, std::string_view line) {
  const fs::path at = path_ / file;
  const int fd = open(at.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) return FromErrno(errno).WithContext("{}", at.string());
  const Status written = WriteAll(fd, std::string(line) + "\n");
  close(fd);
  return written.ok() ? Status() : written.WithContext("{}", at.string());
}

Status RunFolder::Write(std::string_view file, std::string_view text) {
  const fs::path at = path_ / file;
  const fs::path aside = path_ / fmt::format(".{}.new", file);
  const int fd = open(aside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return FromErrno(errno).WithContext("{}", at.string());
  Status written = WriteAll(fd, text);
  close(fd);
  if (written.ok() && rename(aside.c_str(), at.c_str()) != 0) written = FromErrno(errno);
  return written.ok() ? Status() : written.WithContext("{}", at.string());
}

std::string PathComponent(std::string_view text) {
  constexpr std::size_t kMost = 80;
  std::string name;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '-' || c == '+';
    name += plain ? c : '_';
  }
  if (name.empty() || name.front() == '.') name.insert(name.begin(), '_');
  if (name.size() <= kMost) return name;
  // The end of a path is more distinctive than its start; the hash separates two long ones.
  return fmt::format("{:08x}_{}", Fnv1a(text) & 0xffffffffU, name.substr(name.size() - kMost + 9));
}

}  // namespace watchproof
