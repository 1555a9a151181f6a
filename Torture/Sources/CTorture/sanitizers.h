#ifndef SANITIZERS_H
#define SANITIZERS_H

// A sanitizer takes the place of the C library's functions itself, to see what they do to memory and
// between threads. A program that is built under one has no faults, no records and no planted
// defects; the rows that need them are run by an ordinary build.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define IS_SANITIZED 1
#endif
#endif

#endif
