// SPDX-License-Identifier: MIT
// Unix stream sockets, and signals as descriptors.

#include "CSystem.h"

#include <errno.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

int lc_unix_socket(void) {
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    return fd < 0 ? -errno : fd;
}

/// 0, or -ENAMETOOLONG: a truncated path would name another file.
static int fill(struct sockaddr_un *address, const char *path) {
    size_t length = strlen(path);
    if (length >= sizeof address->sun_path) return -ENAMETOOLONG;
    address->sun_family = AF_UNIX;
    memcpy(address->sun_path, path, length + 1);
    return 0;
}

int lc_unix_bind(int fd, const char *path) {
    struct sockaddr_un address = {0};
    int result = fill(&address, path);
    if (result < 0) return result;
    return bind(fd, (const struct sockaddr *)&address, sizeof address) < 0 ? -errno : 0;
}

int lc_unix_connect(int fd, const char *path) {
    struct sockaddr_un address = {0};
    int result = fill(&address, path);
    if (result < 0) return result;
    return connect(fd, (const struct sockaddr *)&address, sizeof address) < 0 ? -errno : 0;
}

int lc_accept(int fd) {
    int peer = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    return peer < 0 ? -errno : peer;
}

int lc_peer_user(int fd, uint32_t *user) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0) return -errno;
    *user = peer.uid;
    return 0;
}

int64_t lc_send(int fd, const void *bytes, size_t count) {
    ssize_t sent = send(fd, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
    return sent < 0 ? -errno : sent;
}

int64_t lc_send_descriptor(int fd, const void *bytes, size_t count, int attached) {
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr aligned;
    } control = {0};
    struct iovec vector = {.iov_base = (void *)bytes, .iov_len = count};
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
    if (attached >= 0) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof attached);
        memcpy(CMSG_DATA(header), &attached, sizeof attached);
    }
    ssize_t sent = sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    return sent < 0 ? -errno : sent;
}

int lc_first_realtime_signal(void) { return SIGRTMIN; }

int lc_signalfd(const sigset_t *signals) {
    int fd = signalfd(-1, signals, SFD_NONBLOCK | SFD_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

int lc_read_signal(int fd, int *value) {
    struct signalfd_siginfo info;
    ssize_t count = read(fd, &info, sizeof info);
    if (count < 0) return -errno;
    if (count != sizeof info) return -EIO;
    *value = info.ssi_code == SI_QUEUE ? info.ssi_int : 0;
    return (int)info.ssi_signo;
}

int lc_queue_signal(int thread, int signal, int value) {
    siginfo_t info = {.si_signo = signal, .si_code = SI_QUEUE};
    info.si_pid = getpid();
    info.si_uid = getuid();
    info.si_value.sival_int = value;
    return syscall(SYS_rt_tgsigqueueinfo, getpid(), thread, signal, &info) < 0 ? -errno : 0;
}
