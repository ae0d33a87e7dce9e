// SPDX-License-Identifier: MIT
// A camera of prepared JPEG frames for programs that know V4L2 alone, preloaded: it answers what they ask of one file.
//
//   cc -O2 -shared -fPIC -o fake_video.so fake_video.c
//   FAKE_VIDEO=FILE FAKE_FRAMES=FRAMES FAKE_SIZE=1280x720 FAKE_RATE=30 LD_PRELOAD=./fake_video.so PROGRAM
//
// FRAMES has, for each frame, the count of its bytes (32 bits, little endian) and a JPEG that begins with SOI and a
// comment of 12 bytes. The comment becomes "LCBT" and the time of the frame, which is that of the buffer:
// CLOCK_MONOTONIC, nanoseconds, 64 bits, little endian. A frame that is not taken before the next one is due is lost,
// as the sequence numbers show. Open files are timers, so that every kind of waiting for them works.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { FILES = 1024, BUFFERS = 32, FRAMES = 256, COMMENT = 6 };

struct camera {
    int memory;
    char *bytes;
    unsigned buffers, queue[BUFFERS], queued, used[BUFFERS], sequence;
    int64_t start;
};

static struct camera *cameras[FILES];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static const char *path;
static unsigned width, height, rate, capacity, frame_count;
static struct {
    uint32_t count;
    const char *bytes;
} frames[FRAMES];

static int (*real_open)(const char *, int, ...);
static int (*real_close)(int);
static int (*real_ioctl)(int, unsigned long, ...);
static void *(*real_mmap)(void *, size_t, int, int, int, off_t);
static long (*real_syscall)(long, ...);

static void fail(const char *what) {
    fprintf(stderr, "fake_video: %s\n", what);
    _exit(70);
}

static void load_frames(const char *name) {
    int file = name ? real_open(name, O_RDONLY | O_CLOEXEC) : -1;
    struct stat status;
    if (file < 0 || fstat(file, &status)) fail("FAKE_FRAMES cannot be read");
    const char *bytes = real_mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
    if (bytes == MAP_FAILED) fail("FAKE_FRAMES cannot be mapped");
    for (size_t at = 0; at + 4 < (size_t)status.st_size && frame_count < FRAMES; frame_count++) {
        memcpy(&frames[frame_count].count, bytes + at, 4);
        frames[frame_count].bytes = bytes + at + 4;
        at += 4 + frames[frame_count].count;
        if (frames[frame_count].count > capacity) capacity = frames[frame_count].count;
    }
    real_close(file);
    capacity = (capacity + 0xFFFF) & ~0xFFFFu;
    if (!frame_count) fail("FAKE_FRAMES has no frame");
}

