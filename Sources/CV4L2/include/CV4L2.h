// SPDX-License-Identifier: MIT
// V4L2 for Swift: one function per ioctl. Each is retried a bounded number of times when a signal interrupts it, and
// returns 0 (or a count) or the negated errno. No policy, no logging, no state.

#ifndef LIVECAP_CV4L2_H
#define LIVECAP_CV4L2_H

#include <linux/videodev2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct v4lconvert_data;

/// Opens a node for reading and writing, non-blocking, closed on exec; the descriptor or -errno: open(2).
int cv4l2_open(const char *path);
/// close(2).
int cv4l2_close(int fd);

/// VIDIOC_QUERYCAP
int cv4l2_querycap(int fd, struct v4l2_capability *capability);
/// VIDIOC_ENUM_FMT
int cv4l2_enum_fmt(int fd, struct v4l2_fmtdesc *description);
/// VIDIOC_ENUM_FRAMESIZES
int cv4l2_enum_framesizes(int fd, struct v4l2_frmsizeenum *size);
/// VIDIOC_ENUM_FRAMEINTERVALS
int cv4l2_enum_frameintervals(int fd, struct v4l2_frmivalenum *interval);
/// VIDIOC_ENUMINPUT
int cv4l2_enuminput(int fd, struct v4l2_input *input);
/// VIDIOC_G_INPUT
int cv4l2_g_input(int fd, int *input);
/// VIDIOC_G_FMT
int cv4l2_g_fmt(int fd, struct v4l2_format *format);
/// VIDIOC_S_FMT
int cv4l2_s_fmt(int fd, struct v4l2_format *format);
/// VIDIOC_STREAMON for video output
int cv4l2_output_on(int fd);
/// VIDIOC_G_PARM
int cv4l2_g_parm(int fd, struct v4l2_streamparm *parameters);
/// VIDIOC_S_PARM
int cv4l2_s_parm(int fd, struct v4l2_streamparm *parameters);

/// VIDIOC_QUERY_EXT_CTRL
int cv4l2_query_ext_ctrl(int fd, struct v4l2_query_ext_ctrl *control);
/// VIDIOC_QUERYMENU
int cv4l2_querymenu(int fd, struct v4l2_querymenu *item);
/// VIDIOC_G_EXT_CTRLS for one control of up to 64 bits.
int cv4l2_get_control(int fd, uint32_t id, bool is_64_bit, int64_t *value);
/// VIDIOC_S_EXT_CTRLS for one control of up to 64 bits.
int cv4l2_set_control(int fd, uint32_t id, bool is_64_bit, int64_t value);
/// VIDIOC_G_EXT_CTRLS for one control that is a rectangle: its present value, or the one that `which` asks for.
int cv4l2_get_rectangle(int fd, uint32_t which, uint32_t id, struct v4l2_rect *rectangle);
/// VIDIOC_S_EXT_CTRLS for one control that is a rectangle.
int cv4l2_set_rectangle(int fd, uint32_t id, struct v4l2_rect rectangle);

// Added to Linux in 2025: headers may be older, and so may the kernel that runs.

/// Of uvcvideo's controls: the part of the picture that automatic functions look at (linux/uvcvideo.h).
#define CV4L2_CID_UVC_REGION_OF_INTEREST_RECT 0x00981ae1u
/// Of uvcvideo's controls: which automatic functions do so, as bits.
#define CV4L2_CID_UVC_REGION_OF_INTEREST_AUTO 0x00981ae2u
/// What asks for the least and the most that a control can be (linux/videodev2.h).
#define CV4L2_WHICH_MIN 0x0f020000u
#define CV4L2_WHICH_MAX 0x0f030000u

/// VIDIOC_REQBUFS
int cv4l2_reqbufs(int fd, struct v4l2_requestbuffers *request);
/// VIDIOC_QUERYBUF
int cv4l2_querybuf(int fd, struct v4l2_buffer *buffer);
/// VIDIOC_QBUF
int cv4l2_qbuf(int fd, struct v4l2_buffer *buffer);
/// VIDIOC_DQBUF
int cv4l2_dqbuf(int fd, struct v4l2_buffer *buffer);
/// VIDIOC_STREAMON (or VIDIOC_STREAMOFF) for video capture, given up `patience` milliseconds after the descriptor
/// `wake` has become readable, or after the call if `wake` is negative. A USB camera that answers nothing keeps its
/// caller for five seconds, during which the kernel ends no process that waits: so another process waits, which shares
/// this one's memory and the node (clone(2)).
///
/// Returns 0 or -errno, and -EINPROGRESS if it was given up: the kernel is still at it, and all that may be done with
/// `fd` is to close it.
int cv4l2_stream(int fd, bool on, int wake, int patience);
/// Maps a driver's buffer, shared, for reading and writing; NULL and *error = -errno on failure: mmap(2).
void *cv4l2_map(int fd, size_t length, uint32_t offset, int *error);

/// VIDIOC_SUBSCRIBE_EVENT
int cv4l2_subscribe_event(int fd, struct v4l2_event_subscription *subscription);
/// VIDIOC_DQEVENT
int cv4l2_dqevent(int fd, struct v4l2_event *event);

/// Creates libv4lconvert's state for an open device; NULL on failure: v4lconvert_create().
struct v4lconvert_data *cv4l2_converter_create(int fd);
/// v4lconvert_destroy()
void cv4l2_converter_destroy(struct v4lconvert_data *converter);
/// Finds the camera format that converts best to `destination`, and fills in both formats: v4lconvert_try_format(),
/// v4lconvert_fixup_fmt().
int cv4l2_converter_try(struct v4lconvert_data *converter, struct v4l2_format *destination,
                        struct v4l2_format *source);
/// Converts one frame from `source` to `destination`. Returns the bytes written or -errno: v4lconvert_convert().
int cv4l2_convert(struct v4lconvert_data *converter, const struct v4l2_format *source,
                  const struct v4l2_format *destination, const void *bytes, int byte_count, void *into, int capacity);

#endif
