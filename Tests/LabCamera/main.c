// SPDX-License-Identifier: MIT
// lab-camera: plays USB webcams to the kernel's uvcvideo, with faults on command.
//
// Each camera is one end of a socket whose other end the kernel's virtual USB host (vhci-hcd) has; they speak USB/IP.
// One thread serves all cameras: it waits for commands, for requests of the host, and for the time of the next frame. A
// camera that is served late shifts its frames; it loses none.

#include "camera.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/// Reads commands; returns whether there may be more.
static bool read_commands(void) {
    static char text[4096];
    static size_t length;
    ssize_t count = read(STDIN_FILENO, text + length, sizeof text - 1 - length);
    if (count <= 0) return false;
    length += (size_t)count;
    text[length] = 0;
    char *line = text, *end;
    while ((end = strchr(line, '\n'))) {
        *end = 0;
        command(line);
        line = end + 1;
    }
    length -= (size_t)(line - text);
    memmove(text, line, length);
    return length < sizeof text - 1;
}

int main(void) {
    signal(SIGPIPE, SIG_IGN);
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (;;) {
        int64_t wake = INT64_MAX;
        struct pollfd polled[1 + MAX_CAMERAS] = {{.fd = STDIN_FILENO, .events = POLLIN}};
        for (unsigned i = 0; i < camera_count; i++) {
            struct camera *camera = &cameras[i];
            int64_t next = INT64_MAX;
            if (camera->is_plugging) try_to_plug(camera);
            if (camera->is_plugging) next = now_ns() + 2000000;
            if (camera->socket >= 0) next = run_stream(camera, now_ns());
            if (next < wake) wake = next;
        }
        // After the streams, which may unplug cameras.
        for (unsigned i = 0; i < camera_count; i++)
            polled[1 + i] = (struct pollfd){.fd = cameras[i].socket, .events = POLLIN};
        int64_t pause = wake == INT64_MAX ? 0 : wake - now_ns();
        if (pause < 0) pause = 0;
        struct timespec timeout = {.tv_sec = pause / 1000000000, .tv_nsec = pause % 1000000000};
        if (ppoll(polled, 1 + camera_count, wake == INT64_MAX ? NULL : &timeout, NULL) < 0) continue;
        unsigned count = camera_count;
        if (polled[0].revents && !read_commands()) return 0;
        for (unsigned i = 0; i < count; i++)
            if (polled[1 + i].revents && cameras[i].socket == polled[1 + i].fd) receive(&cameras[i]);
    }
}
