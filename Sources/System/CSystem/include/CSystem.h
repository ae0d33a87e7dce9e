// SPDX-License-Identifier: MIT
// The few Linux calls that Swift cannot import. One function per call; errors are returned as negative errno; no
// policy.

#ifndef LIVECAP_CSYSTEM_H
#define LIVECAP_CSYSTEM_H

#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>

/// CLOCK_MONOTONIC in nanoseconds: clock_gettime(2), through the vDSO.
int64_t lc_monotonic_ns(void);

/// Sleeps while *word == expected, at most until `deadline_ns` on CLOCK_MONOTONIC (negative: no deadline). Returns 0
/// when woken, -EAGAIN if the word differed, -ETIMEDOUT or -EINTR: futex(2), FUTEX_WAIT_BITSET_PRIVATE.
int lc_futex_wait_until(const uint32_t *word, uint32_t expected, int64_t deadline_ns);

/// Wakes every sleeper on the word: futex(2), FUTEX_WAKE_PRIVATE.
int lc_futex_wake_all(const uint32_t *word);

/// Wakes every sleeper on a word of shared memory, in all processes: futex(2), FUTEX_WAKE.
int lc_futex_wake_everywhere(const uint32_t *word);

/// Creates a memory file of `bytes`, all of them allocated. The descriptor or -errno: memfd_create(2), fallocate(2).
int lc_memory_file(const char *name, int64_t bytes);

/// Keeps a memory file from changing its size and from being written, except through mappings there are: fcntl(2),
/// F_ADD_SEALS.
int lc_seal_memory_file(int descriptor);

/// Opens the same file for reading only. The descriptor or -errno: open(2) of /proc/self/fd.
int lc_reopen_for_reading(int descriptor);

/// Pauses the processor briefly in a spin loop, which leaves more of the core to its sibling thread.
static inline void lc_spin_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("isb" ::: "memory");
#endif
}

/// Report to the thread sanitizer, if there is one, that the caller has taken or released a lock of its own:
/// __tsan_acquire, __tsan_release.
void lc_lock_taken(const void *lock);
void lc_lock_given(const void *lock);

/// The number of processors this process may run on: sched_getaffinity(2). 1 if it cannot be determined.
int lc_processor_count(void);

/// Reads which processors the calling thread may use, a bit for each, into `bytes` of zeros: sched_getaffinity(2).
int lc_thread_processors(void *bits, size_t bytes);

/// Keeps the calling thread, and threads it creates, on these processors: sched_setaffinity(2).
int lc_thread_stay_on(const void *bits, size_t bytes);

/// Requests SCHED_FIFO at `priority` for the calling thread: sched_setscheduler(2).
int lc_thread_realtime(int priority);

/// Sets the nice value of the calling thread, so that it yields to others: setpriority(2).
int lc_thread_nice(int nice);

/// Makes the calling thread, and threads it creates, yield to all others: sched_setscheduler(2) with SCHED_BATCH, and
/// the highest nice value of setpriority(2). They still get a little time on busy processors, so they finish
/// eventually.
int lc_thread_background(void);

// The address space in bytes that remains under a limit once `threads` more threads have their stacks; -1 if there is
// no limit. If there is one, all threads share one heap from then on: getrlimit(2), mallopt(3).
int64_t lc_address_room(int threads);

/// Makes all threads share at most `count` heaps: mallopt(3), M_ARENA_MAX.
void lc_share_heaps(int count);

/// The machine's physical memory in bytes: sysconf(3), _SC_PHYS_PAGES.
int64_t lc_physical_memory(void);

/// Maps zeroed memory outside the heap, using large pages where the system has them and `bytes` fills them: mmap(2),
/// madvise(2) with MADV_HUGEPAGE. NULL if there is not enough memory.
void *lc_map_memory(size_t bytes);

/// Unmaps memory from lc_map_memory: munmap(2).
void lc_unmap_memory(void *memory, size_t bytes);

/// Names the calling thread (at most 15 bytes): prctl(2).
int lc_thread_name(const char *name);

/// Creates a counter to poll, at 0, non-blocking, closed on exec. Returns the descriptor or -errno: eventfd(2).
int lc_eventfd(void);

/// Renames a file. With `replace` 0, fails with -EEXIST if the new name exists, or with -EINVAL if the file system does
/// not support the check. Names are resolved relative to open folders or AT_FDCWD: renameat2(2).
int lc_rename(int from_folder, const char *from, int to_folder, const char *to, int replace);

