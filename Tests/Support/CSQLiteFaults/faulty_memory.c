#include "CSQLiteFaults.h"

#include <sqlite3.h>
#include <stdatomic.h>

// https://www.sqlite.org/c3ref/mem_methods.html: from C, since sqlite3_config takes variable
// arguments, which Swift can't pass.
static sqlite3_mem_methods system_methods;
static atomic_int remaining, failures, lasts_on;

static int fails(void) {
    int number = atomic_load(&remaining);
    if (number == 0) return 0;
    if (number > 1) {
        atomic_fetch_sub(&remaining, 1);
        return 0;
    }
    if (!atomic_load(&lasts_on)) atomic_store(&remaining, 0);
    atomic_fetch_add(&failures, 1);
    return 1;
}

static void *faulty_malloc(int size) { return fails() ? 0 : system_methods.xMalloc(size); }

static void *faulty_realloc(void *old, int size) {
    return fails() ? 0 : system_methods.xRealloc(old, size);
}

int faulty_memory_install(void) {
    int code = sqlite3_shutdown();
    if (code == SQLITE_OK) code = sqlite3_config(SQLITE_CONFIG_GETMALLOC, &system_methods);
    if (code != SQLITE_OK) return code;
    sqlite3_mem_methods methods = system_methods;
    methods.xMalloc = faulty_malloc;
    methods.xRealloc = faulty_realloc;
    code = sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
    // Lookaside memory would hide most allocations from the allocator.
    if (code == SQLITE_OK) code = sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
    return code;
}

void faulty_memory_arm(int number, int lasts) {
    atomic_store(&failures, 0);
    atomic_store(&lasts_on, lasts);
    atomic_store(&remaining, number);
}

int faulty_memory_failures(void) { return atomic_load(&failures); }
