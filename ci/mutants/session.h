// SPDX-License-Identifier: Apache-2.0
// Many mutants of many recordings: makes them, judges each, and prints the tables.
//
//   WP_ASSIGN_OR_RETURN(auto session, Session::Open({.paths = paths, .seed = 7}));
//   session->Run(20000);                     // or session->RunOne(4711)
//   fmt::print("{}", session->Report());
//   return session->failures().empty() ? 0 : 1;
//
// Mutant N of a seed is the same each time, given the same recordings. Not thread-safe.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ci/mutants/oracle.h"

namespace watchproof {

struct SessionOptions {
  std::vector<std::string> paths;  // recordings, or folders with some in them
  std::uint64_t seed = 1;
  // Larger recordings, as SizeOf has it, are left out.
  std::size_t largest = 300'000;
};

class Session {
 public:
  // Errors: no recording that can be used, or one on which the two judges disagree as it is.
  static Result<std::unique_ptr<Session>> Open(const SessionOptions& options);

  void Run(std::uint64_t count);
  // Describes one mutant in full.
  std::string RunOne(std::uint64_t number);

  // One text per mutant that went wrong, with what is needed to see it again.
  const std::vector<std::string>& failures() const { return failures_; }
  // Guarantees that are the primary of no mutation, or catch none of theirs.
  std::vector<Guarantee> Inconclusive() const;
  // What was read and left out, and why.
  const std::string& preface() const { return preface_; }
  std::string Report() const;

 private:
  struct Entry {
    Entry(Subject of) : subject(std::move(of)) {}
    Subject subject;
    std::unique_ptr<ReferenceOracle> oracle;
    double weight = 0;  // of it and all before it
  };
  struct Row {
    std::uint64_t mutants = 0;
    std::array<std::uint64_t, kOutcomes> outcomes{};
    std::map<Guarantee, std::uint64_t> found;
  };

  explicit Session(const SessionOptions& options) : options_(options) {}
  Status Load();
  Status Admit(Recording recording);
  Entry& PickEntry(Prng& prng);
  // The mutant and the recording it was made of.
  std::pair<Mutant, Entry*> Make(std::uint64_t number);
  void Count(const Mutant& mutant, const Tested& tested);
  std::string Consume(std::uint64_t number, const Mutant& mutant, const Entry& entry,
                      const Tested& tested) const;
  std::string OutcomeTable() const;
  std::string GuaranteeTable() const;

  const SessionOptions options_;
  std::vector<std::unique_ptr<Entry>> entries_;
  std::map<Mutation, Row> rows_;
  std::map<std::string_view, std::uint64_t> equivalences_;
  std::uint64_t mutants_ = 0;
  std::vector<std::string> failures_;
  std::string preface_;
};

}  // namespace watchproof
