// What stands between the engine and SQLite: an allocator that fails, and defects that are planted.

#define _GNU_SOURCE 1
#include "CTorture.h"
#include "next.h"
#include "sanitizers.h"

#include <sqlite3.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// MARK: Memory

// From C, since sqlite3_config takes variable arguments, which Swift can't pass.
// https://www.sqlite.org/c3ref/mem_methods.html
static sqlite3_mem_methods system_methods;
static atomic_int is_armed, lasts_on;
static atomic_llong target, count, hits;

static int fails(void) {
    if (!atomic_load(&is_armed)) return 0;
    int64_t number = atomic_fetch_add(&count, 1) + 1, wanted = atomic_load(&target);
    if (wanted == 0 || number < wanted) return 0;
    if (number > wanted && !atomic_load(&lasts_on)) return 0;
    atomic_fetch_add(&hits, 1);
    return 1;
}

static void *failing_malloc(int size) { return fails() ? NULL : system_methods.xMalloc(size); }
static void *failing_realloc(void *old, int size) {
    return fails() ? NULL : system_methods.xRealloc(old, size);
}

int memory_faults_install(void) {
    int code = sqlite3_shutdown();
    if (code == SQLITE_OK) code = sqlite3_config(SQLITE_CONFIG_GETMALLOC, &system_methods);
    if (code != SQLITE_OK) return code;
    sqlite3_mem_methods methods = system_methods;
    methods.xMalloc = failing_malloc;
    methods.xRealloc = failing_realloc;
    code = sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
    // Lookaside memory would hide most allocations from the allocator.
    if (code == SQLITE_OK) code = sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
    return code;
}

void memory_faults_arm(int64_t number, int lasts) {
    atomic_store(&is_armed, 0);
    atomic_store(&target, number);
    atomic_store(&count, 0);
    atomic_store(&hits, 0);
    atomic_store(&lasts_on, lasts);
    atomic_store(&is_armed, 1);
}
void memory_faults_disarm(void) { atomic_store(&is_armed, 0); }
int64_t memory_faults_count(void) { return atomic_load(&count); }
int64_t memory_faults_hits(void) { return atomic_load(&hits); }

// MARK: Planted defects

static atomic_int planted = DEFECT_NONE;
void defect_plant(defect which) { atomic_store(&planted, which); }
int defect_is_planted(defect which) { return atomic_load(&planted) == (int)which; }

#ifndef IS_SANITIZED

int sqlite3_exec(
    sqlite3 *handle, const char *sql, int (*row)(void *, int, char **, char **), void *context,
    char **message
) {
    NEXT(sqlite3_exec);
    int code = next(handle, sql, row, context, message);
    int is_hidden = atomic_load(&planted) == DEFECT_COMMIT_IGNORED && strcmp(sql, "COMMIT") == 0;
    if (!is_hidden || code == SQLITE_OK) return code;
    next(handle, "ROLLBACK", NULL, NULL, NULL);
    return SQLITE_OK;
}

int sqlite3_step(sqlite3_stmt *statement) {
    NEXT(sqlite3_step);
    int code = next(statement);
    int is_hidden = atomic_load(&planted) == DEFECT_MEMORY_IGNORED && (code & 0xff) == SQLITE_NOMEM;
    return is_hidden ? SQLITE_DONE : code;
}

int sqlite3_bind_double(sqlite3_stmt *statement, int index, double value) {
    NEXT(sqlite3_bind_double);
    return next(statement, index, defect_is_planted(DEFECT_VALUE_CHANGED) ? (float)value : value);
}

int sqlite3_bind_text64(
    sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 size,
    void (*free)(void *), unsigned char encoding
) {
    NEXT(sqlite3_bind_text64);
    if (defect_is_planted(DEFECT_VALUE_CHANGED)) size = strnlen(text, size);
    return next(statement, index, text, size, free, encoding);
}

int sqlite3_prepare_v3(
    sqlite3 *handle, const char *sql, int size, unsigned flags, sqlite3_stmt **statement,
    const char **tail
) {
    NEXT(sqlite3_prepare_v3);
    static const char asked[] = "IFNULL(Z_OPT, 0) = ?", unasked[] = "? IS NOT NULL";
    const char *place = atomic_load(&planted) == DEFECT_VERSION_IGNORED ? strstr(sql, asked) : NULL;
    if (!place) return next(handle, sql, size, flags, statement, tail);
    // The parameter stays, since the engine binds it.
    char *text = strdup(sql);
    if (!text) return SQLITE_NOMEM;
    char *start = text + (place - sql);
    memset(start, ' ', sizeof asked - 1);
    memcpy(start, unasked, sizeof unasked - 1);
    int code = next(handle, text, -1, flags, statement, NULL);
    free(text);
    return code;
}

#endif
