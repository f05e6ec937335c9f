// SPDX-License-Identifier: Apache-2.0
// The result of a failed operation on the environment: a code, a text, and the context that each
// caller added.
//
//   Status Open(...) { return Fail(StatusCode::kNotFound, "no file {}", path); }
//   Result<int> Count(...) {
//     WP_RETURN_IF_ERROR(Open(...));
//     WP_ASSIGN_OR_RETURN(const int n, ReadNumber(...));
//     return n;
//   }
//
// Threads: values, like an int. A target that breaks a guarantee is a Finding, never a Status.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <iterator>
#include <string>
#include <system_error>
#include <tl/expected.hpp>
#include <utility>

namespace watchproof {

// gRPC's codes, with the same meaning and numbers, so that conversion loses nothing.
enum class StatusCode {
  kOk = 0,
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kDataLoss = 15,
  kUnauthenticated = 16,
};

// In the order of the numbers.
inline constexpr const char* kStatusCodes[] = {
    "ok",        "cancelled",      "unknown",           "invalid argument",   "deadline exceeded",
    "not found", "already exists", "permission denied", "resource exhausted", "failed precondition",
    "aborted",   "out of range",   "unimplemented",     "internal",           "unavailable",
    "data loss", "unauthenticated"};
constexpr const char* Name(StatusCode code) {
  const auto number = static_cast<std::size_t>(code);
  return number < std::size(kStatusCodes) ? kStatusCodes[number] : "unnamed code";
}

// Not of the server: a time limit passed, a connection broke, or the call was given up. Any other
// code is an answer, and is judged as one.
constexpr bool IsNoAnswer(StatusCode code) {
  return code == StatusCode::kUnavailable || code == StatusCode::kDeadlineExceeded ||
         code == StatusCode::kCancelled;
}

class Status;
template <typename T>
using Result = tl::expected<T, Status>;

class [[nodiscard]] Status {
 public:
  Status() = default;  // ok
  Status(StatusCode code, std::string text) : code_(code), text_(std::move(text)) {}

  bool ok() const { return code_ == StatusCode::kOk; }
  StatusCode code() const { return code_; }
  // Outermost context first: "starting etcd: readiness: connection refused".
  std::string message() const { return context_.empty() ? text_ : context_ + ": " + text_; }
  // Code and message, for logs.
  std::string ToString() const;

  // Adds what the caller was doing. The code stays.
  template <typename... Args>
  Status WithContext(fmt::format_string<Args...> format, Args&&... args) && {
    std::string added = fmt::format(format, std::forward<Args>(args)...);
    context_ = context_.empty() ? std::move(added) : added + ": " + context_;
    return std::move(*this);
  }
  template <typename... Args>
  Status WithContext(fmt::format_string<Args...> format, Args&&... args) const& {
    return Status(*this).WithContext(format, std::forward<Args>(args)...);
  }

  // Lets `return Fail(...)` end a function that returns Result<T>.
  template <typename T>
  operator Result<T>() const& {  // NOLINT: implicit on purpose
    return tl::unexpected<Status>(*this);
  }
  template <typename T>
  operator Result<T>() && {  // NOLINT
    return tl::unexpected<Status>(std::move(*this));
  }

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string text_;
  std::string context_;
};

template <typename... Args>
Status Fail(StatusCode code, fmt::format_string<Args...> format, Args&&... args) {
  return Status(code, fmt::format(format, std::forward<Args>(args)...));
}

// The one conversion from system errors; boost::system::error_code converts to std::error_code by
// itself.
Status FromErrorCode(const std::error_code& error);
// The only conversion from gRPC: its codes have the same numbers. Of a connection that is lost at
// some moments its C++ library says "unknown", with words of its own. A template, so that no gRPC
// header is needed here.
template <typename RpcStatus>
Status FromRpcStatus(const RpcStatus& status) {
  if (status.ok()) return {};
  const bool lost = status.error_message() == "Stream removed";
  return Status(lost ? StatusCode::kUnavailable : static_cast<StatusCode>(status.error_code()),
                status.error_message());
}
// How a call went, where its answer says nothing.
template <typename Answer>
Status StatusOf(const Result<Answer>& answer) {
  return answer.has_value() ? Status() : answer.error();
}
// errno, taken by the caller right after the failing call.
Status FromErrno(int error);

}  // namespace watchproof

#define WP_CONCAT_INNER(a, b) a##b
#define WP_CONCAT(a, b) WP_CONCAT_INNER(a, b)
#define WP_RETURN_IF_ERROR(expression)                                                    \
  do {                                                                                    \
    if (::watchproof::Status wp_status = (expression); !wp_status.ok()) return wp_status; \
  } while (false)
#define WP_ASSIGN_OR_RETURN(left, expression) \
  WP_ASSIGN_OR_RETURN_INNER(WP_CONCAT(wp_result_, __LINE__), left, expression)
#define WP_ASSIGN_OR_RETURN_INNER(result, left, expression)  \
  auto result = (expression);                                \
  if (!result.has_value()) return std::move(result).error(); \
  left = std::move(result).value()
