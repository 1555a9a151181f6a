#ifndef NEXT_H
#define NEXT_H

#include <dlfcn.h>

/// Declares `next`: the function of a library whose place this program's own one has taken.
#define NEXT(name)                                                     \
    static __typeof__(&name) next;                                     \
    if (!next) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

#endif
