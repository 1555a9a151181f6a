// What stands between the engine and libpq: defects that are planted into statements, and a count of
// what the main thread does with connections. Libpq's header is not asked for, since builds without
// the trait have none.

#define _GNU_SOURCE 1
#include "CTorture.h"
#include "next.h"
#include "sanitizers.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *planted_text, *planted_other;
static atomic_llong changed, main_calls;

void statements_plant(const char *text, const char *other) {
    planted_text = text;
    planted_other = other;
}
int64_t statements_changed(void) { return atomic_load(&changed); }
int64_t main_network_calls(void) { return atomic_load(&main_calls); }

#if defined(POSTGRESQL) && !defined(IS_SANITIZED)

typedef struct pg_conn PGconn;
typedef unsigned int Oid;

static void count(void) {
    if (gettid() == getpid()) atomic_fetch_add(&main_calls, 1);
}

/// The statement with the planted text in place of the other one; NULL where there is none.
static char *with_defect(const char *sql) {
    const char *place = planted_text ? strstr(sql, planted_text) : NULL;
    if (!place) return NULL;
    size_t start = place - sql, cut = strlen(planted_text), added = strlen(planted_other);
    size_t rest = strlen(place + cut);
    char *text = malloc(start + added + rest + 1);
    if (!text) abort();
    memcpy(text, sql, start);
    memcpy(text + start, planted_other, added);
    memcpy(text + start + added, place + cut, rest + 1);
    atomic_fetch_add(&changed, 1);
    return text;
}

int PQsendQueryParams(
    PGconn *connection, const char *sql, int parameter_count, const Oid *types,
    const char *const *values, const int *lengths, const int *formats, int result_format
) {
    NEXT(PQsendQueryParams);
    count();
    char *text = with_defect(sql);
    int is_sent = next(
        connection, text ? text : sql, parameter_count, types, values, lengths, formats,
        result_format
    );
    free(text);
    return is_sent;
}

PGconn *PQconnectdbParams(const char *const *names, const char *const *values, int expands) {
    NEXT(PQconnectdbParams);
    count();
    return next(names, values, expands);
}

int PQconsumeInput(PGconn *connection) {
    NEXT(PQconsumeInput);
    count();
    return next(connection);
}

int PQflush(PGconn *connection) {
    NEXT(PQflush);
    count();
    return next(connection);
}

#endif
