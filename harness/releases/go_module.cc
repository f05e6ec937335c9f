// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "harness/releases/etcd_version.h"
#include "harness/releases/release_archives.h"
#include "harness/releases/tool.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

// One require line of a go.mod.
struct Requirement {
  std::string path;
  std::string version;  // with its "v"
};

std::vector<std::string> WordsOf(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// "3.5." of "v3.5.12".
std::string BranchOf(const std::string& version) {
  return version.substr(0, version.find('.', version.find('.') + 1) + 1);
}

int PatchOf(const std::string& version) {
  return std::atoi(version.substr(BranchOf(version).size()).c_str());
}

std::string LastElement(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Runs the `go` of this machine, or a newer one, in one folder.
class Go {
 public:
  explicit Go(fs::path folder, bool cgo = false) : folder_(std::move(folder)), cgo_(cgo) {}

  Result<std::string> Run(std::vector<std::string> arguments, Duration patience = 5min) const {
    ToolCall call{
        .name = program_,
        .arguments = std::move(arguments),
        .folder = folder_,
        .patience = patience,
        .environment = {{"CGO_ENABLED", cgo_ ? "1" : "0"}, {"GOWORK", "off"}, {"GOFLAGS", ""}}};
    // What it leaves there when it is stopped goes away with the work folder.
    call.environment["GOTMPDIR"] = folder_.string();
    // Unless the user says otherwise, a release that wants a newer toolchain gets it.
    if (std::getenv("GOTOOLCHAIN") == nullptr) call.environment["GOTOOLCHAIN"] = "auto";
    return RunTool(call);
  }

  // Before 1.21, Go does not fetch the toolchain that a module wants, but it can download one.
  Status UseAtLeast(const std::string& wanted) {
    WP_ASSIGN_OR_RETURN(const std::string said, Run({"env", "GOVERSION", "GOOS", "GOARCH"}));
    const std::vector<std::string> words = WordsOf(said);
    if (words.size() != 3 || !words[0].starts_with("go1.")) return {};  // its errors will name it
    const int minor = std::atoi(words[0].c_str() + 4);
    if (minor >= 21 || std::atoi(wanted.c_str() + 4) <= minor) return {};
    const std::string version = fmt::format("v0.0.1-{}.{}-{}", wanted, words[1], words[2]);
    WP_RETURN_IF_ERROR(Download("golang.org/toolchain@" + version));
    WP_ASSIGN_OR_RETURN(const std::string cache, Run({"env", "GOMODCACHE"}));
    const fs::path root = fs::path(WordsOf(cache).at(0)) / "golang.org" / ("toolchain@" + version);
    return MakeExecutable(root);
  }

  Status Download(const std::string& module) const {
    const auto said = Run({"mod", "download", module}, 10min);
    return said.has_value() ? Status() : said.error();
  }

 private:
  // Files of a module are never executable.
  Status MakeExecutable(const fs::path& root) {
    std::error_code error;
    for (const fs::path& folder : {root / "bin", root / "pkg" / "tool"}) {
      for (const auto& entry : fs::recursive_directory_iterator(folder, error)) {
        if (entry.is_regular_file()) fs::permissions(entry.path(), fs::perms(0555), error);
      }
    }
    if (error) return FromErrorCode(error).WithContext("{}", root.string());
    program_ = (root / "bin" / "go").string();
    return {};
  }

  const fs::path folder_;
  const bool cgo_;
  std::string program_ = "go";
};

// What the go.mod of a release asks for.
struct Wanted {
  std::string toolchain;  // "go1.23.0"
  std::vector<Requirement> family;
};

Result<Wanted> ReadGoMod(const fs::path& file, const GoModule& module) {
  std::ifstream in(file);
  if (!in) return Fail(StatusCode::kDataLoss, "{}: cannot be read", file.string());
  Wanted wanted;
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string> words = WordsOf(line);
    if (!words.empty() && words[0] == "require") words.erase(words.begin());
    if (words.size() < 2) continue;
    if (words[0] == "toolchain") wanted.toolchain = words[1];
    if (words[0] == "go" && wanted.toolchain.empty()) {
      const bool short_form = std::count(words[1].begin(), words[1].end(), '.') == 1;
      wanted.toolchain = "go" + words[1] + (short_form ? ".0" : "");
    }
    if (words[0].starts_with(module.family) && words[1].starts_with("v")) {
      wanted.family.push_back({words[0], words[1]});
    }
  }
  return wanted;
}

Result<std::vector<std::string>> ListVersions(const Go& go, const std::string& path) {
  WP_ASSIGN_OR_RETURN(const std::string said, go.Run({"list", "-m", "-versions", path}));
  std::vector<std::string> words = WordsOf(said);
  if (!words.empty()) words.erase(words.begin());  // the path itself
  return words;
}

// A patch release may lack one of its modules: then the nearest one of the branch stands in.
Result<std::string> Nearest(const Go& go, const Requirement& missing) {
  WP_ASSIGN_OR_RETURN(std::vector<std::string> versions, ListVersions(go, missing.path));
  std::erase_if(versions, [&](const std::string& version) {
    return BranchOf(version) != BranchOf(missing.version) || version.find('-') != std::string::npos;
  });
  if (versions.empty()) {
    return Fail(StatusCode::kNotFound, "the registry has no {} of branch {}", missing.path,
                BranchOf(missing.version));
  }
  const int patch = PatchOf(missing.version);
  return *std::min_element(versions.begin(), versions.end(), [&](const auto& a, const auto& b) {
    return std::abs(PatchOf(a) - patch) < std::abs(PatchOf(b) - patch);
  });
}

// Without these, older modules of the family may be chosen, and the program reports their version.
Result<std::vector<std::string>> Requirements(const Go& go, const GoModule& module,
                                              const std::string& version, const Wanted& wanted) {
  std::vector<std::string> edits{fmt::format("-require={}@v{}", module.path, version)};
  for (Requirement needed : wanted.family) {
    if (LastElement(needed.path) == LastElement(module.path)) needed.version = "v" + version;
    const std::string exact = needed.path + "@" + needed.version;
    edits.push_back("-require=" + exact);
    const Status there = go.Download(exact);
    if (there.ok()) continue;
    if (there.code() == StatusCode::kCancelled) return there;
    WP_ASSIGN_OR_RETURN(const std::string instead, Nearest(go, needed));
    edits.push_back(fmt::format("-replace={0}={1}@{2}", exact, needed.path, instead));
  }
  return edits;
}

Status WriteProgram(const fs::path& folder, const GoModule& module) {
  if (module.call.empty()) return {};
  std::ofstream file(folder / "main.go");
  file << fmt::format("package main\n\nimport (\n\t\"os\"\n\n\t\"{}\"\n)\n\nfunc main() {{ {} }}\n",
                      module.package, module.call);
  if (file.flush()) return {};
  return Fail(StatusCode::kDataLoss, "{}: cannot be written", folder.string());
}

// A server has a flag for it, a tool has a command. `embedded`: what Go says of the binary.
Status CheckVersion(const fs::path& binary, const std::string& version, const GoModule& module,
                    const std::string& embedded) {
  if (module.silent) {
    // Behind "mod" if it is built as itself, behind "dep" if another module requires it.
    const std::string own = fmt::format("\t{}\tv{}\t", module.path, version);
    if (embedded.find(own) != embedded.npos) return {};
    return Fail(StatusCode::kDataLoss, "the program that was built is not of {} {}", module.path,
                version);
  }
  WP_ASSIGN_OR_RETURN(const std::string said,
                      RunTool({.name = binary.string(),
                               .arguments = {module.tool ? "version" : "--version"},
                               .folder = binary.parent_path()}));
  if (module.tool && said.find("version: " + version + "\n") != said.npos) return {};
  const std::string reported = EtcdVersionIn(said).value_or("no version");
  if (reported == version) return {};
  return Fail(StatusCode::kDataLoss, "the program that was built reports {}, not {}", reported,
              version);
}

}  // namespace

