// SPDX-License-Identifier: MIT
// Viewers of an MJPEG stream over HTTP, all in one thread: what each of them gets, and how late.
//
//   cc -O2 -o viewers viewers.c
//   viewers PORT PATH COUNT SECONDS
//
// Frames carry their time in a comment, as fake_video.c writes it. After a second, which does not count, prints one
// object of JSON: frames per second of all viewers and of the worst, and the time from a frame's time to its last byte.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { HEAD = 4096, MARK = 18, BLOCK = 1 << 18 };

struct viewer {
    int socket;
    unsigned head_count, mark_count;
    size_t remaining;
    unsigned frames;
    char head[HEAD];
    unsigned char mark[MARK];
};

static int64_t *delays, begin, end;
static size_t delay_count, delay_room;

static void fail(const char *what) {
    fprintf(stderr, "viewers: %s\n", what);
    exit(1);
}

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void note(struct viewer *viewer, int64_t received) {
    int64_t time;
    if (viewer->mark_count < MARK || memcmp(viewer->mark + 6, "LCBT", 4)) fail("a frame without its time");
    memcpy(&time, viewer->mark + 10, sizeof time);
    if (received < begin || received >= end) return;
    viewer->frames++;
    if (delay_count == delay_room) delays = realloc(delays, (delay_room = delay_room * 2 + 4096) * sizeof *delays);
    if (!delays) fail("no memory");
    delays[delay_count++] = received - time;
}

/// The length in the head of a part; 0 for the head of the answer, and for what comes between parts.
static size_t length_of(const char *head) {
    for (const char *line = head; (line = strstr(line, "\r\n")); line += 2) {
        if (!strncasecmp(line + 2, "content-length:", 15)) return (size_t)atol(line + 17);
    }
    return 0;
}

static void take(struct viewer *viewer, const char *bytes, size_t count, int64_t received) {
    while (count) {
        if (viewer->remaining) {
            size_t part = count < viewer->remaining ? count : viewer->remaining;
            for (size_t at = 0; at < part && viewer->mark_count < MARK;) {
                viewer->mark[viewer->mark_count++] = (unsigned char)bytes[at++];
            }
            viewer->remaining -= part;
            bytes += part;
            count -= part;
            if (!viewer->remaining) note(viewer, received);
            continue;
        }
        if (viewer->head_count == HEAD - 1) fail("a head without end");
        viewer->head[viewer->head_count++] = *bytes++;
        count--;
        if (viewer->head_count < 4 || memcmp(viewer->head + viewer->head_count - 4, "\r\n\r\n", 4)) continue;
        viewer->head[viewer->head_count] = 0;
        viewer->remaining = length_of(viewer->head);
        viewer->head_count = viewer->mark_count = 0;
    }
}

static int connect_to(int port, const char *path) {
    int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(connection, (struct sockaddr *)&address, sizeof address)) fail("cannot connect");
    char request[512];
    int count = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path);
    if (send(connection, request, (size_t)count, MSG_NOSIGNAL) != count) fail("cannot send");
    return connection;
}

static int compare(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static double quantile(double q) {
    if (!delay_count) return -1;
    size_t at = (size_t)(q * (double)delay_count);
    return (double)delays[at < delay_count ? at : delay_count - 1] * 1e-6;
}

int main(int argc, char **argv) {
    if (argc != 5) fail("usage: viewers PORT PATH COUNT SECONDS");
    int count = atoi(argv[3]), events = epoll_create1(EPOLL_CLOEXEC);
    struct viewer *viewers = calloc((size_t)count, sizeof *viewers);
    char *block = malloc(BLOCK);
    if (count < 1 || !viewers || !block) fail("no viewers");
    for (int index = 0; index < count; index++) {
        viewers[index].socket = connect_to(atoi(argv[1]), argv[2]);
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)index};
        if (epoll_ctl(events, EPOLL_CTL_ADD, viewers[index].socket, &event)) fail("cannot wait");
    }
    begin = now() + 1000000000;
    end = begin + (int64_t)(atof(argv[4]) * 1e9);
    // Whoever measures the server now begins.
    printf("ready\n");
    fflush(stdout);
    while (now() < end) {
        struct epoll_event ready[64];
        int found = epoll_wait(events, ready, 64, 20);
        for (int index = 0; index < found; index++) {
            struct viewer *viewer = &viewers[ready[index].data.u32];
            ssize_t bytes = recv(viewer->socket, block, BLOCK, MSG_DONTWAIT);
            if (bytes == 0 || (bytes < 0 && errno != EAGAIN && errno != EINTR)) fail("the stream has ended");
            if (bytes > 0) take(viewer, block, (size_t)bytes, now());
        }
    }
    unsigned least = viewers[0].frames;
    for (int index = 1; index < count; index++) {
        if (viewers[index].frames < least) least = viewers[index].frames;
    }
    qsort(delays, delay_count, sizeof *delays, compare);
    double seconds = (double)(end - begin) * 1e-9;
    printf(
        "{\"framesPerSecond\": %.2f, \"worst\": %.2f, \"p50Ms\": %.3f, \"p99Ms\": %.3f}\n",
        (double)delay_count / count / seconds, least / seconds, quantile(0.5), quantile(0.99));
    return 0;
}
