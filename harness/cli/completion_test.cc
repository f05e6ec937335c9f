// SPDX-License-Identifier: Apache-2.0
// Completion as shells use it, through the scripts and the real executable; and the manual page,
// which has the same source.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <sstream>

namespace watchproof {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;
using ::testing::StartsWith;

// Both streams of a shell command; its lines. "exit N" is the last if it failed.
std::vector<std::string> LinesOf(const std::string& command) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  std::string text;
  std::array<char, 4096> part{};
  while (const std::size_t size = fread(part.data(), 1, part.size(), pipe)) {
    text.append(part.data(), size);
  }
  const int status = pclose(pipe);
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  if (status != 0) lines.push_back("exit " + std::to_string(WEXITSTATUS(status)));
  return lines;
}

// What bash offers for the last of the words, which are as bash splits them.
std::vector<std::string> Bash(const std::string& words, const std::string& cache = "/no/such",
                              const std::string& before = "") {
  return LinesOf(before + " WATCHPROOF_CACHE=" + cache +
                 std::string(" bash --norc -c '\n"
                             "compopt() { :; }\n"
                             "source <(\"$0\" completion bash)\n"
                             "COMP_WORDS=(\"$0\" \"$@\") COMP_CWORD=$#\n"
                             "_watchproof\n"
                             "for reply in \"${COMPREPLY[@]}\"; do echo \"$reply\"; done' ") +
                 WP_SCRIPTED_WATCHPROOF + " " + words);
}

struct Row {
  const char* words;
  std::vector<std::string> expected;
};

TEST(Completion, OfBashOffersWhatMayComeNext) {
  for (const Row& row : std::vector<Row>{
           {"se", {"selftest"}},
           {"history ''", {"dump", "import"}},
           {"run --no-s", {"--no-strict"}},
           {"run --keep ''", {"failed", "all", "none"}},
           {"run --quiet --keep a", {"all"}},
           {"run --filter Ends.P", {"Ends.Passes"}},
           {"run --filter = Ends.P", {"Ends.Passes"}},
           {"run --filter Ends.Fails : Ends.P", {"Ends.Passes"}},
           {"run --filter=Ends.P", {"--filter=Ends.Passes"}},
           {"run --target embedded+delete-at", {"embedded+delete-at-floor-lost"}},
           {"run --target etcd :", {}},
           {"run --defects all,delete-at", {"all,delete-at-floor-lost"}},
           {"run --fault sta", {"stall"}},
           {"power --bug 1752", {"17529"}},
           {"bisect --among embedded endp", {"endpoint:"}},
           {"bisect --good 3.4.2", {"3.4.23"}},
           {"bisect --good 3.4.23 --bad 3.4.2", {"3.4.23"}},
           {"bugs 3.4.2", {"3.4.23"}},
           {"explain 1752", {"17529"}},
           {"completion ''", {"bash", "zsh", "fish"}},
           {"history import ''", {}},
           {"run --target etcd @ 3.4.23,g", {"3.4.23,gateway", "3.4.23,grpc-proxy"}},
           {"run --target etcd @ 3.4.23,members = ", {"2", "3", "4", "5"}},
           {"run --target etcd @ 3.4.23,upgrade = 3.5", {"3.5.16", "3.5.30"}},
           {"run --target etcd @ 3.4.23,upgrade = 3.5.16+3.5", {"3.5.16+3.5.30"}},
           {"run --target etcd @ 3.5.16,downgrade = ''", {"3.3.25", "3.4.23"}},
           {"run --target embedded,", {}},
           {"no-such-command ''", {}},
       }) {
    EXPECT_EQ(Bash(row.words), row.expected) << row.words;
  }
}

TEST(Completion, OfBashOffersReleasesOfTheCacheAsTargets) {
  const std::string folder = testing::TempDir() + "completion-cache";
  EXPECT_THAT(LinesOf("mkdir -p " + folder + "/releases/etcd/9.8.7"), ElementsAre());
  EXPECT_THAT(Bash("run --target etcd @ 9.", folder), ElementsAre("9.8.7"));
  EXPECT_THAT(Bash("run --target etcd @", folder), ElementsAre("9.8.7"));
  EXPECT_THAT(Bash("fetch etcd 9", folder), ElementsAre("9.8.7"));
}

