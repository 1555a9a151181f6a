#include "CTorture.h"

#include <signal.h>
#include <sys/prctl.h>

// From C, since prctl takes variable arguments, which Swift can't pass.
void end_with_parent(void) { prctl(PR_SET_PDEATHSIG, SIGKILL); }
