#define _GNU_SOURCE 1
#include "CTorture.h"

#include <malloc.h>
#include <signal.h>
#include <sys/prctl.h>

// From C, since prctl takes variable arguments, which Swift can't pass.
void end_with_parent(void) { prctl(PR_SET_PDEATHSIG, SIGKILL); }

// From C, since Swift's module of the C library lacks it.
void memory_give_back(void) { malloc_trim(0); }
