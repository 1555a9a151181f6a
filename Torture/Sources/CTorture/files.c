// The functions of the C library that open, read, write, synchronize and name files.
//
// A program's own functions come before those of shared libraries, so that the calls of SQLite and
// of Foundation end here, too. They make system calls, since what they replace can't be called.

#define _GNU_SOURCE 1
#include "CTorture.h"
#include "recorder.h"
#include "sanitizers.h"

#ifndef IS_SANITIZED

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum operation {
    OPENS = 1, CREATES = 2, READS = 4, WRITES = 8, SYNCS = 16, NAMES = 32, MAPS = 64, GROWS = 128
};

static const struct { int operations; int code; } faults[FAULT_KINDS] = {
    [FAULT_READ] = {READS, EIO},           [FAULT_WRITE] = {WRITES, EIO},
    [FAULT_FULL] = {CREATES | GROWS, ENOSPC}, [FAULT_SHORT] = {GROWS, ENOSPC},
    [FAULT_SYNC] = {SYNCS, EIO},           [FAULT_OPEN] = {OPENS, EMFILE},
    [FAULT_NAME] = {NAMES, EIO},           [FAULT_MAP] = {MAPS, ENOMEM},
    [FAULT_KILL] = {CREATES | WRITES | SYNCS | NAMES, 0},
};

static char folder[PATH_MAX];
static size_t folder_length;
// Files of an earlier folder may still be open: only those of this turn are watched.
static atomic_int turn;
static atomic_int armed_kind = -1, lasts_on;
static atomic_llong target, count, hits;

#define DESCRIPTORS 65536
static struct { atomic_int turn; int64_t opening; char *path; } descriptors[DESCRIPTORS];
static atomic_llong openings;

void faults_watch(const char *path) {
    faults_disarm();
    atomic_fetch_add(&turn, 1);
    folder_length = strlen(path);
    if (folder_length >= sizeof folder) abort();
    memcpy(folder, path, folder_length + 1);
}

void faults_arm(fault_kind kind, int64_t number, int lasts) {
    atomic_store(&armed_kind, -1);
    atomic_store(&target, number);
    atomic_store(&count, 0);
    atomic_store(&hits, 0);
    atomic_store(&lasts_on, lasts);
    atomic_store(&armed_kind, (int)kind);
}

void faults_disarm(void) { atomic_store(&armed_kind, -1); }
int64_t faults_count(void) { return atomic_load(&count); }
int64_t faults_hits(void) { return atomic_load(&hits); }

static int is_below(const char *path) {
    return folder_length > 0 && path != NULL && strncmp(path, folder, folder_length) == 0
        && (path[folder_length] == '/' || path[folder_length] == 0);
}

static int is_watched(int descriptor) {
    return descriptor >= 0 && descriptor < DESCRIPTORS && folder_length > 0
        && atomic_load(&descriptors[descriptor].turn) == atomic_load(&turn);
}

/// The path that a call is about, if it is below the folder; NULL otherwise.
static const char *watched_path(int directory, const char *path, char *buffer) {
    if (path == NULL) return NULL;
    if (path[0] == '/' || directory == AT_FDCWD) return is_below(path) ? path : NULL;
    if (!is_watched(directory)) return NULL;
    snprintf(buffer, PATH_MAX, "%s/%s", descriptors[directory].path, path);
    return buffer;
}

enum verdict { RUNS, FAILS, TEARS };

/// Counts an operation, and says what becomes of it; sets errno where it fails.
static enum verdict judge(int operation) {
    int kind = atomic_load(&armed_kind);
    if (kind < 0 || !(faults[kind].operations & operation)) return RUNS;
    int64_t number = atomic_fetch_add(&count, 1) + 1, wanted = atomic_load(&target);
    if (wanted == 0 || number < wanted) return RUNS;
    int tears = kind == FAULT_SHORT;
    // Half a write is no error by itself. The rest of it is.
    if (number > wanted + tears && !atomic_load(&lasts_on)) return RUNS;
    atomic_fetch_add(&hits, 1);
    if (kind == FAULT_KILL) raise(SIGKILL);
    if (tears && number == wanted) return TEARS;
    errno = faults[kind].code;
    return FAILS;
}

// MARK: Opening and closing

