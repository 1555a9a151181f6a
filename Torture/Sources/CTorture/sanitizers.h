#ifndef SANITIZERS_H
#define SANITIZERS_H

// ThreadSanitizer takes the place of the C library's functions itself, to see what they do between
// threads. A program that is built under it has no faults, no records and no planted defects; the
// rows that need them are run by another build. AddressSanitizer leaves its place to a program's own
// functions.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define IS_SANITIZED 1
#endif
#endif

#endif
