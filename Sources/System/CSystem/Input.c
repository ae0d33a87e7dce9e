// SPDX-License-Identifier: MIT
// Linux input devices: one function per ioctl.

#include "CSystem.h"

#include <errno.h>
#include <linux/input.h>
#include <sys/ioctl.h>

// The layout that the Swift code expects when it reads events.
_Static_assert(sizeof(struct input_event) == LC_INPUT_EVENT_BYTES, "two 64-bit words of time, type, code, value");

static int result_of(int returned) { return returned < 0 ? -errno : returned; }

int lc_input_set_clock(int fd, int clock) { return result_of(ioctl(fd, EVIOCSCLOCKID, &clock)); }

int lc_input_grab(int fd, int exclusive) { return result_of(ioctl(fd, EVIOCGRAB, exclusive)); }

int lc_input_known_keys(int fd, void *bits, size_t count) {
    return result_of(ioctl(fd, EVIOCGBIT(EV_KEY, count), bits));
}

int lc_input_held_keys(int fd, void *bits, size_t count) { return result_of(ioctl(fd, EVIOCGKEY(count), bits)); }

int lc_input_name(int fd, char *name, size_t count) { return result_of(ioctl(fd, EVIOCGNAME(count), name)); }