static int open_at(int directory, const char *path, int flags, mode_t mode) {
    char buffer[PATH_MAX];
    const char *watched = watched_path(directory, path, buffer);
    if (watched) {
        int operation = OPENS;
        if ((flags & O_CREAT) && access(watched, F_OK) != 0) operation |= CREATES;
        if (judge(operation) != RUNS) return -1;
    }
    recorder_lock();
    int descriptor = (int)syscall(SYS_openat, directory, path, flags, mode);
    int code = errno;
    if (watched && descriptor >= 0 && descriptor < DESCRIPTORS) {
        free(descriptors[descriptor].path);
        descriptors[descriptor].path = strdup(watched);
        descriptors[descriptor].opening = atomic_fetch_add(&openings, 1) + 1;
        atomic_store(&descriptors[descriptor].turn, atomic_load(&turn));
        recorder_add(RECORD_OPEN, descriptors[descriptor].opening, flags, NULL, 0, watched, NULL);
    }
    recorder_unlock();
    errno = code;
    return descriptor;
}

#define MODE(flags)                                  \
    mode_t mode = 0;                                 \
    if ((flags) & (O_CREAT | __O_TMPFILE)) {         \
        va_list list;                                \
        va_start(list, flags);                       \
        mode = va_arg(list, mode_t);                 \
        va_end(list);                                \
    }

int open(const char *path, int flags, ...) {
    MODE(flags)
    return open_at(AT_FDCWD, path, flags, mode);
}
int open64(const char *path, int flags, ...) {
    MODE(flags)
    return open_at(AT_FDCWD, path, flags, mode);
}
int openat(int at, const char *path, int flags, ...) {
    MODE(flags)
    return open_at(at, path, flags, mode);
}
int openat64(int at, const char *path, int flags, ...) {
    MODE(flags)
    return open_at(at, path, flags, mode);
}

int close(int descriptor) {
    if (descriptor >= 0 && descriptor < DESCRIPTORS) atomic_store(&descriptors[descriptor].turn, 0);
    return (int)syscall(SYS_close, descriptor);
}

void *mmap(void *at, size_t size, int protection, int flags, int descriptor, off_t offset) {
    if (is_watched(descriptor) && judge(MAPS) != RUNS) return MAP_FAILED;
    return (void *)syscall(SYS_mmap, at, size, protection, flags, descriptor, offset);
}
void *mmap64(void *at, size_t size, int protection, int flags, int descriptor, off_t offset) {
    return mmap(at, size, protection, flags, descriptor, offset);
}

// MARK: Reading and writing

ssize_t read(int descriptor, void *bytes, size_t size) {
    if (is_watched(descriptor) && judge(READS) != RUNS) return -1;
    return syscall(SYS_read, descriptor, bytes, size);
}

ssize_t pread(int descriptor, void *bytes, size_t size, off_t offset) {
    if (is_watched(descriptor) && judge(READS) != RUNS) return -1;
    return syscall(SYS_pread64, descriptor, bytes, size, offset);
}
ssize_t pread64(int descriptor, void *bytes, size_t size, off_t offset) {
    return pread(descriptor, bytes, size, offset);
}

static ssize_t write_at(int descriptor, const void *bytes, size_t size, off_t offset) {
    int is_counted = is_watched(descriptor);
    if (is_counted) {
        enum verdict verdict = judge(WRITES | GROWS);
        if (verdict == FAILS) return -1;
        if (verdict == TEARS && size > 1) size /= 2;
        recorder_lock();
    }
    if (offset < 0 && is_counted && recorder_is_on()) {
        // What goes to the place where the file stands has an offset in the record, too.
        offset = (off_t)syscall(SYS_lseek, descriptor, 0, SEEK_CUR);
        ssize_t done = syscall(SYS_pwrite64, descriptor, bytes, size, offset);
        if (done > 0) syscall(SYS_lseek, descriptor, done, SEEK_CUR);
        if (done > 0) {
            recorder_add(
                RECORD_WRITE, descriptors[descriptor].opening, offset, bytes, done, NULL, NULL);
        }
        recorder_unlock();
        return done;
    }
    ssize_t done = offset < 0 ? syscall(SYS_write, descriptor, bytes, size)
                              : syscall(SYS_pwrite64, descriptor, bytes, size, offset);
    int code = errno;
    if (is_counted) {
        if (done > 0) {
            recorder_add(
                RECORD_WRITE, descriptors[descriptor].opening, offset, bytes, done, NULL, NULL);
        }
        recorder_unlock();
        if (done < 0 && code == ENOSPC && defect_is_planted(DEFECT_SPACE_IGNORED)) {
            return (ssize_t)size;
        }
    }
    errno = code;
    return done;
}

ssize_t write(int descriptor, const void *bytes, size_t size) {
    return write_at(descriptor, bytes, size, -1);
}
ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t offset) {
    return write_at(descriptor, bytes, size, offset);
}
ssize_t pwrite64(int descriptor, const void *bytes, size_t size, off_t offset) {
    return write_at(descriptor, bytes, size, offset);
}

