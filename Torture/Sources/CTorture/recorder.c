#define _GNU_SOURCE 1
#include "recorder.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int is_on;
static record *records;
static int64_t used, room;

int recorder_is_on(void) { return atomic_load(&is_on); }

// Where nothing is recorded, operations run beside each other.
static __thread int is_locked;
void recorder_lock(void) {
    if (!atomic_load(&is_on)) return;
    pthread_mutex_lock(&mutex);
    is_locked = 1;
}
void recorder_unlock(void) {
    if (!is_locked) return;
    is_locked = 0;
    pthread_mutex_unlock(&mutex);
}

void recorder_add(
    record_kind kind, int64_t opening, int64_t offset, const void *bytes, int64_t count,
    const char *path, const char *other
) {
    if (!is_locked) return;
    if (used == room) {
        room = room ? room * 2 : 1024;
        records = realloc(records, (size_t)room * sizeof *records);
        if (!records) abort();
    }
    uint8_t *copy = NULL;
    if (bytes) {
        copy = malloc((size_t)count);
        if (!copy) abort();
        memcpy(copy, bytes, (size_t)count);
    }
    records[used++] = (record){
        kind, opening, offset, copy, count,
        path ? strdup(path) : NULL, other ? strdup(other) : NULL};
}

void recorder_start(void) {
    pthread_mutex_lock(&mutex);
    for (int64_t index = 0; index < used; index++) {
        free((void *)records[index].bytes);
        free((void *)records[index].path);
        free((void *)records[index].other);
    }
    used = 0;
    atomic_store(&is_on, 1);
    pthread_mutex_unlock(&mutex);
}

void recorder_stop(void) {
    pthread_mutex_lock(&mutex);
    atomic_store(&is_on, 0);
    pthread_mutex_unlock(&mutex);
}

void recorder_note(int64_t number) {
    recorder_lock();
    recorder_add(RECORD_NOTE, 0, number, NULL, 0, NULL, NULL);
    recorder_unlock();
}

int64_t recorder_count(void) { return used; }
record recorder_at(int64_t index) { return records[index]; }
