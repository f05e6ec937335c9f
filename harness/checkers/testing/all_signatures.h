// SPDX-License-Identifier: Apache-2.0
// Every signature, for the tests that compare them with the answer key.
//
// Threads: constants.
#pragma once

#include "harness/checkers/signatures.h"

namespace watchproof::signature {

inline constexpr std::string_view kAll[] = {kDeleteAtTheFloor,
                                            kHalfRevisionAtTheFloor,
                                            kNegativeStart,
                                            kIdOfMinusOne,
                                            kSilentAfterCompaction,
                                            kNoticeRepeated,
                                            kFalseNotice,
                                            kReplayed,
                                            kProgressOvertakes,
                                            kProgressBelowStart,
                                            kEventsBelowStart,
                                            kNoProgress,
                                            kPreviousValueGone,
                                            kWrongWatchClosed,
                                            kRevisionsReused,
                                            kWriteLost,
                                            kStaleRead,
                                            kOpenRangeAllowed,
                                            kAnswersOutOfOrder,
                                            kLeaseLeftOut,
                                            kCreatedTooLate,
                                            kOptionsTooLate,
                                            kProgressForLaterWatch,
                                            kProgressHeldBack,
                                            kEventsOfFormer,
                                            kForgottenByCancel,
                                            kRefusedWriteDone,
                                            kNamesItsRequest,
                                            kJoinsEndedWatch,
                                            kSlowStreamEnded,
                                            kKeptWithoutLeader};

}  // namespace watchproof::signature