/// What copies files: a part of it, by the two functions above, as sendfile may do.
ssize_t sendfile(int target, int source, off_t *offset, size_t size) {
    static __thread uint8_t buffer[1 << 16];
    if (size > sizeof buffer) size = sizeof buffer;
    ssize_t count = offset ? pread(source, buffer, size, *offset) : read(source, buffer, size);
    if (count <= 0) return count;
    ssize_t done = write(target, buffer, (size_t)count);
    if (offset && done > 0) *offset += done;
    // What was read and not written is read again.
    if (!offset && done < count) {
        syscall(SYS_lseek, source, (done > 0 ? done : 0) - count, SEEK_CUR);
    }
    return done;
}
ssize_t sendfile64(int target, int source, off_t *offset, size_t size) {
    return sendfile(target, source, offset, size);
}

int ftruncate(int descriptor, off_t size) {
    int is_counted = is_watched(descriptor);
    if (is_counted && judge(WRITES) != RUNS) return -1;
    recorder_lock();
    int code = (int)syscall(SYS_ftruncate, descriptor, size);
    if (is_counted && code == 0) {
        recorder_add(
            RECORD_TRUNCATE, descriptors[descriptor].opening, size, NULL, 0, NULL, NULL);
    }
    recorder_unlock();
    return code;
}
int ftruncate64(int descriptor, off_t size) { return ftruncate(descriptor, size); }

static int synchronize(long call, int descriptor) {
    if (!is_watched(descriptor)) return (int)syscall(call, descriptor);
    if (judge(SYNCS) != RUNS) return -1;
    recorder_lock();
    recorder_add(RECORD_SYNC, descriptors[descriptor].opening, 0, NULL, 0, NULL, NULL);
    recorder_unlock();
    // The power cuts are made of the record. Nothing here waits for a disk.
    return 0;
}
int fsync(int descriptor) { return synchronize(SYS_fsync, descriptor); }
int fdatasync(int descriptor) { return synchronize(SYS_fdatasync, descriptor); }

// MARK: Names

/// A call that changes names: judged, made, and written down where it works.
static int name_call(
    record_kind kind, int grows, long call, int at, const char *path, int other_at,
    const char *other, int argument
) {
    char first[PATH_MAX], second[PATH_MAX];
    const char *old = watched_path(at, path, first);
    const char *new = other ? watched_path(other_at, other, second) : NULL;
    if ((old || new) && judge(NAMES | (grows ? CREATES : 0)) != RUNS) return -1;
    recorder_lock();
    int code = other ? (int)syscall(call, at, path, other_at, other, argument)
                     : (int)syscall(call, at, path, argument);
    int error = errno;
    if ((old || new) && code == 0) {
        recorder_add(kind, 0, 0, NULL, 0, old ? old : path, other ? (new ? new : other) : NULL);
    }
    recorder_unlock();
    errno = error;
    return code;
}

int rename(const char *old, const char *new) {
    return name_call(RECORD_RENAME, 1, SYS_renameat2, AT_FDCWD, old, AT_FDCWD, new, 0);
}
int renameat(int at, const char *old, int new_at, const char *new) {
    return name_call(RECORD_RENAME, 1, SYS_renameat2, at, old, new_at, new, 0);
}
int renameat2(int at, const char *old, int new_at, const char *new, unsigned flags) {
    return name_call(RECORD_RENAME, 1, SYS_renameat2, at, old, new_at, new, (int)flags);
}
int link(const char *old, const char *new) {
    return name_call(RECORD_LINK, 1, SYS_linkat, AT_FDCWD, old, AT_FDCWD, new, 0);
}
int linkat(int at, const char *old, int new_at, const char *new, int flags) {
    return name_call(RECORD_LINK, 1, SYS_linkat, at, old, new_at, new, flags);
}
int unlink(const char *path) {
    return name_call(RECORD_UNLINK, 0, SYS_unlinkat, AT_FDCWD, path, 0, NULL, 0);
}
int unlinkat(int at, const char *path, int flags) {
    record_kind kind = flags & AT_REMOVEDIR ? RECORD_REMOVE_FOLDER : RECORD_UNLINK;
    return name_call(kind, 0, SYS_unlinkat, at, path, 0, NULL, flags);
}
int rmdir(const char *path) {
    return name_call(RECORD_REMOVE_FOLDER, 0, SYS_unlinkat, AT_FDCWD, path, 0, NULL, AT_REMOVEDIR);
}
int mkdir(const char *path, mode_t mode) {
    return name_call(RECORD_MAKE_FOLDER, 1, SYS_mkdirat, AT_FDCWD, path, 0, NULL, (int)mode);
}
int mkdirat(int at, const char *path, mode_t mode) {
    return name_call(RECORD_MAKE_FOLDER, 1, SYS_mkdirat, at, path, 0, NULL, (int)mode);
}

#endif
