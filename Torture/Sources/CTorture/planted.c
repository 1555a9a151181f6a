#include "CTorture.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// Mistakes that sanitizers have to find. Volatile, so that the compiler does not find them first.

void planted_leak(void) {
    for (int i = 0; i < 100; i++) {
        volatile char *lost = malloc(1000);
        lost[0] = 1;
    }
}

int planted_use_after_free(void) {
    volatile char *gone = malloc(1000);
    gone[0] = 1;
    free((void *)gone);
    return gone[0];
}

int planted_overflow(int by) {
    volatile int most = INT_MAX;
    return most + by;
}

int planted_network(void) {
    int end = socket(AF_INET, SOCK_STREAM, 0);
    if (end < 0) return errno;
    // Of a network that is kept for documentation: nobody answers, and nobody is waited for.
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(9)};
    inet_pton(AF_INET, "192.0.2.1", &address.sin_addr);
    fcntl(end, F_SETFL, O_NONBLOCK);
    int code = connect(end, (struct sockaddr *)&address, sizeof address) == 0 ? 0 : errno;
    close(end);
    return code == EINPROGRESS ? 0 : code;
}
