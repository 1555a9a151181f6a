#ifndef CTORTURE_H
#define CTORTURE_H

#include <stdint.h>

// Functions of the C library that this target takes the place of, in the whole program: what is
// linked into it, SQLite and Foundation all come here. They do what they always do, by system
// calls, and count, fail or write down those that concern files below one folder. Synchronizing
// a watched file is left out: nothing here waits for a disk.

/// What fails, and with which error.
typedef enum {
    /// Reading: EIO.
    FAULT_READ,
    /// Writing and truncating: EIO.
    FAULT_WRITE,
    /// What needs room on the disk, making files and folders included: ENOSPC.
    FAULT_FULL,
    /// Writing: half of the bytes are written, and the disk is full after that.
    FAULT_SHORT,
    /// Synchronizing a file or folder: EIO.
    FAULT_SYNC,
    /// Opening: EMFILE.
    FAULT_OPEN,
    /// Renaming, linking, removing and making folders: EIO.
    FAULT_NAME,
    /// Mapping a file into memory: ENOMEM.
    FAULT_MAP,
    /// Nothing fails: the process is killed before it writes, synchronizes or names something.
    FAULT_KILL,
    /// The number of kinds.
    FAULT_KINDS
} fault_kind;

/// Names the folder whose files the other functions are about; files that are open stay out.
void faults_watch(const char *folder);

/// Lets the operation of that kind with that number, counted from 1 and from now on, fail; with
/// `lasts`, all after it, too. 0 counts only.
void faults_arm(fault_kind kind, int64_t number, int lasts);

/// Ends it.
void faults_disarm(void);

/// How many operations of the kind there were since it was armed, and how many of them failed.
int64_t faults_count(void);
int64_t faults_hits(void);

/// Has this process killed when the one that has started it ends.
void end_with_parent(void);

/// Gives memory back to the system that was freed and is kept for later.
void memory_give_back(void);

/// Mounts memory as a folder, in a namespace of the process's own. These two return an error code of
/// the system, 0 if it worked.
int mount_memory(const char *folder, int kilobytes);

/// Makes memory that is mounted read-only, or takes that back.
int mount_read_only(const char *folder, int is_read_only);

/// Has the program's clock show another time, so many seconds later, or earlier; 0 for its own.
void clock_shift(int64_t seconds);

/// Interrupts what the program's main thread waits for every so often, until it ends.
void interrupts_begin(int microseconds);
void interrupts_end(void);

/// Puts an allocator below SQLite that can be told to fail. Before SQLite is used by the process.
///
/// Returns SQLite's result code.
int memory_faults_install(void);

/// Lets the allocation of SQLite with that number, counted from 1 and from now on, fail; with
/// `lasts`, all after it, too. 0 counts only.
void memory_faults_arm(int64_t number, int lasts);
void memory_faults_disarm(void);
int64_t memory_faults_count(void);
int64_t memory_faults_hits(void);

/// Defects that are planted in the engine, to see that a row finds them.
typedef enum {
    DEFECT_NONE,
    /// A COMMIT that fails is reported as one that worked.
    DEFECT_COMMIT_IGNORED,
    /// A statement for which there is no memory is reported as one that has come to its end.
    DEFECT_MEMORY_IGNORED,
    /// Updates don't ask for the version of a row.
    DEFECT_VERSION_IGNORED,
    /// Synchronizing a file does nothing.
    DEFECT_SYNC_IGNORED,
    /// Writing to a full disk is reported as writing that worked.
    DEFECT_SPACE_IGNORED,
    /// Numbers are rounded and texts are cut at NUL before they are stored.
    DEFECT_VALUE_CHANGED
} defect;

void defect_plant(defect which);
int defect_is_planted(defect which);

/// Has a text in each statement for a server of PostgreSQL replaced by another one, which may be
/// longer: a defect, too. Both stay as long as the program. Does nothing without the package's trait.
void statements_plant(const char *text, const char *other);

/// How many statements have had the text.
int64_t statements_changed(void);

/// How often the program's first thread, which serves the main queue, has used a connection to a
/// server.
int64_t main_network_calls(void);

/// Mistakes that a sanitizer has to find.
void planted_leak(void);
int planted_use_after_free(void);
int planted_overflow(int by);
/// Asks for a connection; returns the error, and 0 where there is a network.
int planted_network(void);

/// What the recorder writes down.
typedef enum {
    RECORD_OPEN,
    RECORD_WRITE,
    RECORD_TRUNCATE,
    RECORD_SYNC,
    RECORD_RENAME,
    RECORD_LINK,
    RECORD_UNLINK,
    RECORD_MAKE_FOLDER,
    RECORD_REMOVE_FOLDER,
    /// Something that the program itself has noted: an acknowledgement.
    RECORD_NOTE
} record_kind;

/// One operation, in the order in which they were made.
typedef struct {
    record_kind kind;
    /// Which opening of a file it concerns, from 1.
    int64_t opening;
    /// The offset of a write, the size of a truncation, the flags of an opening, a note's number.
    int64_t offset;
    /// What was written, or NULL.
    const uint8_t *bytes;
    int64_t count;
    /// The path, and the new path of a renaming or a link, or NULL.
    const char *path;
    const char *other;
} record;

/// Writes down what changes files below the watched folder, from now on.
void recorder_start(void);
void recorder_stop(void);
void recorder_note(int64_t number);
int64_t recorder_count(void);
record recorder_at(int64_t index);

#endif
