// SPDX-License-Identifier: Apache-2.0
// mutants [--count N] [--calls N] [--seed S] [--only N] [--largest LINES] PATH...
//
// Mutates recordings and compares the judge with the reference oracle. Exit code 0: the judge was
// right every time; 1: it was not, or a guarantee caught nothing; 4: the arguments or the
// recordings cannot be used.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>

#include "ci/mutants/call_session.h"
#include "ci/mutants/session.h"

namespace watchproof {
namespace {

constexpr int kWrong = 1;
constexpr int kUnusable = 4;
constexpr std::size_t kMostReported = 20;

struct Flags {
  SessionOptions options;
  std::uint64_t count = 20'000;
  std::uint64_t calls = 2'000;
  std::uint64_t only = 0;
};

void Describe(const std::vector<std::string>& failures) {
  for (std::size_t i = 0; i < failures.size() && i < kMostReported; ++i) {
    fmt::print("\n{}", failures[i]);
  }
  if (failures.size() > kMostReported) {
    fmt::print("\n... and {} more\n", failures.size() - kMostReported);
  }
}

// Mutants of calls and read rights, which no answer to a watch can break.
bool CallsAreRight(const Flags& flags) {
  if (flags.calls == 0) return true;
  std::string left_out;  // as in the preface of the other session
  auto recordings = LoadRecordings(flags.options.paths, flags.options.largest, left_out);
  CallSession session(std::move(recordings).value_or(std::vector<Recording>()), flags.options.seed);
  session.Run(flags.calls);
  fmt::print("\n{}{} mutants of {} recordings\n{}", session.preface(), flags.calls,
             session.recordings(), session.Report());
  for (const Guarantee guarantee : session.Inconclusive()) {
    fmt::print("not proven: {}\n", Name(guarantee));
  }
  Describe(session.failures());
  return session.failures().empty() && session.Inconclusive().empty();
}

int Run(const Flags& flags) {
  auto session = Session::Open(flags.options);
  if (!session.has_value()) {
    fmt::print(stderr, "mutants: {}\n", session.error().ToString());
    return kUnusable;
  }
  fmt::print("{}", (*session)->preface());
  if (flags.only > 0) {
    fmt::print("{}", (*session)->RunOne(flags.only));
    return (*session)->failures().empty() ? 0 : kWrong;
  }
  const auto began = std::chrono::steady_clock::now();
  (*session)->Run(flags.count);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  fmt::print("{} mutants of seed {}, each judged twice, in {:.0f} s\n\n{}", flags.count,
             flags.options.seed, took.count(), (*session)->Report());
  Describe((*session)->failures());
  const bool right = (*session)->failures().empty() && (*session)->Inconclusive().empty();
  return CallsAreRight(flags) && right ? 0 : kWrong;
}

}  // namespace
}  // namespace watchproof

int main(int argc, char** argv) {
  watchproof::Flags flags;
  CLI::App app{"Mutates recordings, and compares the judge with the reference oracle"};
  app.add_option("--count", flags.count, "Mutants to make")->capture_default_str();
  app.add_option("--calls", flags.calls, "Mutants of calls and rights to make in addition")
      ->capture_default_str();
  app.add_option("--seed", flags.options.seed, "Seed of every choice")->capture_default_str();
  app.add_option("--only", flags.only, "Only this mutant, in full");
  app.add_option("--largest", flags.options.largest,
                 "Leave out recordings of more lines; 200 bytes count as a line")
      ->capture_default_str();
  app.add_option("paths", flags.options.paths, "Recordings, or folders with some in them")
      ->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : watchproof::kUnusable;
  }
  return watchproof::Run(flags);
}