Result<std::vector<std::string>> VersionsOfModule(const GoModule& module, const fs::path& work) {
  WP_ASSIGN_OR_RETURN(std::vector<std::string> versions, ListVersions(Go(work), module.path));
  for (std::string& version : versions) version.erase(0, 1);
  return versions;
}

Result<BuiltBinary> BuildFromModule(const GoModule& module, const std::string& version,
                                    const fs::path& work) {
  const fs::path folder = work / "go";
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return FromErrorCode(error).WithContext("{}", folder.string());
  Go go(folder, module.cgo);
  const std::string release = module.path + "@v" + version;
  WP_ASSIGN_OR_RETURN(const std::string go_mod,
                      go.Run({"list", "-m", "-f", "{{.GoMod}}", release}));
  const std::vector<std::string> lines = WordsOf(go_mod);
  if (lines.empty()) return Fail(StatusCode::kNotFound, "go names no go.mod of {}", release);
  WP_ASSIGN_OR_RETURN(const Wanted wanted, ReadGoMod(lines.back(), module));
  WP_RETURN_IF_ERROR(go.UseAtLeast(wanted.toolchain));
  WP_RETURN_IF_ERROR(WriteProgram(folder, module));
  WP_ASSIGN_OR_RETURN(std::string said, go.Run({"mod", "init", "watchproof.invalid/release"}));
  WP_ASSIGN_OR_RETURN(std::vector<std::string> edits, Requirements(go, module, version, wanted));
  edits.insert(edits.begin(), {"mod", "edit"});
  WP_ASSIGN_OR_RETURN(said, go.Run(edits));
  const fs::path binary = folder / "program";
  WP_ASSIGN_OR_RETURN(
      said, go.Run({"build", "-mod=mod", "-buildvcs=false", "-trimpath", "-tags=" + module.tags,
                    "-o", binary.string(), module.call.empty() ? module.package : "."},
                   30min));
  // Go embeds in a binary what it was built from.
  WP_ASSIGN_OR_RETURN(said, go.Run({"version", "-m", binary.string()}));
  WP_RETURN_IF_ERROR(CheckVersion(binary, version, module, said));
  return BuiltBinary{.file = binary, .built_from = said.substr(said.find(": ") + 2)};
}

}  // namespace watchproof
