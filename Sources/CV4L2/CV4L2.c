// SPDX-License-Identifier: MIT
// V4L2 for Swift: one function per ioctl.

#include "CV4L2.h"

#include <errno.h>
#include <fcntl.h>
#include <libv4lconvert.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

/// An occasional signal may interrupt a call, but a storm of signals must not keep a thread here for ever.
enum { MAX_INTERRUPTIONS = 16 };

static int call(int fd, unsigned long request, void *argument) {
    for (int tries = 0; tries < MAX_INTERRUPTIONS; tries++) {
        if (ioctl(fd, request, argument) != -1) return 0;
        if (errno != EINTR) break;
    }
    return -errno;
}

int cv4l2_open(const char *path) {
    for (int tries = 0; tries < MAX_INTERRUPTIONS; tries++) {
        int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
        if (fd >= 0) return fd;
        if (errno != EINTR) break;
    }
    return -errno;
}

int cv4l2_close(int fd) { return close(fd) == -1 ? -errno : 0; }

int cv4l2_querycap(int fd, struct v4l2_capability *capability) { return call(fd, VIDIOC_QUERYCAP, capability); }
int cv4l2_enum_fmt(int fd, struct v4l2_fmtdesc *description) { return call(fd, VIDIOC_ENUM_FMT, description); }
int cv4l2_enum_framesizes(int fd, struct v4l2_frmsizeenum *size) { return call(fd, VIDIOC_ENUM_FRAMESIZES, size); }
int cv4l2_enum_frameintervals(int fd, struct v4l2_frmivalenum *interval) {
    return call(fd, VIDIOC_ENUM_FRAMEINTERVALS, interval);
}
int cv4l2_enuminput(int fd, struct v4l2_input *input) { return call(fd, VIDIOC_ENUMINPUT, input); }
int cv4l2_g_input(int fd, int *input) { return call(fd, VIDIOC_G_INPUT, input); }
int cv4l2_g_fmt(int fd, struct v4l2_format *format) { return call(fd, VIDIOC_G_FMT, format); }
int cv4l2_s_fmt(int fd, struct v4l2_format *format) { return call(fd, VIDIOC_S_FMT, format); }
int cv4l2_output_on(int fd) {
    int type = V4L2_BUF_TYPE_VIDEO_OUTPUT;
    return call(fd, VIDIOC_STREAMON, &type);
}
int cv4l2_g_parm(int fd, struct v4l2_streamparm *parameters) { return call(fd, VIDIOC_G_PARM, parameters); }
int cv4l2_s_parm(int fd, struct v4l2_streamparm *parameters) { return call(fd, VIDIOC_S_PARM, parameters); }

int cv4l2_query_ext_ctrl(int fd, struct v4l2_query_ext_ctrl *control) {
    return call(fd, VIDIOC_QUERY_EXT_CTRL, control);
}
int cv4l2_querymenu(int fd, struct v4l2_querymenu *item) { return call(fd, VIDIOC_QUERYMENU, item); }

static int one_control_of(int fd, uint32_t which, unsigned long request, struct v4l2_ext_control *control) {
    struct v4l2_ext_controls controls = {.which = which, .count = 1, .controls = control};
    return call(fd, request, &controls);
}

static int one_control(int fd, unsigned long request, struct v4l2_ext_control *control) {
    return one_control_of(fd, V4L2_CTRL_WHICH_CUR_VAL, request, control);
}

int cv4l2_get_control(int fd, uint32_t id, bool is_64_bit, int64_t *value) {
    struct v4l2_ext_control control = {.id = id};
    int result = one_control(fd, VIDIOC_G_EXT_CTRLS, &control);
    if (result == 0) *value = is_64_bit ? control.value64 : control.value;
    return result;
}

int cv4l2_set_control(int fd, uint32_t id, bool is_64_bit, int64_t value) {
    struct v4l2_ext_control control = {.id = id};
    if (is_64_bit) control.value64 = value;
    else control.value = (int32_t)value;
    return one_control(fd, VIDIOC_S_EXT_CTRLS, &control);
}

int cv4l2_get_rectangle(int fd, uint32_t which, uint32_t id, struct v4l2_rect *rectangle) {
    struct v4l2_ext_control control = {.id = id, .size = sizeof *rectangle, .ptr = rectangle};
    return one_control_of(fd, which, VIDIOC_G_EXT_CTRLS, &control);
}

int cv4l2_set_rectangle(int fd, uint32_t id, struct v4l2_rect rectangle) {
    struct v4l2_ext_control control = {.id = id, .size = sizeof rectangle, .ptr = &rectangle};
    return one_control(fd, VIDIOC_S_EXT_CTRLS, &control);
}

int cv4l2_reqbufs(int fd, struct v4l2_requestbuffers *request) { return call(fd, VIDIOC_REQBUFS, request); }
int cv4l2_querybuf(int fd, struct v4l2_buffer *buffer) { return call(fd, VIDIOC_QUERYBUF, buffer); }
int cv4l2_qbuf(int fd, struct v4l2_buffer *buffer) { return call(fd, VIDIOC_QBUF, buffer); }
int cv4l2_dqbuf(int fd, struct v4l2_buffer *buffer) { return call(fd, VIDIOC_DQBUF, buffer); }

void *cv4l2_map(int fd, size_t length, uint32_t offset, int *error) {
    void *address = mmap(0, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
    *error = address == MAP_FAILED ? -errno : 0;
    return address == MAP_FAILED ? 0 : address;
}

int cv4l2_subscribe_event(int fd, struct v4l2_event_subscription *subscription) {
    return call(fd, VIDIOC_SUBSCRIBE_EVENT, subscription);
}
int cv4l2_dqevent(int fd, struct v4l2_event *event) { return call(fd, VIDIOC_DQEVENT, event); }

struct v4lconvert_data *cv4l2_converter_create(int fd) { return v4lconvert_create(fd); }
void cv4l2_converter_destroy(struct v4lconvert_data *converter) { v4lconvert_destroy(converter); }

int cv4l2_converter_try(struct v4lconvert_data *converter, struct v4l2_format *destination,
                        struct v4l2_format *source) {
    if (v4lconvert_try_format(converter, destination, source) == -1) return -errno;
    v4lconvert_fixup_fmt(destination);
    return 0;
}

int cv4l2_convert(struct v4lconvert_data *converter, const struct v4l2_format *source,
                  const struct v4l2_format *destination, const void *bytes, int byte_count, void *into, int capacity) {
    // libv4lconvert only reads the source; its prototype lacks the const.
    int written =
        v4lconvert_convert(converter, source, destination, (unsigned char *)bytes, byte_count, into, capacity);
    return written < 0 ? (errno ? -errno : -EIO) : written;
}
