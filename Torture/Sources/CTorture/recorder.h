#ifndef RECORDER_H
#define RECORDER_H

#include "CTorture.h"

/// Held while an operation is made and written down, so that the record has their order.
void recorder_lock(void);
void recorder_unlock(void);
int recorder_is_on(void);

/// Writes an operation down, if the recorder is on. With the lock held.
void recorder_add(
    record_kind kind, int64_t opening, int64_t offset, const void *bytes, int64_t count,
    const char *path, const char *other);

#endif
