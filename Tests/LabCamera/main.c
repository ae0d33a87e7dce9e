// SPDX-License-Identifier: MIT
// lab-camera: plays USB webcams, with microphones, to the kernel's uvcvideo and snd-usb-audio, with faults on command.
// `lab-camera map NODE` gives the camera's vendor control a V4L2 name and ends; `map NODE key` makes it the request for
// a key frame.
//
// Each camera is one end of a socket whose other end the kernel's virtual USB host (vhci-hcd) has; they speak USB/IP.
// One thread serves all cameras: it waits for commands, for requests of the host, and for the time of the next frame. A
// camera that is served late shifts its frames; it loses none.

#include "camera.h"

#include <fcntl.h>
#include <linux/uvcvideo.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
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

/// Makes the control of the vendor's unit one of V4L2's, as vendors' programs do: uvcvideo has it only then, and until
/// the camera is unplugged.
static int map_vendor_control(const char *path, bool asks_for_keys) {
    struct uvc_xu_control_mapping mapping = {
        .id = 0x0a1d6b01,
        .name = "Lab Vendor",
        .selector = 1,
        .size = 32,
        .v4l2_type = V4L2_CTRL_TYPE_INTEGER,
        .data_type = UVC_CTRL_DATA_TYPE_SIGNED,
    };
    if (asks_for_keys) {
        mapping.id = V4L2_CID_MPEG_VIDEO_FORCE_KEY_FRAME;
        mapping.v4l2_type = V4L2_CTRL_TYPE_BUTTON;
        memcpy(mapping.name, "Force Key Frame", sizeof "Force Key Frame");
    }
    memcpy(mapping.entity, "livecap lab unit", sizeof mapping.entity);
    int node = open(path, O_RDWR | O_CLOEXEC);
    int status = node >= 0 && ioctl(node, UVCIOC_CTRL_MAP, &mapping) == 0 ? 0 : 1;
    if (status != 0) perror(path);
    return status;
}

int main(int count, char **words) {
    if (count >= 3 && strcmp(words[1], "map") == 0)
        return map_vendor_control(words[2], count == 4 && strcmp(words[3], "key") == 0);
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
            // After the pictures: a click is known before the sound of its time is made.
            next = camera->socket >= 0 ? run_sound(camera, now_ns()) : INT64_MAX;
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
