// What the Swift runtime, the processor, the C library and Foundation have that Swift code can't name. The
// linker finds these in dynamic and in static libraries alike; `dlsym` finds nothing in a program that holds
// the runtime itself (`--static-swift-stdlib`).
#pragma once
#include <stdbool.h>
#include <stdint.h>

/// Retains an object unless its `deinit` has begun, then gives null. `weak` stands on it.
const void *_Nullable runtime_tryRetain(const void *_Nonnull object)
    __asm__("swift_tryRetain");

/// Allocates an object, whose stored properties nobody has initialized.
void *_Nonnull runtime_allocObject(
    const void *_Nonnull metadata, uintptr_t size, uintptr_t alignmentMask
) __asm__("swift_allocObject");

/// Makes an object of memory that somebody else keeps: its last release runs `deinit` and frees
/// nothing. Objects that the compiler puts on the stack are made so.
void *_Nonnull runtime_initStackObject(const void *_Nonnull metadata, void *_Nonnull memory)
    __asm__("swift_initStackObject");

/// Calls a function for each image with Swift types, with a pointer to its ranges of records, until
/// it gives false. Source: the project's `stdlib/public/runtime/ImageInspectionCommon.cpp`.
void runtime_enumerateMetadataSections(
    bool (*_Nonnull body)(const uintptr_t *_Nullable sections, void *_Nullable context),
    void *_Nullable context
) __asm__("swift_enumerateAllMetadataSections");

/// Has the processor's cache fetch the memory at an address, which is going to be written, and does not
/// wait for it. Of an address that is none nothing becomes.
static inline void runtime_prefetchForWriting(const void *_Nonnull address) {
    __builtin_prefetch(address, 1);
}

/// The same for memory that is going to be read.
static inline void runtime_prefetch(const void *_Nonnull address) { __builtin_prefetch(address, 0); }

/// The number of the processor that runs the caller. Source: sched_getcpu(3).
int system_currentProcessor(void) __asm__("sched_getcpu");

// Methods of Foundation's classes, by their mangled names. Only their addresses are of use: entries
// of method tables are compared with them.

/// `NSPredicate.predicateFormat`
void foundation_predicateFormat(void)
    __asm__("$s10Foundation11NSPredicateC15predicateFormatSSvg");
/// `NSPredicate.isEqual(_:)`
void foundation_predicateIsEqual(void)
    __asm__("$s10Foundation11NSPredicateC7isEqualySbypSgF");
/// `NSObject.description`
void foundation_objectDescription(void) __asm__("$s10Foundation8NSObjectC11descriptionSSvg");
/// `NSObject.hash`
void foundation_objectHash(void) __asm__("$s10Foundation8NSObjectC4hashSivg");
