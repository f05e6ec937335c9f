// SPDX-License-Identifier: Apache-2.0
// Names for Clang's thread-safety attributes; nothing under other compilers.
#pragma once

#if defined(__clang__)
#define WP_ATTRIBUTE(x) __attribute__((x))
#else
#define WP_ATTRIBUTE(x)
#endif

// Abseil defines some of these too, as nothing; where both are included, these replace them.
#undef CAPABILITY
#undef SCOPED_CAPABILITY
#undef GUARDED_BY
#undef REQUIRES
#undef ACQUIRE
#undef RELEASE
#undef EXCLUDES
#undef NO_THREAD_SAFETY_ANALYSIS
#define CAPABILITY(x) WP_ATTRIBUTE(capability(x))
#define SCOPED_CAPABILITY WP_ATTRIBUTE(scoped_lockable)
#define GUARDED_BY(x) WP_ATTRIBUTE(guarded_by(x))
#define REQUIRES(...) WP_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define ACQUIRE(...) WP_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define RELEASE(...) WP_ATTRIBUTE(release_capability(__VA_ARGS__))
#define EXCLUDES(...) WP_ATTRIBUTE(locks_excluded(__VA_ARGS__))
#define NO_THREAD_SAFETY_ANALYSIS WP_ATTRIBUTE(no_thread_safety_analysis)
