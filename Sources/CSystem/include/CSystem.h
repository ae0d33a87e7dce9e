// SPDX-License-Identifier: MIT
// The few Linux calls Swift cannot import: one call a function, the errno returned negated, no policy.

#ifndef LIVECAP_CSYSTEM_H
#define LIVECAP_CSYSTEM_H

#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>

/// CLOCK_MONOTONIC in nanoseconds: clock_gettime(2) by way of the vDSO.
int64_t lc_monotonic_ns(void);

/// Sleeps while *word == expected, at most until `deadline_ns` on CLOCK_MONOTONIC (negative: for ever).
/// 0 when woken, -EAGAIN when the word differed, -ETIMEDOUT, -EINTR: futex(2), FUTEX_WAIT_BITSET_PRIVATE.
int lc_futex_wait_until(const uint32_t *word, uint32_t expected, int64_t deadline_ns);

/// Wakes every sleeper on the word: futex(2), FUTEX_WAKE_PRIVATE.
int lc_futex_wake_all(const uint32_t *word);

/// Tells the processor that this thread does nothing but look again: a moment's rest, and more for its sibling.
static inline void lc_spin_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("isb" ::: "memory");
#endif
}

/// Tell the thread sanitizer, where there is one, that the caller has a lock of its own, and that it gives it back:
/// __tsan_acquire, __tsan_release.
void lc_lock_taken(const void *lock);
void lc_lock_given(const void *lock);

/// How many processors this process may run on: sched_getaffinity(2); 1 if that cannot be told.
int lc_processor_count(void);

/// Asks for SCHED_FIFO at `priority` for the calling thread: sched_setscheduler(2).
int lc_thread_realtime(int priority);

/// Makes the calling thread give way to others: its nice value becomes `nice`: setpriority(2).
int lc_thread_nice(int nice);

/// Has the calling thread, and those it makes, give way to all others: sched_setscheduler(2), SCHED_BATCH, and the
/// highest nice value of setpriority(2). They get a little where the processors are never free: they end some day.
int lc_thread_background(void);

// Bytes of addresses that a limit on the address space leaves beside so many more threads; -1 without such a limit.
// Where there is one, threads share their heaps from then on: getrlimit(2), mallopt(3).
int64_t lc_address_room(int threads);

/// Bytes of memory the machine has: sysconf(3), _SC_PHYS_PAGES.
int64_t lc_physical_memory(void);

/// Zeroed memory, apart from the heap and in large pages as far as the system has them and it spans them: mmap(2),
/// madvise(2) with MADV_HUGEPAGE. NULL where there is none.
void *lc_map_memory(size_t bytes);

/// Gives it back: munmap(2).
void lc_unmap_memory(void *memory, size_t bytes);

/// Names the calling thread (15 bytes at most): prctl(2).
int lc_thread_name(const char *name);

/// A counter to poll, at 0, non-blocking, closed on exec; the descriptor or -errno: eventfd(2).
int lc_eventfd(void);

/// Renames, with `replace` 0 only if there is nothing by the new name (-EEXIST, or -EINVAL where the file system cannot
/// tell). Names are looked up from open folders, or from AT_FDCWD: renameat2(2).
int lc_rename(int from_folder, const char *from, int to_folder, const char *to, int replace);

/// Locks one byte of a file for its open descriptor alone, without waiting; -EAGAIN where another one has it. The lock
/// goes when the descriptor is closed: fcntl(2), F_OFD_SETLK.
int lc_lock_byte(int descriptor, int64_t offset);

/// Lets go of all bytes of a file that are locked by this open file: fcntl(2), F_OFD_SETLK.
int lc_unlock_bytes(int descriptor);

/// Starts writing a stretch of a file to its disk without waiting: sync_file_range(2), SYNC_FILE_RANGE_WRITE.
int lc_start_writeback(int descriptor, int64_t offset, int64_t count);

/// Gives a file blocks for so many bytes from its start on, and leaves its size: fallocate(2), FALLOC_FL_KEEP_SIZE.
int lc_set_blocks_aside(int descriptor, int64_t count);

/// Opens a folder to name it, without permission to read it and following no link: openat(2), O_PATH; or -errno.
int lc_open_to_name(int folder, const char *name);

/// Bytes of the heap that are in use: mallinfo2(3).
int64_t lc_heap_bytes(void);

/// Gives the heap's free memory back to the system: malloc_trim(3).
void lc_heap_trim(void);

/// A Unix stream socket, non-blocking, closed on exec; the descriptor or -errno: socket(2).
int lc_unix_socket(void);

/// Gives the socket a path, -ENAMETOOLONG from 108 bytes on: bind(2).
int lc_unix_bind(int fd, const char *path);

/// Connects to the socket at a path: connect(2).
int lc_unix_connect(int fd, const char *path);

/// Takes a waiting connection, non-blocking, closed on exec; the descriptor or -errno: accept4(2).
int lc_accept(int fd);

/// The user who connected: getsockopt(2), SO_PEERCRED.
int lc_peer_user(int fd, uint32_t *user);

/// Sends what can be sent now, and raises no SIGPIPE; how much, or -errno: send(2).
int64_t lc_send(int fd, const void *bytes, size_t count);

/// The first real-time signal that the C library leaves to programs: SIGRTMIN.
int lc_first_realtime_signal(void);

/// Signals as a descriptor, non-blocking, closed on exec; the descriptor or -errno: signalfd(2).
int lc_signalfd(const sigset_t *signals);

/// Takes the next signal from such a descriptor: its number, or -errno (-EAGAIN when there is none). `value` becomes
/// what sigqueue(3) sent with it, 0 for signals sent in other ways.
int lc_read_signal(int fd, int *value);

/// Queues a signal with a number for one thread of this process alone, as tests need it: rt_tgsigqueueinfo(2).
int lc_queue_signal(int thread, int signal, int value);

/// Has a program that is started inherit no descriptor from `first` on, whenever and by whomever it was opened:
/// posix_spawn_file_actions_addclosefrom_np(3).
int lc_spawn_close_from(posix_spawn_file_actions_t *actions, int first);

/// Bytes of a struct input_event: seconds, microseconds (64 bits each), type, code (16 each), value (32).
#define LC_INPUT_EVENT_BYTES 24

/// Chooses the clock of an input device's times for this descriptor: EVIOCSCLOCKID.
int lc_input_set_clock(int fd, int clock);

/// Takes an input device for this descriptor alone, or gives it back: EVIOCGRAB.
int lc_input_grab(int fd, int exclusive);

/// A bit for each key the device has; bytes written or -errno: EVIOCGBIT(EV_KEY).
int lc_input_known_keys(int fd, void *bits, size_t count);

/// A bit for each key that is down now; bytes written or -errno: EVIOCGKEY.
int lc_input_held_keys(int fd, void *bits, size_t count);

/// The device's name for people, with its zero; bytes written or -errno: EVIOCGNAME.
int lc_input_name(int fd, char *name, size_t count);

#endif
