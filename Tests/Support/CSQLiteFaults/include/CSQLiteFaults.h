#ifndef CSQLITE_FAULTS_H
#define CSQLITE_FAULTS_H

/// Puts an allocator below SQLite that can be told to fail. Before SQLite is used by the process.
///
/// Returns SQLite's result code.
int faulty_memory_install(void);

/// Lets the allocation with that number, counted from 1 and from now on, fail; with `lasts`, all
/// after it, too. 0 ends it.
void faulty_memory_arm(int number, int lasts);

/// How many allocations have failed since it was armed.
int faulty_memory_failures(void);

#endif
