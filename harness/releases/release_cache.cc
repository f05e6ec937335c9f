// SPDX-License-Identifier: Apache-2.0
#include "harness/releases/release_cache.h"

#include <openssl/evp.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <utility>

#include "harness/base/check.h"
#include "harness/process/child_process.h"
#include "harness/releases/cache_folder.h"
#include "harness/releases/file_facts.h"
#include "harness/releases/release_archives.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

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

Status WriteInPlace(const fs::path& place, const std::string& text) {
  return PutInPlace(place, [&](const fs::path& partial) -> Status {
    std::ofstream file(partial);
    file << text << '\n';
    if (file.flush()) return {};
    return Fail(StatusCode::kDataLoss, "{}: cannot be written", partial.string());
  });
}

Status RecordSum(const fs::path& binary, const std::string& sum) {
  return WriteInPlace(SumFile(binary), sum + "  " + binary.filename().string());
}

// The source on the first line, then what it was built from.
fs::path OriginFile(const fs::path& binary) { return binary.string() + ".origin"; }

Status Install(const fs::path& taken, const std::string& origin, const fs::path& place) {
  WP_ASSIGN_OR_RETURN(const std::string sum, Sha256OfFile(taken));
  std::error_code error;
  fs::create_directories(place.parent_path(), error);
  if (error) return FromErrorCode(error).WithContext("{}", place.parent_path().string());
  WP_RETURN_IF_ERROR(PutInPlace(place, [&](const fs::path& partial) -> Status {
    fs::copy_file(taken, partial, fs::copy_options::overwrite_existing, error);
    if (!error) fs::permissions(partial, fs::perms(0755), error);
    return error ? FromErrorCode(error).WithContext("{}", partial.string()) : Status();
  }));
  WP_RETURN_IF_ERROR(WriteInPlace(OriginFile(place), origin));
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

// What a source had.
struct Taken {
  fs::path file;
  std::string built_from{};
};
struct Source {
  std::string name;
  std::function<Result<Taken>(const fs::path& work)> take;
};

Result<Taken> Plain(Result<fs::path> file) {
  if (!file.has_value()) return file.error();
  return Taken{.file = *std::move(file)};
}

constexpr char kGoAdvice[] =
    "go is not installed; with it (in Debian: golang-go) most releases can be built";

// In the order in which they are tried.
std::vector<Source> SourcesOf(const ReleaseSource& release) {
  std::vector<Source> sources;
  if (release.debian) {
    sources.push_back({"Debian " + release.debian->suite, [&release](const fs::path& work) {
                         return Plain(TakeAndCheck(*release.debian, release.version, work));
                       }});
  }
  if (release.official) {
    sources.push_back({"the official archive", [&release](const fs::path& work) {
                         return Plain(TakeFromOfficial(
                             *release.official, {release.version, MachineArchitecture()}, work));
                       }});
  }
  if (release.module) {
    sources.push_back({"its Go module", [&release](const fs::path& work) -> Result<Taken> {
                         if (FindInPath("go").empty()) {
                           return Fail(StatusCode::kNotFound, "{}", kGoAdvice);
                         }
                         WP_ASSIGN_OR_RETURN(
                             BuiltBinary built,
                             BuildFromModule(*release.module, release.version, work));
                         return Taken{built.file, std::move(built.built_from)};
                       }});
  }
  return sources;
}

// One source after the other, until one has it.
Result<Fetched> FetchAnew(const ReleaseSource& release, const fs::path& place,
                          const PrintLine& report) {
  WP_ASSIGN_OR_RETURN(const WorkFolder work, WorkFolder::Create());
  for (const Source& source : SourcesOf(release)) {
    const Result<Taken> taken = source.take(work.path());
    const Status done = taken.has_value()
                            ? Install(taken->file, source.name + "\n" + taken->built_from, place)
                            : taken.error();
    if (done.ok()) return Fetched{place, source.name};
    if (done.code() == StatusCode::kCancelled) return done;
    report(fmt::format("{}: {}", source.name, done.message()));
  }
  return Fail(StatusCode::kUnavailable, "no source has it");
}

}  // namespace

Result<std::string> Sha256OfFile(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return FromErrno(errno).WithContext("{}: reading", file.string());
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        &EVP_MD_CTX_free);
  WP_CHECK(context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1,
           "OpenSSL offers no SHA-256");
  std::array<char, 65536> chunk{};
  while (stream) {
    stream.read(chunk.data(), chunk.size());
    EVP_DigestUpdate(context.get(), chunk.data(), static_cast<std::size_t>(stream.gcount()));
  }
  if (stream.bad()) return Fail(StatusCode::kDataLoss, "{}: cannot be read", file.string());
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  EVP_DigestFinal_ex(context.get(), digest.data(), &length);
  std::string text;
  for (unsigned int i = 0; i < length; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

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
  const Result<std::string> sum = FactOf(place, "SHA-256", [&] { return Sha256OfFile(place); });
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
  if (fetched.has_value() || !source.debian || fetched.error().code() == StatusCode::kCancelled) {
    return fetched;
  }
  const DebianBinary& row = *source.debian;
  return Fail(StatusCode::kUnavailable,
              "cannot be fetched here; place the file {} of Debian's package {} {} ({}, SHA-256 "
              "{}) at {} and try again",
              row.path, row.package, row.seen, row.architecture, row.sha256, place.string());
}

Result<BinaryRecord> RecordOf(const std::string& product, const std::string& version) {
  WP_ASSIGN_OR_RETURN(const fs::path binary, CachedRelease(product, version));
  BinaryRecord record{.binary = binary, .sha256 = RecordedSum(binary)};
  std::ifstream file(OriginFile(binary));
  std::getline(file, record.source);
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) record.built_from.push_back(line);
  }
  return record;
}

std::vector<std::string> CachedVersions(const std::string& product) {
  std::vector<std::string> versions;
  const Result<fs::path> cache = CacheFolder();
  if (!cache.has_value()) return versions;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(*cache / "releases" / product, ignored)) {
    if (entry.is_directory(ignored)) versions.push_back(entry.path().filename().string());
  }
  return versions;
}

Result<std::vector<std::string>> ListModule(const GoModule& module) {
  if (FindInPath("go").empty()) return Fail(StatusCode::kNotFound, "{}", kGoAdvice);
  WP_ASSIGN_OR_RETURN(const WorkFolder work, WorkFolder::Create());
  return VersionsOfModule(module, work.path());
}

}  // namespace watchproof
