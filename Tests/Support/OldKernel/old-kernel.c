// SPDX-License-Identifier: MIT
// Runs a program with a kernel that refuses a seal of memory files that Linux has had since 5.1, F_SEAL_FUTURE_WRITE,
// as earlier ones do. Ends with 69 if the kernel does not allow that. Usage: old-kernel PROGRAM [ARGUMENT...]

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// Of fcntl(2).
#define ADD_SEALS 1033
#define SEAL_FUTURE_WRITE 0x10

// The lower half of an argument: little-endian machines have it first.
#define ARGUMENT(n) (offsetof(struct seccomp_data, args) + 8 * (n))

#define LOAD(place) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, place)
// These go on with the next instruction if the condition holds, and else skip `count` instructions.
#define UNLESS_EQUAL_SKIP(value, count) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count)
#define UNLESS_SET_SKIP(bits, count) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, count)

int main(int count, char **words) {
    struct sock_filter filter[] = {
        LOAD(offsetof(struct seccomp_data, nr)),
        UNLESS_EQUAL_SKIP(__NR_fcntl, 5),
        LOAD(ARGUMENT(1)),
        UNLESS_EQUAL_SKIP(ADD_SEALS, 3),
        LOAD(ARGUMENT(2)),
        UNLESS_SET_SKIP(SEAL_FUTURE_WRITE, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    if (count < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return 69;
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0) return 69;
    execv(words[1], words + 1);
    return 69;
}
