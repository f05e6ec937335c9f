// SPDX-License-Identifier: Apache-2.0
// Many mutants of the calls and read rights in recordings, and the table of the guarantees that
// caught them: those that no answer to a watch can break.
//
//   CallSession session(recordings, seed);       // those that cannot be used are left out
//   session.Run(2000);
//   fmt::print("{}", session.Report());
//   return session.failures().empty() ? 0 : 1;
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "ci/mutants/call_mutation.h"

namespace watchproof {

class CallSession {
 public:
  CallSession(std::vector<Recording> recordings, std::uint64_t seed);

  // Makes none of the kinds that no recording allows.
  void Run(std::uint64_t count);

  std::size_t recordings() const { return entries_.size(); }
  // What was left out, and why.
  const std::string& preface() const { return preface_; }
  const std::vector<std::string>& failures() const { return failures_; }
  // Guarantees that caught none of the mutants for which they are the primary.
  std::vector<Guarantee> Inconclusive() const;
  std::string Report() const;

 private:
  struct Entry {
    Recording recording;
    ReferenceTruth truth;
    std::unique_ptr<CallSubject> subject;
  };
  struct Row {
    std::uint64_t mutants = 0;
    std::uint64_t detected = 0;
    std::uint64_t equivalent = 0;
    std::uint64_t undecided = 0;
    std::uint64_t by_primary = 0;
    std::uint64_t missed = 0;
    std::uint64_t false_alarms = 0;
  };

  struct JudgedCalls {
    std::set<Guarantee> found;
    std::vector<std::string> undecided_reasons;
  };

  static JudgedCalls Judged(const Entry& entry, const std::vector<NumberedEntry>& lines);
  void LeaveOut(const std::string& name, const std::string& why);
  void Try(const Entry& entry, const CallMutationInfo& info, const CallMutant& mutant,
           std::uint64_t number);

  const std::uint64_t seed_;
  std::vector<std::unique_ptr<Entry>> entries_;
  std::map<CallMutation, Row> rows_;
  std::vector<std::string> failures_;
  std::string preface_;
};

}  // namespace watchproof
