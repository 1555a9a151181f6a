// What is around a program and can't be had from Swift: memory that is mounted as a folder, a clock
// that is set, and system calls that are interrupted.

#define _GNU_SOURCE 1
#include "CTorture.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

// MARK: Folders

int mount_memory(const char *folder, int kilobytes) {
    char options[64];
    snprintf(options, sizeof options, "size=%dk,mode=777", kilobytes);
    return mount("tmpfs", folder, "tmpfs", 0, options) == 0 ? 0 : errno;
}

int mount_read_only(const char *folder, int is_read_only) {
    unsigned long flags = MS_REMOUNT | (is_read_only ? MS_RDONLY : 0);
    return mount("tmpfs", folder, "tmpfs", flags, NULL) == 0 ? 0 : errno;
}

// MARK: The clock

static atomic_llong shift;

void clock_shift(int64_t seconds) { atomic_store(&shift, seconds); }

int clock_gettime(clockid_t clock, struct timespec *time) {
    int code = (int)syscall(SYS_clock_gettime, clock, time);
    if (code == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        time->tv_sec += atomic_load(&shift);
    }
    return code;
}

int gettimeofday(struct timeval *time, void *zone) {
    struct timespec now;
    int code = clock_gettime(CLOCK_REALTIME, &now);
    if (code == 0 && time) *time = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
    return code;
}

time_t time(time_t *place) {
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
    if (place) *place = now.tv_sec;
    return now.tv_sec;
}

// MARK: Interrupted calls

static void nothing(int signal) { (void)signal; }

void interrupts_begin(int microseconds) {
    // Without SA_RESTART: calls that wait end with EINTR.
    struct sigaction action = {.sa_handler = nothing};
    sigaction(SIGALRM, &action, NULL);
    struct itimerval timer = {{0, microseconds}, {0, microseconds}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

void interrupts_end(void) {
    struct itimerval timer = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &timer, NULL);
}
