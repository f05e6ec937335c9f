// SPDX-License-Identifier: Apache-2.0
#include "harness/base/status.h"

namespace watchproof {

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
