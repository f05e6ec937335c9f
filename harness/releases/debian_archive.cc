// SPDX-License-Identifier: Apache-2.0
#include "harness/releases/release_archives.h"

#include <pwd.h>
#include <unistd.h>

#include <fstream>
#include <set>
#include <sstream>
#include <vector>

#include "harness/releases/tool.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

constexpr char kKeyring[] = "/usr/share/keyrings/debian-archive-keyring.gpg";

std::string OwnCodename() {
  std::ifstream file("/etc/os-release");
  constexpr std::string_view kField = "VERSION_CODENAME=";
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(kField)) return line.substr(kField.size());
  }
  return {};
}

// Every apt source of this machine for its own suite. A third party's may be among them: it has
// no such package, or no signature by Debian, and the next one is tried.
Result<std::vector<std::string>> OwnMirrors(const fs::path& work) {
  const std::string codename = OwnCodename();
  WP_ASSIGN_OR_RETURN(
      const std::string said,
      RunTool({.name = "apt-get", .arguments = {"update", "--print-uris"}, .folder = work}));
  const std::string tail = "/dists/" + codename + "/InRelease'";
  std::set<std::string> mirrors;
  std::istringstream lines(said);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t end = line.find(tail);
    if (line.starts_with("'") && end != std::string::npos) mirrors.insert(line.substr(1, end - 1));
  }
  if (codename.empty() || mirrors.empty()) {
    return Fail(StatusCode::kUnavailable, "apt has no source of this machine's own suite{}{}",
                codename.empty() ? "" : " ", codename);
  }
  return std::vector<std::string>(mirrors.begin(), mirrors.end());
}

// apt downloads as its own user, which could not write here.
std::string UserName() {
  const passwd* entry = getpwuid(geteuid());
  return entry == nullptr ? "root" : entry->pw_name;
}

// For apt-get with its own state in one folder, and one source.
Status UseSource(const fs::path& work, const std::string& mirror, const std::string& suite) {
  std::error_code error;
  for (const char* folder : {"lists/partial", "cache/archives/partial", "root"}) {
    fs::create_directories(work / folder, error);
    if (error) return FromErrorCode(error).WithContext("{}/{}", work.string(), folder);
  }
  std::ofstream(work / "status") << "";
  std::ofstream list(work / "sources.list");
  list << "deb [signed-by=" << kKeyring << "] " << mirror << ' ' << suite << " main\n";
  if (!list.flush()) return Fail(StatusCode::kDataLoss, "{}: cannot be written", work.string());
  return {};
}

Result<std::string> RunApt(const fs::path& work, const std::vector<std::string>& command) {
  const auto at = [&](const char* name) { return (work / name).string(); };
  const std::vector<std::string> settings = {"Dir::Etc::sourcelist=" + at("sources.list"),
                                             "Dir::Etc::sourceparts=-",
                                             "Dir::Etc::preferences=-",
                                             "Dir::Etc::preferencesparts=-",
                                             "Dir::State::lists=" + at("lists"),
                                             "Dir::State::status=" + at("status"),
                                             "Dir::Cache=" + at("cache"),
                                             "APT::Update::Error-Mode=any",
                                             "APT::Sandbox::User=" + UserName(),
                                             "Acquire::Languages=none",
                                             "Acquire::Retries=3"};
  ToolCall call{.name = "apt-get", .arguments = {"-q"}, .folder = work, .patience = 10min};
  for (const std::string& setting : settings) {
    call.arguments.insert(call.arguments.end(), {"-o", setting});
  }
  call.arguments.insert(call.arguments.end(), command.begin(), command.end());
  return RunTool(call);
}

// apt prints 'URL' PACKAGE_VERSION_ARCHITECTURE.deb SIZE SUM.
std::string OfferedVersion(const std::string& said, const std::string& package) {
  const std::size_t name = said.find(" " + package + "_");
  if (name == std::string::npos) return {};
  const std::size_t begin = name + package.size() + 2;
  const std::size_t end = said.find('_', begin);
  std::string version = said.substr(begin, end == std::string::npos ? 0 : end - begin);
  if (const std::size_t colon = version.find("%3a"); colon != std::string::npos) {
    version.replace(colon, 3, ":");
  }
  return version;
}

Result<fs::path> Unpack(const DebianBinary& wanted, const fs::path& work) {
  for (const fs::directory_entry& entry : fs::directory_iterator(work)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(wanted.package + "_") || !name.ends_with(".deb")) continue;
    WP_ASSIGN_OR_RETURN(
        const std::string said,
        RunTool({.name = "dpkg",
                 .arguments = {"-x", entry.path().string(), (work / "root").string()},
                 .folder = work}));
    const fs::path binary = work / "root" / wanted.path;
    std::error_code ignored;
    if (fs::is_regular_file(binary, ignored)) return binary;
    return Fail(StatusCode::kNotFound, "{} has no {}", name, wanted.path);
  }
  return Fail(StatusCode::kUnavailable, "apt-get downloaded no {}", wanted.package);
}

Result<fs::path> TakeFrom(const std::string& mirror, const DebianBinary& wanted,
                          const std::string& version, const fs::path& work) {
  WP_RETURN_IF_ERROR(UseSource(work, mirror, wanted.suite));
  WP_ASSIGN_OR_RETURN(std::string said, RunApt(work, {"update"}));
  WP_ASSIGN_OR_RETURN(said, RunApt(work, {"download", "--print-uris", wanted.package}));
  const std::string offered = OfferedVersion(said, wanted.package);
  if (UpstreamVersion(offered) != version) {
    return Fail(StatusCode::kNotFound, "the suite no longer has {}, it has {} {}", version,
                wanted.package, offered);
  }
  WP_ASSIGN_OR_RETURN(said, RunApt(work, {"download", wanted.package}));
  return Unpack(wanted, work);
}

}  // namespace

std::string UpstreamVersion(std::string version) {
  if (const auto epoch = version.find(':'); epoch != std::string::npos) version.erase(0, epoch + 1);
  if (const auto revision = version.rfind('-'); revision != std::string::npos) {
    version.erase(revision);
  }
  return version.substr(0, version.find('+'));
}

Result<fs::path> TakeFromDebian(const DebianBinary& wanted, const std::string& version,
                                const fs::path& work) {
  if (access(kKeyring, R_OK) != 0) {
    return Fail(StatusCode::kNotFound, "{} is missing; install debian-archive-keyring", kKeyring);
  }
  WP_ASSIGN_OR_RETURN(const std::vector<std::string> mirrors, OwnMirrors(work));
  Status first;
  for (std::size_t i = 0; i < mirrors.size(); ++i) {
    const fs::path folder = work / fmt::format("mirror-{}", i);
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) return FromErrorCode(error).WithContext("{}", folder.string());
    Result<fs::path> taken = TakeFrom(mirrors[i], wanted, version, folder);
    if (taken.has_value()) return taken;
    // "The suite has moved on" is more useful than "a third party has no such suite".
    if (first.ok() || taken.error().code() == StatusCode::kNotFound) first = taken.error();
  }
  return first;
}

}  // namespace watchproof