/// Other libraries may call before this one is initialised.
static void find(void) {
    if (real_syscall) return;
    real_open = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    real_close = (int (*)(int))dlsym(RTLD_NEXT, "close");
    real_ioctl = (int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
    real_mmap = (void *(*)(void *, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, "mmap");
    real_syscall = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
}

__attribute__((constructor)) static void load(void) {
    find();
    const char *size = getenv("FAKE_SIZE"), *pace = getenv("FAKE_RATE");
    path = getenv("FAKE_VIDEO");
    if (!path) return;
    rate = pace ? (unsigned)atoi(pace) : 30;
    if (!size || sscanf(size, "%ux%u", &width, &height) != 2 || !rate) fail("FAKE_SIZE or FAKE_RATE is bad");
    load_frames(getenv("FAKE_FRAMES"));
}

static struct camera *camera_of(int file) { return file >= 0 && file < FILES ? cameras[file] : NULL; }

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int open_camera(int flags) {
    int file = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | (flags & O_NONBLOCK ? TFD_NONBLOCK : 0));
    struct camera *camera = calloc(1, sizeof *camera);
    if (file < 0 || file >= FILES || !camera) fail("too many open files");
    camera->memory = memfd_create("fake_video", MFD_CLOEXEC);
    if (ftruncate(camera->memory, (off_t)BUFFERS * capacity)) fail("no memory");
    camera->bytes =
        real_mmap(NULL, (size_t)BUFFERS * capacity, PROT_READ | PROT_WRITE, MAP_SHARED, camera->memory, 0);
    if (camera->bytes == MAP_FAILED) fail("no memory");
    cameras[file] = camera;
    return file;
}

static int set_timer(int file, struct camera *camera, int on) {
    int64_t interval = 1000000000 / rate;
    camera->start = now();
    camera->sequence = 0;
    if (!on) camera->queued = 0;
    struct itimerspec timer = {{0, on ? interval : 0}, {0, 0}};
    if (on) {
        int64_t first = camera->start + interval;
        timer.it_value = (struct timespec){first / 1000000000, first % 1000000000};
    }
    return timerfd_settime(file, TFD_TIMER_ABSTIME, &timer, NULL);
}

static void describe(const struct camera *camera, struct v4l2_buffer *buffer) {
    buffer->length = capacity;
    buffer->m.offset = buffer->index * capacity;
    buffer->bytesused = camera->used[buffer->index];
    buffer->flags = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC;
    buffer->field = V4L2_FIELD_NONE;
}

/// The frame that was due last, in the oldest buffer.
static int take(int file, struct camera *camera, struct v4l2_buffer *buffer) {
    uint64_t due;
    if (read(file, &due, sizeof due) != sizeof due) return -1;
    camera->sequence += (unsigned)due;
    if (!camera->queued) {
        errno = EAGAIN;
        return -1;
    }
    buffer->index = camera->queue[0];
    camera->queued--;
    memmove(camera->queue, camera->queue + 1, camera->queued * sizeof camera->queue[0]);
    unsigned frame = camera->sequence % frame_count;
    char *bytes = camera->bytes + (size_t)buffer->index * capacity;
    int64_t time = camera->start + (int64_t)camera->sequence * (1000000000 / rate);
    memcpy(bytes, frames[frame].bytes, frames[frame].count);
    memcpy(bytes + COMMENT, "LCBT", 4);
    memcpy(bytes + COMMENT + 4, &time, sizeof time);
    camera->used[buffer->index] = frames[frame].count;
    describe(camera, buffer);
    buffer->sequence = camera->sequence - 1;
    buffer->timestamp.tv_sec = time / 1000000000;
    buffer->timestamp.tv_usec = time % 1000000000 / 1000;
    return 0;
}

static void set_format(struct v4l2_format *format) {
    format->fmt.pix = (struct v4l2_pix_format){
        .width = width, .height = height, .pixelformat = V4L2_PIX_FMT_MJPEG, .field = V4L2_FIELD_NONE,
        .sizeimage = capacity, .colorspace = V4L2_COLORSPACE_JPEG};
}

static int enumerate_format(struct v4l2_fmtdesc *format) {
    if (format->index || format->type != V4L2_BUF_TYPE_VIDEO_CAPTURE) return EINVAL;
    format->flags = V4L2_FMT_FLAG_COMPRESSED;
    format->pixelformat = V4L2_PIX_FMT_MJPEG;
    strcpy((char *)format->description, "Motion-JPEG");
    return 0;
}

static int enumerate_size(struct v4l2_frmsizeenum *size) {
    if (size->index || size->pixel_format != V4L2_PIX_FMT_MJPEG) return EINVAL;
    size->type = V4L2_FRMSIZE_TYPE_DISCRETE;
    size->discrete = (struct v4l2_frmsize_discrete){width, height};
    return 0;
}

static int enumerate_interval(struct v4l2_frmivalenum *interval) {
    if (interval->index) return EINVAL;
    interval->type = V4L2_FRMIVAL_TYPE_DISCRETE;
    interval->discrete = (struct v4l2_fract){1, rate};
    return 0;
}

/// Answers a call: 0, or an error's number.
static int answer(int file, struct camera *camera, unsigned request, void *argument) {
    switch (request) {
    case VIDIOC_QUERYCAP: {
        struct v4l2_capability *capability = argument;
        *capability = (struct v4l2_capability){.driver = "fake", .card = "Prepared frames", .bus_info = "fake"};
        capability->device_caps = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING;
        capability->capabilities = capability->device_caps | V4L2_CAP_DEVICE_CAPS;
        return 0;
    }
    case VIDIOC_ENUMINPUT: {
        struct v4l2_input *input = argument;
        if (input->index) return EINVAL;
        *input = (struct v4l2_input){.name = "Camera", .type = V4L2_INPUT_TYPE_CAMERA};
        return 0;
    }
    case VIDIOC_G_INPUT: *(int *)argument = 0; return 0;
    case VIDIOC_S_INPUT: return *(int *)argument ? EINVAL : 0;
    case VIDIOC_ENUM_FMT: return enumerate_format(argument);
    case VIDIOC_ENUM_FRAMESIZES: return enumerate_size(argument);
    case VIDIOC_ENUM_FRAMEINTERVALS: return enumerate_interval(argument);
    case VIDIOC_G_FMT:
    case VIDIOC_TRY_FMT:
    case VIDIOC_S_FMT: set_format(argument); return 0;
    case VIDIOC_G_PARM:
    case VIDIOC_S_PARM: {
        struct v4l2_streamparm *parameters = argument;
        parameters->parm.capture = (struct v4l2_captureparm){
            .capability = V4L2_CAP_TIMEPERFRAME, .timeperframe = {1, rate}, .readbuffers = 2};
        return 0;
    }
    case VIDIOC_REQBUFS: {
        struct v4l2_requestbuffers *wish = argument;
        if (wish->memory != V4L2_MEMORY_MMAP) return EINVAL;
        if (wish->count > BUFFERS) wish->count = BUFFERS;
        wish->capabilities = V4L2_BUF_CAP_SUPPORTS_MMAP;
        camera->buffers = wish->count;
        camera->queued = 0;
        return 0;
    }
    case VIDIOC_QUERYBUF: {
        struct v4l2_buffer *buffer = argument;
        if (buffer->index >= camera->buffers) return EINVAL;
        describe(camera, buffer);
        return 0;
    }
    case VIDIOC_QBUF: {
        struct v4l2_buffer *buffer = argument;
        if (buffer->index >= camera->buffers || camera->queued >= camera->buffers) return EINVAL;
        camera->queue[camera->queued++] = buffer->index;
        return 0;
    }
    case VIDIOC_DQBUF: return take(file, camera, argument) ? errno : 0;
    case VIDIOC_STREAMON: return set_timer(file, camera, 1) ? errno : 0;
    case VIDIOC_STREAMOFF: return set_timer(file, camera, 0) ? errno : 0;
    default: return ENOTTY;
    }
}

static int call(int file, struct camera *camera, unsigned long request, void *argument) {
    pthread_mutex_lock(&mutex);
    int error = answer(file, camera, (unsigned)request, argument);
    pthread_mutex_unlock(&mutex);
    if (!error) return 0;
    errno = error;
    return -1;
}

// What programs call.

int open(const char *name, int flags, ...) {
    find();
    if (path && !strcmp(name, path)) return open_camera(flags);
    va_list arguments;
    va_start(arguments, flags);
    int mode = va_arg(arguments, int);
    va_end(arguments);
    return real_open(name, flags, mode);
}

int open64(const char *name, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    int mode = va_arg(arguments, int);
    va_end(arguments);
    return open(name, flags, mode);
}

int close(int file) {
    find();
    struct camera *camera = camera_of(file);
    if (camera) {
        cameras[file] = NULL;
        munmap(camera->bytes, (size_t)BUFFERS * capacity);
        real_close(camera->memory);
        free(camera);
    }
    return real_close(file);
}

int ioctl(int file, unsigned long request, ...) {
    find();
    va_list arguments;
    va_start(arguments, request);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    struct camera *camera = camera_of(file);
    return camera ? call(file, camera, request, argument) : real_ioctl(file, request, argument);
}

void *mmap(void *address, size_t count, int protection, int flags, int file, off_t offset) {
    find();
    struct camera *camera = camera_of(file);
    return real_mmap(address, count, protection, flags, camera ? camera->memory : file, offset);
}

void *mmap64(void *address, size_t count, int protection, int flags, int file, off_t offset) {
    return mmap(address, count, protection, flags, file, offset);
}

/// livecap starts and stops streams by this call in another process, or in its own if there can be none.
long syscall(long number, ...) {
    find();
    va_list arguments;
    va_start(arguments, number);
    long words[6];
    for (int index = 0; index < 6; index++) words[index] = va_arg(arguments, long);
    va_end(arguments);
    struct camera *camera = number == SYS_ioctl ? camera_of((int)words[0]) : NULL;
    if (camera) return call((int)words[0], camera, (unsigned long)words[1], (void *)words[2]);
    return real_syscall(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

int clone(int (*body)(void *), void *stack, int flags, void *argument, ...) {
    (void)body, (void)stack, (void)flags, (void)argument;
    errno = EPERM;
    return -1;
}
