// SPDX-License-Identifier: Apache-2.0
#include "harness/runs/run_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <regex>
#include <utility>

#include "harness/base/log.h"
#include "harness/base/prng.h"
#include "harness/history/packed_text_file.h"
#include "harness/report/saved_run.h"
#include "harness/report/utc.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

constexpr char kLockFile[] = "lock";
constexpr char kRunFile[] = "run.json";
constexpr char kLatest[] = "latest";

// True when the process that locked the folder has ended. Process ids do not help: they are reused.
bool OwnerIsGone(const fs::path& folder) {
  const int fd = open((folder / kLockFile).c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return false;  // the run ended normally, or the folder is not a run's
  const bool gone = flock(fd, LOCK_EX | LOCK_NB) == 0;
  close(fd);
  return gone;
}

// "20260114T101500Z-51e9c2", "20260114T101500Z-51e9c2-2"
bool IsNamedLikeARun(std::string_view name) {
  static const std::regex kName("[0-9]{8}T[0-9]{6}Z-[0-9a-f]+(-[0-9]+)?");
  return std::regex_match(name.begin(), name.end(), kName);
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

// What a process that was killed could not remove: the data folders of its stores may be large.
void SweepIfDead(const fs::path& run) {
  if (!OwnerIsGone(run)) return;
  LogInfo("cleaning up after an ended run", {{"run", run.filename().string()}});
  RemoveTemporaries(run);
  std::error_code ignored;
  fs::remove(run / kLockFile, ignored);
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

// `how`: O_APPEND or O_TRUNC.
Status WriteFile(const fs::path& file, int how, std::string_view text) {
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | how, 0644);
  if (fd < 0) return FromErrno(errno);
  Status written = WriteAll(fd, text);
  close(fd);
  return written;
}

// Moves the link in one step, so that `latest` always points at a run.
void PointLatest(const fs::path& run_dir, const std::string& id) {
  const fs::path aside = run_dir / fmt::format(".latest.{}", getpid());
  std::error_code error;
  fs::remove(aside, error);
  fs::create_directory_symlink(id, aside, error);
  if (!error) fs::rename(aside, run_dir / kLatest, error);
  if (error) {
    LogWarn("the link to the latest run was not moved", {{"why", error.message()}});
    fs::remove(aside, error);
  }
}

// The whole lines, or parts, of a file that a kill may have cut off.
Status CutOffHalfLine(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  std::error_code error;
  fs::resize_file(file, text.rfind('\n') + 1, error);  // 0 when there is none
  return FromErrorCode(error).WithContext("{}", file.string());
}
Status CutOffHalfPart(const fs::path& file) {
  WP_ASSIGN_OR_RETURN(const std::uintmax_t end,
                      VisitPacked(file, [](std::string_view) { return true; }));
  std::error_code error;
  fs::resize_file(file, end, error);
  return FromErrorCode(error).WithContext("{}", file.string());
}

// A folder that no process holds, with everything in it.
Status RemoveUnused(const fs::path& run) {
  const int fd = open(run.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return FromErrno(errno).WithContext("{}", run.string());
  std::error_code error;
  const bool held = flock(fd, LOCK_EX | LOCK_NB) != 0;
  // What says that it is a run goes last, so that a removal that is interrupted can be finished.
  for (const auto& entry : fs::directory_iterator(run, error)) {
    if (!held && entry.path().filename() != kRunFile) fs::remove_all(entry.path(), error);
    if (error) break;
  }
  if (!held && !error) fs::remove_all(run, error);
  close(fd);
  if (held) return Fail(StatusCode::kFailedPrecondition, "{} is in use", run.string());
  return FromErrorCode(error).WithContext("{}", run.string());
}

}  // namespace

void SweepDeadRuns(const fs::path& run_dir) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(run_dir, error)) {
    if (!entry.is_symlink() && entry.is_directory()) SweepIfDead(entry.path());
  }
}

void HoldRun(const fs::path& run) {
  SweepIfDead(run);
  // Open as long as the process: the kernel drops the lock with it.
  const int fd = open(run.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) flock(fd, LOCK_SH | LOCK_NB);
}

std::vector<fs::path> RunsIn(const fs::path& run_dir) {
  std::vector<fs::path> runs;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(run_dir, error)) {
    const bool is_run = !entry.is_symlink() && IsNamedLikeARun(entry.path().filename().string());
    if (is_run && fs::exists(entry.path() / kRunFile, error)) runs.push_back(entry.path());
  }
  std::ranges::sort(runs);
  return runs;
}

fs::path UsualRunDir() {
  const char* named = std::getenv("WATCHPROOF_RUN_DIR");
  return named == nullptr || *named == '\0' ? "watchproof-runs" : named;
}

RunAndFinding SplitFinding(const std::string& given) {
  std::error_code error;
  const std::size_t hash = given.rfind('#');
  if (hash == std::string::npos || fs::exists(given, error)) return {given, ""};
  return {given.substr(0, hash), given.substr(hash)};
}

