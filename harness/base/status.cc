// SPDX-License-Identifier: Apache-2.0
#include "harness/base/status.h"

#include <cerrno>

namespace watchproof {

const char* Name(StatusCode code) {
  switch (code) {
    case StatusCode::kOk:
      return "ok";
    case StatusCode::kCancelled:
      return "cancelled";
    case StatusCode::kUnknown:
      return "unknown";
    case StatusCode::kInvalidArgument:
      return "invalid argument";
    case StatusCode::kDeadlineExceeded:
      return "deadline exceeded";
    case StatusCode::kNotFound:
      return "not found";
    case StatusCode::kAlreadyExists:
      return "already exists";
    case StatusCode::kPermissionDenied:
      return "permission denied";
    case StatusCode::kResourceExhausted:
      return "resource exhausted";
    case StatusCode::kFailedPrecondition:
      return "failed precondition";
    case StatusCode::kAborted:
      return "aborted";
    case StatusCode::kOutOfRange:
      return "out of range";
    case StatusCode::kUnimplemented:
      return "unimplemented";
    case StatusCode::kInternal:
      return "internal";
    case StatusCode::kUnavailable:
      return "unavailable";
    case StatusCode::kDataLoss:
      return "data loss";
    case StatusCode::kUnauthenticated:
      return "unauthenticated";
  }
  return "unnamed code";
}

std::string Status::ToString() const {
  return ok() ? "ok" : fmt::format("{} ({})", message(), Name(code_));
}

Status FromErrorCode(const std::error_code& error) {
  if (!error) return {};
  StatusCode code = StatusCode::kUnknown;
  if (error == std::errc::no_such_file_or_directory) code = StatusCode::kNotFound;
  if (error == std::errc::permission_denied) code = StatusCode::kPermissionDenied;
  if (error == std::errc::address_in_use || error == std::errc::file_exists) {
    code = StatusCode::kAlreadyExists;
  }
  if (error == std::errc::connection_refused || error == std::errc::connection_reset ||
      error == std::errc::broken_pipe || error == std::errc::not_connected) {
    code = StatusCode::kUnavailable;
  }
  if (error == std::errc::timed_out) code = StatusCode::kDeadlineExceeded;
  if (error == std::errc::operation_canceled) code = StatusCode::kCancelled;
  return Status(code, error.message());
}

Status FromErrno(int error) {
  return FromErrorCode(std::error_code(error, std::generic_category()));
}

}  // namespace watchproof
