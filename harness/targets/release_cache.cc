// SPDX-License-Identifier: Apache-2.0
#include "harness/targets/release_cache.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "harness/targets/release_archives.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Result<fs::path> CacheFolder() {
  if (const std::string own = Variable("WATCHPROOF_CACHE"); !own.empty()) return fs::absolute(own);
  if (const std::string all = Variable("XDG_CACHE_HOME"); !all.empty()) {
    return fs::absolute(all) / "watchproof";
  }
  if (const std::string home = Variable("HOME"); !home.empty()) {
    return fs::absolute(home) / ".cache" / "watchproof";
  }
  return Fail(StatusCode::kNotFound,
              "no folder for releases: WATCHPROOF_CACHE, XDG_CACHE_HOME and HOME are all empty");
}

fs::path SumFile(const fs::path& binary) { return binary.string() + ".sha256"; }

std::string RecordedSum(const fs::path& binary) {
  std::ifstream file(SumFile(binary));
  std::string sum;
  file >> sum;
  return sum;
}

// Removed with everything in it, whichever way a fetch ends.
class WorkFolder {
 public:
  static Result<WorkFolder> Create() {
    std::error_code error;
    const fs::path parent = fs::temp_directory_path(error);
    if (error) return FromErrorCode(error).WithContext("the folder for temporary files");
    std::string name = (parent / "watchproof-fetch-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) return FromErrno(errno).WithContext("{}", name);
    return WorkFolder(name);
  }
  WorkFolder(WorkFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  WorkFolder& operator=(WorkFolder&&) = delete;
  ~WorkFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  explicit WorkFolder(fs::path path) : path_(std::move(path)) {}
  fs::path path_;
};

// Renames what `make` has written under another name, or removes it.
Status PutInPlace(const fs::path& place, const std::function<Status(const fs::path&)>& make) {
  const fs::path partial = fmt::format("{}.{}", place.string(), getpid());
  Status made = make(partial);
  std::error_code error;
  if (made.ok()) {
    fs::rename(partial, place, error);
    if (!error) return {};
    made = FromErrorCode(error).WithContext("{}", place.string());
  }
  fs::remove(partial, error);
  return made;
}

Status RecordSum(const fs::path& binary, const std::string& sum) {
  return PutInPlace(SumFile(binary), [&](const fs::path& partial) -> Status {
    std::ofstream file(partial);
    file << sum << "  " << binary.filename().string() << '\n';
    if (file.flush()) return {};
    return Fail(StatusCode::kDataLoss, "{}: cannot be written", partial.string());
  });
}

Status Install(const fs::path& taken, const std::string& sum, const fs::path& place) {
  std::error_code error;
  fs::create_directories(place.parent_path(), error);
  if (error) return FromErrorCode(error).WithContext("{}", place.parent_path().string());
  WP_RETURN_IF_ERROR(PutInPlace(place, [&](const fs::path& partial) -> Status {
    fs::copy_file(taken, partial, fs::copy_options::overwrite_existing, error);
    if (!error) fs::permissions(partial, fs::perms(0755), error);
    return error ? FromErrorCode(error).WithContext("{}", partial.string()) : Status();
  }));
  return RecordSum(place, sum);
}

std::string MachineArchitecture() {
  utsname machine{};
  uname(&machine);
  const std::string name = machine.machine;
  if (name == "x86_64") return "amd64";
  return name == "aarch64" ? "arm64" : name;
}

Result<fs::path> TakeAndCheck(const DebianBinary& wanted, const std::string& version,
                              const fs::path& work) {
  if (wanted.architecture != MachineArchitecture()) {
    return Fail(StatusCode::kNotFound, "the manifest has the binary for {}, but this machine is {}",
                wanted.architecture, MachineArchitecture());
  }
  WP_ASSIGN_OR_RETURN(const fs::path taken, TakeFromDebian(wanted, version, work));
  WP_ASSIGN_OR_RETURN(const std::string sum, Sha256OfFile(taken));
  if (sum == wanted.sha256) return taken;
  return Fail(StatusCode::kDataLoss, "{} has SHA-256 {}, the manifest says {}", wanted.path, sum,
              wanted.sha256);
}

// Empty when the file there does not count as fetched.
std::string WhyCached(const ReleaseSource& source, const fs::path& place, const PrintLine& report) {
  std::error_code ignored;
  if (!fs::exists(place, ignored)) return {};
  const Result<std::string> sum = Sha256OfFile(place);
  if (!sum.has_value()) return {};
  if (*sum == RecordedSum(place)) return "already cached";
  if (source.debian && *sum == source.debian->sha256) {
    // Placed by hand, with the content in the manifest.
    std::error_code error;
    fs::permissions(place, fs::perms(0755), error);
    return !error && RecordSum(place, *sum).ok() ? "already there" : "";
  }
  report(fmt::format(
      "{} has SHA-256 {}, which is neither that of the fetched file nor that in the manifest",
      place.string(), *sum));
  return {};
}

// One source after the other, until one has it.
Result<Fetched> FetchAnew(const ReleaseSource& source, const fs::path& place,
                          const PrintLine& report) {
  WP_ASSIGN_OR_RETURN(const WorkFolder work, WorkFolder::Create());
  const auto attempt = [&](const std::string& origin, const Result<fs::path>& taken) {
    Status done = taken.has_value() ? Status() : taken.error();
    if (done.ok()) {
      const Result<std::string> sum = Sha256OfFile(*taken);
      done = sum.has_value() ? Install(*taken, *sum, place) : sum.error();
    }
    if (!done.ok()) report(fmt::format("{}: {}", origin, done.message()));
    return done.ok();
  };
  if (source.debian) {
    const std::string origin = "Debian " + source.debian->suite;
    if (attempt(origin, TakeAndCheck(*source.debian, source.version, work.path()))) {
      return Fetched{place, origin};
    }
  }
  if (source.official) {
    const OfficialRequest request{source.version, MachineArchitecture()};
    const std::string origin = "the official archive";
    if (attempt(origin, TakeFromOfficial(*source.official, request, work.path()))) {
      return Fetched{place, origin};
    }
  }
  return Fail(StatusCode::kUnavailable, "no source has it");
}

}  // namespace

Result<fs::path> CachePlace(const std::string& product, const std::string& version) {
  WP_ASSIGN_OR_RETURN(const fs::path cache, CacheFolder());
  return cache / "releases" / product / version / product;
}

Result<fs::path> CachedRelease(const std::string& product, const std::string& version) {
  WP_ASSIGN_OR_RETURN(const fs::path place, CachePlace(product, version));
  const auto missing = [&](std::string_view why) {
    return Fail(StatusCode::kNotFound, "{} {} {}; this fetches it: watchproof fetch {} {}", product,
                version, why, product, version);
  };
  std::error_code ignored;
  if (!fs::exists(place, ignored)) return missing("is not fetched");
  const Result<std::string> sum = Sha256OfFile(place);
  if (!sum.has_value() || *sum != RecordedSum(place)) {
    return missing(
        fmt::format("is not fetched: there is no matching SHA-256 beside {}", place.string()));
  }
  return place;
}

Result<Fetched> FetchRelease(const ReleaseSource& source, const PrintLine& report) {
  WP_ASSIGN_OR_RETURN(const fs::path place, CachePlace(source.product, source.version));
  if (std::string why = WhyCached(source, place, report); !why.empty()) {
    return Fetched{place, std::move(why)};
  }
  Result<Fetched> fetched = FetchAnew(source, place, report);
  if (fetched.has_value() || !source.debian) return fetched;
  const DebianBinary& row = *source.debian;
  return Fail(StatusCode::kUnavailable,
              "cannot be fetched here; place the file {} of Debian's package {} {} ({}, SHA-256 "
              "{}) at {} and try again",
              row.path, row.package, row.seen, row.architecture, row.sha256, place.string());
}

}  // namespace watchproof
