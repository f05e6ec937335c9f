// SPDX-License-Identifier: Apache-2.0
// `completion`: scripts for three shells, which ask this program what may come next.
#include <algorithm>
#include <cctype>
#include <set>

#include "harness/bugs/release_version.h"
#include "harness/cli/command_tree.h"
#include "harness/cli/commands.h"
#include "harness/releases/release_cache.h"
#include "harness/runs/parse.h"
#include "harness/runs/run_folder.h"
#include "harness/runs/run_targets.h"
#include "harness/session/profile.h"
#include "harness/targets/product.h"
#include "harness/targets/topology.h"

namespace watchproof {
namespace {

// Bash splits words at = : @, too, as COMP_WORDBREAKS says, and replaces the last piece only.
constexpr char kBash[] = R"bash(# bash completion for watchproof
_watchproof() {
  local i piece before='' candidate words=()
  for ((i = 1; i <= COMP_CWORD; i++)); do
    piece=${COMP_WORDS[i]#[\'\"]}
    if ((i > 1)) && [[ $piece =~ ^[=:@]+$ || ${COMP_WORDS[i - 1]} =~ ^[=:@]+$ ]]; then
      before=${words[-1]}
      [[ $piece =~ ^[=:@]+$ ]] && before+=$piece
      words[-1]+=$piece
    else
      before=''
      words+=("$piece")
    fi
  done
  COMPREPLY=()
  while IFS=$'\t' read -r candidate _; do
    if [[ $candidate == //files ]]; then
      compopt -o filenames
      mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")
    else
      COMPREPLY+=("${candidate#"$before"}")
    fi
  done < <("${COMP_WORDS[0]}" complete "${words[@]}" 2>/dev/null)
  if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[:@] ]]; then compopt -o nospace; fi
}
complete -o default -F _watchproof watchproof
)bash";

constexpr char kZsh[] = R"zsh(#compdef watchproof
_watchproof() {
  local line files
  local -a names shown
  for line in "${(@f)$("${(Q)words[1]}" complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] || continue
    [[ $line == //files* ]] && { files=yes; continue }
    names+=("${line%%$'\t'*}")
    shown+=("${line/$'\t'/  -- }")
  done
  (( $#names )) || { _files; return }
  compadd -l -d shown -a names
  [[ -z $files ]] || _files
}
if [[ $funcstack[1] == _watchproof ]]; then
  _watchproof "$@"
else
  compdef _watchproof watchproof
fi
)zsh";

constexpr char kFish[] = R"fish(# fish completion for watchproof
function __watchproof_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l candidates (command $words[1] complete $words[2..-1] 2>/dev/null)
    printf '%s\n' (string match -v '//files*' -- $candidates)
    if test (count $candidates) -eq 0; or string match -q '//files*' -- $candidates
        __fish_complete_path (commandline -ct)
    end
end
complete -c watchproof -f -a '(__watchproof_complete)'
)fish";

// Those of etcd.
std::vector<NamedThing> FetchedReleases() {
  std::set<std::string> versions;
  if (const auto known = LoadExpectations(""); known.has_value()) {
    for (const std::string& version : KnownVersions(*known, "etcd")) versions.insert(version);
  }
  for (const std::string& version : CachedVersions("etcd")) versions.insert(version);
  std::vector<NamedThing> releases;
  for (const std::string& version : versions) releases.push_back({version, ""});
  return releases;
}

// The releases of other products that are in the cache, as targets.
std::vector<NamedThing> ReleasesOfProducts() {
  std::vector<NamedThing> releases;
  for (const Product& product : Products()) {
    for (const std::string& version : CachedVersions(product.name)) {
      releases.push_back({product.name + "@" + version, product.about});
    }
  }
  return releases;
}

std::vector<NamedThing> NamesOfProducts() {
  std::vector<NamedThing> names;
  const auto known = LoadExpectations("");
  if (!known.has_value()) return names;
  for (const std::string& product : KnownProducts(*known)) names.push_back({product, ""});
  return names;
}

// What can be written as a target as it is, and the begin of what needs a path or an address.
std::vector<NamedThing> Targets() {
  std::vector<NamedThing> targets = {{"embedded", "The embedded store"}};
  for (const NamedThing& defect : NamesOf("defect")) {
    targets.push_back({"embedded+" + defect.name, defect.summary});
  }
  for (const std::string& version : CachedVersions("etcd"))
    targets.push_back({"etcd@" + version, ""});
  for (NamedThing& release : ReleasesOfProducts()) targets.push_back(std::move(release));
  for (const NamedThing& kind : NamesOf("target")) {
    const bool takes_more = kind.summary.starts_with(kind.name + ":");
    if (takes_more && kind.name != "embedded") targets.push_back({kind.name + ":", kind.summary});
  }
  return targets;
}

// "latest" and the runs of the usual folder, the newest first.
std::vector<NamedThing> Runs() {
  std::vector<NamedThing> runs;
  for (const std::filesystem::path& run : RunsIn(UsualRunDir())) {
    runs.insert(runs.begin(), {run.filename().string(), ""});
  }
  if (!runs.empty()) runs.insert(runs.begin(), {"latest", "The last run"});
  return runs;
}

// The releases that may come behind "upgrade=" or "downgrade=" of a target, and behind each
// further '+'. `begun`: "3.6.16+", or nothing.
std::vector<std::string> NextReleases(const TopologyKind& kind, const std::string& target,
                                      const std::string& begun) {
  const std::size_t last = begun.empty() ? target.find('@') : begun.rfind('+', begun.size() - 2);
  const std::string& text = begun.empty() ? target : begun;
  const auto before =
      ParseVersion(text.substr(last + 1, begun.empty() ? text.npos : text.size() - last - 2));
  std::vector<std::string> releases;
  for (const NamedThing& release : FetchedReleases()) {
    TargetSpec spec;
    const auto version = ParseVersion(release.name);
    if (!version || !kind.parse("=" + begun + release.name, spec) || spec.next.empty()) continue;
    if (before && (*version == *before || (*version < *before) != spec.next.back().older)) continue;
    releases.push_back(begun + release.name);
  }
  return releases;
}

// What may come behind the comma of a target such as "etcd@3.5.16". `begun` is there already.
std::vector<NamedThing> TopologiesOf(const std::string& target, const std::string& begun) {
  std::vector<NamedThing> topologies;
  for (const TopologyKind& kind : Topologies()) {
    std::vector<std::string> values;
    if (kind.form == kind.name + "=N") {
      for (char n = '0'; n <= '9'; ++n) {
        TargetSpec spec;
        if (kind.parse(std::string("=") + n, spec)) values.emplace_back(1, n);
      }
    } else if (kind.form.size() > kind.name.size()) {
      const std::size_t equals = begun.find('=');
      const std::size_t plus = begun.rfind('+');
      const bool further = begun.starts_with(kind.name + "=") && plus != begun.npos;
      values = NextReleases(kind, target,
                            further ? begun.substr(equals + 1, plus - equals) : std::string());
    } else {
      topologies.push_back({kind.name, kind.explain});
    }
    for (const std::string& value : values) {
      topologies.push_back({kind.name + "=" + value, kind.explain});
    }
  }
  return topologies;
}

// "CASE": the names of all cases. "auto": itself.
std::vector<NamedThing> Meant(const std::string& word) {
  if (std::islower(static_cast<unsigned char>(word[0])) != 0) return {{word, ""}};
  std::string kind;
  for (const char c : word) {
    if (c < 'A' || c > 'Z') break;
    kind += static_cast<char>(c - 'A' + 'a');
  }
  if (kind == "spec") return Targets();
  if (kind == "product") return NamesOfProducts();
  if (kind == "release") {
    std::vector<NamedThing> releases = FetchedReleases();
    for (NamedThing& release : ReleasesOfProducts()) releases.push_back(std::move(release));
    return releases;
  }
  if (kind == "run") return Runs();
  if (kind == "name") return NamesOf("");
  if (kind == "pattern" || kind == "patterns") kind = "case";
  if (kind == "defects") kind = "defect";
  if (kind.empty()) return {};
  if (kind != "profile") return NamesOf(kind);
  std::vector<NamedThing> profiles;
  for (const std::string& profile : ShippedProfiles()) profiles.push_back({profile, ""});
  return profiles;
}

class Candidates {
 public:
  explicit Candidates(std::string current) : current_(std::move(current)) {}

  void Add(const NamedThing& candidate) {
    const bool begin_only = candidate.name == current_ && current_.ends_with(":");
    if (candidate.name.starts_with(current_) && !begin_only) found_.push_back(candidate);
  }
  // Completes a value that begins at the given place of the word.
  void AddValues(const CLI::Option& option, std::size_t from) {
    const std::string form = FormOf(option);
    // Lists: A.*:B.* of cases, a,b of defects.
    const char separator = form == "PATTERNS" ? ':' : ',';
    if (form == "PATTERNS" || form.starts_with("DEFECTS")) {
      const std::size_t last = current_.rfind(separator);
      if (last != std::string::npos && last >= from) from = last + 1;
    }
    for (std::size_t at = 0; at < form.size();) {
      const std::size_t end = std::min(form.find('|', at), form.size());
      const std::string word = form.substr(at, end - at);
      for (const NamedThing& value : Meant(word)) {
        Add({current_.substr(0, from) + value.name, value.summary});
      }
      if (word == "SPEC") AddTopologies(from);
      files_ = files_ || word == "RUN";
      at = end + 1;
    }
  }
  void AddOptions(const CLI::App& command) {
    for (const CLI::Option* option : command.get_options()) {
      const std::vector<std::string> flags = FlagsOf(*option);
      if (!flags.empty()) Add({flags.back(), option->get_description()});
    }
  }
  const std::vector<NamedThing>& found() const { return found_; }
  // Whether a file may come as well.
  bool files() const { return files_; }

 private:
  // Behind the comma of a target that is an etcd, or a product with drivers.
  void AddTopologies(std::size_t from) {
    const std::string spec = current_.substr(from);
    const std::size_t slash = spec.rfind('/');
    const std::size_t comma = spec.find(',', slash == spec.npos ? 0 : slash);
    if (comma == spec.npos) return;
    const std::string before = current_.substr(0, from + comma + 1);
    if (const Product* const product = FindProduct(spec.substr(0, spec.find('@')))) {
      for (const ProductDriver& driver : product->drivers)
        Add({before + driver.name, driver.about});
    }
    if (!spec.starts_with("etcd")) return;
    for (const auto& one : TopologiesOf(spec.substr(0, comma), spec.substr(comma + 1))) {
      Add({before + one.name, one.summary});
    }
  }

  const std::string current_;
  std::vector<NamedThing> found_;
  bool files_ = false;
};

const CLI::Option* FindOption(const CLI::App& command, const std::string& name) {
  return name.starts_with("-") ? command.get_option_no_throw(name) : nullptr;
}

// Where in the tree the last word is.
struct Place {
  const CLI::App* command;
  const CLI::Option* value_of = nullptr;  // it is, or may be, a value of this option
  bool value_only = false;
  std::size_t places = 0;  // so many words without a name are before it
};

Place PlaceOfLast(const CLI::App& root, const std::vector<std::string>& words) {
  Place place{&root};
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string& word = words[i];
    if (std::exchange(place.value_only, false)) {
      if (!TakesRest(*place.value_of)) place.value_of = nullptr;
      continue;
    }
    if (word.starts_with("-")) {
      const CLI::Option* option = FindOption(*place.command, word);
      place.value_only = option != nullptr && !FormOf(*option).empty();
      place.value_of = place.value_only ? option : nullptr;
      continue;
    }
    const auto commands = CommandsOf(*place.command);
    const auto name = [](const CLI::App* command) { return command->get_name(); };
    const auto next = std::ranges::find(commands, word, name);
    if (next != commands.end()) {
      place = {*next};
    } else {
      ++place.places;
    }
  }
  return place;
}

const CLI::Option* OptionAt(const CLI::App& command, std::size_t place) {
  const CLI::Option* last = nullptr;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    last = option;
    if (place-- == 0) return last;
  }
  return last != nullptr && TakesSeveral(*last) ? last : nullptr;
}

}  // namespace

void PrintCandidates(const CLI::App& root, const std::vector<std::string>& words) {
  const std::string current = words.empty() ? "" : words.back();
  const Place place = PlaceOfLast(root, words);
  const CLI::Option* at_place = OptionAt(*place.command, place.places);
  const std::size_t equals = current.find('=');
  Candidates candidates(current);
  if (place.value_only) {
    candidates.AddValues(*place.value_of, 0);
  } else if (current.starts_with("--") && equals != std::string::npos) {
    const CLI::Option* option = FindOption(*place.command, current.substr(0, equals));
    if (option != nullptr) candidates.AddValues(*option, equals + 1);
  } else if (current.starts_with("-")) {
    candidates.AddOptions(*place.command);
  } else {
    const auto commands = CommandsOf(*place.command);
    for (const CLI::App* command : commands) {
      if (place.places == 0) candidates.Add({command->get_name(), command->get_description()});
    }
    if (place.value_of != nullptr) candidates.AddValues(*place.value_of, 0);
    if (at_place != nullptr) candidates.AddValues(*at_place, 0);
    if (at_place == nullptr && commands.empty()) candidates.AddOptions(*place.command);
  }
  for (const NamedThing& candidate : candidates.found()) {
    fmt::print("{}\t{}\n", candidate.name, candidate.summary);
  }
  // As the scripts expect it.
  if (candidates.files()) fmt::print("//files\t\n");
}

CommandBody AddCompletion(const Command& command) {
  const auto shell = std::make_shared<std::string>();
  command.Value("shell", *shell, "bash|zsh|fish", "The shell that reads it")->required();
  return [shell]() -> CommandEnd {
    const std::vector<std::pair<std::string, std::string_view>> scripts = {
        {"bash", kBash}, {"zsh", kZsh}, {"fish", kFish}};
    std::vector<std::string> shells;
    for (const auto& [name, script] : scripts) {
      if (name == *shell) {
        fmt::print("{}", script);
        return ExitCode::kOk;
      }
      shells.push_back(name);
    }
    return Fail(StatusCode::kInvalidArgument, "'{}' is none of {}{}", *shell,
                fmt::join(shells, ", "), DidYouMean(*shell, shells));
  };
}

}  // namespace watchproof