TEST(Completion, OfBashOffersReleasesOfOtherProductsWithTheirDrivers) {
  const std::string folder = testing::TempDir() + "completion-products";
  EXPECT_THAT(LinesOf("mkdir -p " + folder + "/releases/kine/9.8.7"), ElementsAre());
  EXPECT_THAT(Bash("run --target kine @", folder), ElementsAre("9.8.7"));
  EXPECT_THAT(Bash("run --target kine @ 9.8.7,n", folder), ElementsAre("9.8.7,nats"));
  EXPECT_THAT(Bash("bugs kine @", folder), ElementsAre("9.8.7"));
  EXPECT_THAT(Bash("fetch t", folder), ElementsAre("t4"));
}

TEST(Completion, OfBashOffersRunsBesideFiles) {
  const std::string folder = testing::TempDir() + "completion-runs";
  const std::string run = folder + "/watchproof-runs/20260114T101500Z-7f2c";
  EXPECT_THAT(LinesOf("mkdir -p " + run + " && touch " + run + "/run.json " + folder + "/last.zst"),
              ElementsAre());
  const auto offered = [&folder](const std::string& words) {
    return Bash(words, "/no/such", "cd " + folder + " &&");
  };
  for (const char* command : {"draw", "repeat", "check", "shrink", "report", "run --resume"}) {
    EXPECT_THAT(offered(command + std::string(" la")), ElementsAre("latest", "last.zst"));
    EXPECT_THAT(offered(command + std::string(" 2026")), ElementsAre("20260114T101500Z-7f2c"));
  }
}

TEST(Completion, LeavesOutWhatIsInternal) {
  EXPECT_THAT(Bash("''"), AllOf(Contains("run"), Contains("completion"), Not(Contains("attempt")),
                                Not(Contains("complete"))));
}

TEST(Completion, ScriptsOfOtherShellsHaveNoSyntaxError) {
  int checked = 0;
  for (const std::string shell : {"zsh", "fish"}) {
    if (!LinesOf("command -v " + shell + " >/dev/null").empty()) continue;
    EXPECT_THAT(LinesOf(std::string(WP_SCRIPTED_WATCHPROOF) + " completion " + shell + " | " +
                        shell + " -n"),
                ElementsAre())
        << shell;
    ++checked;
  }
  if (checked == 0) GTEST_SKIP() << "neither zsh nor fish is installed";
}

TEST(Completion, OfFishOffersWhatMayComeNext) {
  if (!LinesOf("command -v fish >/dev/null").empty()) GTEST_SKIP() << "fish is not installed";
  const std::string folder = testing::TempDir() + "completion-bin";
  const auto lines = LinesOf("mkdir -p " + folder + " && ln -sf " + WP_SCRIPTED_WATCHPROOF + " " +
                             folder + "/watchproof && PATH=" + folder +
                             ":$PATH fish --no-config -c 'watchproof completion fish | source; "
                             "complete -C \"watchproof run --filter Ends.P\"'");
  EXPECT_THAT(lines, ElementsAre(StartsWith("Ends.Passes\t")));
}

TEST(ManualPage, IsRenderedWithoutWarnings) {
  if (!LinesOf("command -v groff >/dev/null").empty()) GTEST_SKIP() << "groff is not installed";
  EXPECT_THAT(LinesOf(WP_SCRIPTED_WATCHPROOF " man | groff -man -Tutf8 -ww -z"), ElementsAre());
}

TEST(ManualPage, HasCommandsOptionsAndExitCodes) {
  const std::vector<std::string> page = LinesOf(WP_SCRIPTED_WATCHPROOF " man");
  for (const char* line :
       {".SS \"run\"", ".SS \"history dump\"", "\\fB\\-\\-no\\-strict\\fR", "\\fB130\\fR",
        "\\fBWATCHPROOF_KEEP_RUNS\\fR", ".SH \"EXIT STATUS\"", ".SH FILES", ".SH EXAMPLES",
        "\\fIWhich cases:\\fR", "\\fBwatchproof bugs 3.5.16\\fR"}) {
    EXPECT_THAT(page, Contains(line));
  }
  EXPECT_THAT(page, Not(Contains(".SS \"attempt\"")));
}

TEST(Completion, NamesTheShellsThatItHas) {
  EXPECT_THAT(LinesOf(WP_SCRIPTED_WATCHPROOF " completion bahs"),
              ElementsAre("watchproof completion: 'bahs' is none of bash, zsh, fish; did you mean "
                          "bash?",
                          "exit 4"));
}

}  // namespace
}  // namespace watchproof