Result<std::string> FindRun(const std::string& given, const fs::path& run_dir) {
  std::error_code error;
  const auto [name, finding] = SplitFinding(given);
  if (name.find('/') != std::string::npos || fs::exists(name, error)) return given;
  const fs::path run = run_dir / name;
  if (!name.empty() && fs::exists(run, error)) return run.string() + finding;
  if (name == kLatest) {
    return Fail(StatusCode::kInvalidArgument, "{}: there is no run in {} yet", given,
                run_dir.string());
  }
  return Fail(StatusCode::kInvalidArgument,
              "{}: expected the folder of a run, or the name of one in {}; `watchproof runs` lists "
              "them",
              given, run_dir.string());
}

bool IsUnderWay(const fs::path& run) {
  std::error_code ignored;
  return fs::exists(run / kLockFile, ignored) && !OwnerIsGone(run);
}

Pruned PruneRuns(const fs::path& run_dir, int keep, PruneFailed failed) {
  Pruned pruned;
  std::vector<fs::path> runs = RunsIn(run_dir);
  const auto most = static_cast<std::size_t>(keep);
  if (keep == 0 || runs.size() <= most) return pruned;
  if (failed == PruneFailed::kNo) {
    const auto kept = std::stable_partition(runs.begin(), runs.end(), std::not_fn(ShowsNewFailure));
    pruned.failed = static_cast<std::size_t>(std::distance(kept, runs.end()));
    runs.erase(kept, runs.end());
  }
  runs.resize(runs.size() - std::min(runs.size(), most));
  for (const fs::path& run : runs) {
    if (IsUnderWay(run)) continue;
    Status removed = RemoveUnused(run);
    if (removed.ok()) {
      pruned.removed.push_back(run.filename().string());
    } else if (pruned.trouble.ok() && removed.code() != StatusCode::kFailedPrecondition) {
      pruned.trouble = std::move(removed);
    }
  }
  return pruned;
}

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
  WP_RETURN_IF_ERROR(folder.Lock());
  PointLatest(run_dir, folder.id());
  return folder;
}

Status RunFolder::Lock() {
  lock_ = open((path_ / kLockFile).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock_ < 0 || flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    return FromErrno(errno).WithContext("run folder '{}' cannot be locked", path_.string());
  }
  return WriteAll(lock_, fmt::format("{}\n", getpid()))
      .WithContext("run folder '{}' cannot be written to", path_.string());
}

Result<RunFolder> RunFolder::Reopen(const fs::path& run, const RunRecord& record) {
  RunFolder folder;
  folder.run_dir_ = run.parent_path();
  folder.path_ = fs::absolute(run);
  if (IsUnderWay(run)) {
    return Fail(StatusCode::kFailedPrecondition, "{} is under way; expected a run that has ended",
                run.string());
  }
  WP_RETURN_IF_ERROR(folder.Lock());
  WP_RETURN_IF_ERROR(CutOffHalfLine(folder.path_ / "results.jsonl"));
  WP_RETURN_IF_ERROR(CutOffHalfPart(folder.path_ / "plan.jsonl.zst"));
  RemoveTemporaries(folder.path_);
  // The folder of each target stays the same: another one may have taken its name otherwise.
  for (const AttemptSummary& attempt : record.attempts) {
    const fs::path kept = attempt.result.folder;  // cases/<target>/<case>/<attempt>
    if (kept.empty()) continue;
    folder.target_folders_[attempt.result.target] = std::next(kept.begin())->string();
  }
  PointLatest(folder.run_dir_, folder.id());
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
  while (std::ranges::any_of(target_folders_, same)) name += '_';
  return target_folders_.emplace(target.text, name).first->second;
}

Result<AttemptFolder> RunFolder::MakeAttempt(const TargetSpec& target, const std::string& case_name,
                                             int attempt) {
  AttemptFolder made;
  made.relative =
      fmt::format("cases/{}/{}/{}", TargetFolder(target), PathComponent(case_name), attempt);
  made.absolute = path_ / made.relative;
  std::error_code error;
  fs::remove_all(made.absolute, error);  // of a run that is resumed: an attempt without a result
  fs::create_directories(made.temporary(), error);
  if (error) return FromErrorCode(error).WithContext("folder '{}'", made.temporary().string());
  return made;
}

void RunFolder::FinishAttempt(const fs::path& folder, KeepFiles keep) {
  std::error_code error;
  fs::remove_all(AttemptFolder{{}, folder}.temporary(), error);
  if (error) {
    LogWarn("a temporary folder could not be removed", {{"why", error.message()}});
  }
  if (keep == KeepFiles::kButHistory) fs::remove(folder / "history.wire.zst", error);
  if (keep != KeepFiles::kNone) return;
  fs::remove_all(folder, error);
  // Those of the case and of the target go with the last attempt.
  fs::remove(folder.parent_path(), error);
  fs::remove(folder.parent_path().parent_path(), error);
}

Status RunFolder::AppendLine(std::string_view file, std::string_view line) {
  const fs::path at = path_ / file;
  return WriteFile(at, O_APPEND, std::string(line) + "\n").WithContext("{}", at.string());
}

Status RunFolder::Write(std::string_view file, std::string_view text) {
  const fs::path at = path_ / file;
  const fs::path aside = path_ / fmt::format(".{}.new", file);
  Status written = WriteFile(aside, O_TRUNC, text);
  if (written.ok() && rename(aside.c_str(), at.c_str()) != 0) written = FromErrno(errno);
  return std::move(written).WithContext("{}", at.string());
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
