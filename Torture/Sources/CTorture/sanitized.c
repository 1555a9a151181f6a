// What stands in the place of files.c in a build under ThreadSanitizer.

#include "CTorture.h"
#include "sanitizers.h"

#ifdef IS_SANITIZED

#include <stdlib.h>

void faults_watch(const char *folder) { abort(); }
void faults_arm(fault_kind kind, int64_t number, int lasts) { abort(); }
void faults_disarm(void) {}
int64_t faults_count(void) { return 0; }
int64_t faults_hits(void) { return 0; }

#endif