/// Locks one byte of a file for this open file description, without waiting; -EAGAIN if another one holds the lock.
/// Closing the descriptor releases the lock: fcntl(2), F_OFD_SETLK.
int lc_lock_byte(int descriptor, int64_t offset);
/// The same, but waits for as long as another open file has the lock.
int lc_lock_byte_waiting(int descriptor, int64_t offset);

/// Releases all byte locks that this open file description holds: fcntl(2), F_OFD_SETLK.
int lc_unlock_bytes(int descriptor);

/// Starts flushing a range of a file to disk without waiting: sync_file_range(2), SYNC_FILE_RANGE_WRITE.
int lc_start_writeback(int descriptor, int64_t offset, int64_t count);

/// Allocates blocks for the first `count` bytes of a file without changing its size: fallocate(2), FALLOC_FL_KEEP_SIZE.
int lc_preallocate(int descriptor, int64_t count);

/// Opens a folder as a base for names, following no link. Needs no read permission on it. The descriptor or -errno:
/// openat(2), O_PATH.
int lc_open_to_name(int folder, const char *name);

/// Bytes of the heap in use: mallinfo2(3).
int64_t lc_heap_bytes(void);

/// Returns the heap's free memory to the system: malloc_trim(3).
void lc_heap_trim(void);

/// Creates a Unix stream socket, non-blocking, closed on exec. Returns the descriptor or -errno: socket(2).
int lc_unix_socket(void);

/// Binds the socket to a path. -ENAMETOOLONG for paths of 108 bytes or more: bind(2).
int lc_unix_bind(int fd, const char *path);

/// Connects to the socket at a path: connect(2).
int lc_unix_connect(int fd, const char *path);

/// Accepts a waiting connection, non-blocking, closed on exec. Returns the descriptor or -errno: accept4(2).
int lc_accept(int fd);

/// The user id of the connected peer: getsockopt(2), SO_PEERCRED.
int lc_peer_user(int fd, uint32_t *user);

/// Sends bytes and a descriptor at once, without waiting or raising SIGPIPE; `attached` -1 sends no descriptor. Returns
/// the bytes sent or -errno: sendmsg(2), SCM_RIGHTS.
int64_t lc_send_descriptor(int fd, const void *bytes, size_t count, int attached);

/// Sends as much as possible without waiting or raising SIGPIPE. Returns the bytes sent or -errno: send(2).
int64_t lc_send(int fd, const void *bytes, size_t count);

/// The first real-time signal the C library leaves to programs: SIGRTMIN.
int lc_first_realtime_signal(void);

/// Creates a descriptor for reading blocked signals, non-blocking, closed on exec. Returns the descriptor or -errno:
/// signalfd(2).
int lc_signalfd(const sigset_t *signals);

/// Reads the next signal from such a descriptor. Returns its number, or -errno (-EAGAIN if there is none). `value` is
/// set to the value that sigqueue(3) sent with it, or to 0 for signals sent in other ways.
int lc_read_signal(int fd, int *value);

/// Queues a signal with a value for one thread of this process, for tests: rt_tgsigqueueinfo(2).
int lc_queue_signal(int thread, int signal, int value);

/// Keeps a spawned program from inheriting any descriptor from `first` on, no matter when it was opened or by which
/// thread: posix_spawn_file_actions_addclosefrom_np(3).
int lc_spawn_close_from(posix_spawn_file_actions_t *actions, int first);

/// The size of a struct input_event in bytes: seconds, microseconds (64 bits each), type, code (16 each), value (32).
#define LC_INPUT_EVENT_BYTES 24

/// Selects the clock for an input device's event times on this descriptor: EVIOCSCLOCKID.
int lc_input_set_clock(int fd, int clock);

/// Grabs an input device exclusively for this descriptor, or releases it: EVIOCGRAB.
int lc_input_grab(int fd, int exclusive);

/// Sets a bit for each key the device has. Returns the bytes written or -errno: EVIOCGBIT(EV_KEY).
int lc_input_known_keys(int fd, void *bits, size_t count);

/// Sets a bit for each key that is down now. Returns the bytes written or -errno: EVIOCGKEY.
int lc_input_held_keys(int fd, void *bits, size_t count);

/// The device's name for people, with its terminating zero. Returns the bytes written or -errno: EVIOCGNAME.
int lc_input_name(int fd, char *name, size_t count);

#endif
