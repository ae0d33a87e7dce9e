// SPDX-License-Identifier: MIT
// The journal: defines file functions of the C library under their own names, and records each call under a lock.

#include "CWriteJournal.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/// A failed sync is reported only through descriptors below this number.
#define DESCRIPTORS 1024

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    bool is_ready;
    int descriptor;
    const char *root;
    size_t root_bytes;
    unsigned long count, kill_at, full_at, fail_sync_at;
    /// The file whose sync failed, and the descriptors that need not report it: they already have, or were opened
    /// later.
    bool has_failed, knows[DESCRIPTORS];
    dev_t failed_device;
    ino_t failed_file;
} journal = {.descriptor = -1};

static unsigned long number(const char *name) {
    const char *text = getenv(name);
    return text ? strtoul(text, NULL, 10) : 0;
}

/// Takes the lock. Returns whether there is a journal.
static bool begin(void) {
    pthread_mutex_lock(&lock);
    if (!journal.is_ready) {
        journal.is_ready = true;
        const char *path = getenv("LIVECAP_JOURNAL");
        journal.root = getenv("LIVECAP_JOURNAL_ROOT");
        if (path && journal.root) {
            journal.root_bytes = strlen(journal.root);
            journal.descriptor = REAL(open)(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
        }
        journal.kill_at = number("LIVECAP_JOURNAL_KILL_AT");
        journal.full_at = number("LIVECAP_JOURNAL_FULL_AT");
        journal.fail_sync_at = number("LIVECAP_JOURNAL_FAIL_SYNC_AT");
    }
    return journal.descriptor >= 0;
}

static void end(void) {
    int error = errno;
    pthread_mutex_unlock(&lock);
    errno = error;
}

static bool counts(const char *path) {
    return strncmp(path, journal.root, journal.root_bytes) == 0
        && (path[journal.root_bytes] == '/' || path[journal.root_bytes] == 0);
}

/// The path of an open file. False if it is not below the root or has been unlinked.
static bool path_of(int descriptor, char path[PATH_MAX]) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t count = readlink(link, path, PATH_MAX - 1);
    if (count <= 0) return false;
    path[count] = 0;
    return counts(path) && strstr(path, " (deleted)") == NULL;
}

/// The path of a name relative to a folder. False if it is not below the root.
static bool path_at(int folder, const char *name, char path[PATH_MAX]) {
    char base[PATH_MAX] = "";
    // A path below an open folder, as SQLite receives it.
    static const char open_folders[] = "/proc/self/fd/";
    if (strncmp(name, open_folders, sizeof open_folders - 1) == 0) {
        char *rest;
        folder = (int)strtol(name + sizeof open_folders - 1, &rest, 10);
        name = *rest == '/' ? rest + 1 : rest;
    }
    if (name[0] != '/' && folder == AT_FDCWD && getcwd(base, sizeof base) == NULL) return false;
    if (name[0] != '/' && folder != AT_FDCWD && !path_of(folder, base)) return false;
    int count = snprintf(path, PATH_MAX, "%s%s%s", base, name[0] == '/' ? "" : "/", name);
    return count < PATH_MAX && counts(path);
}

/// Counts an operation that is about to be done, and kills the program if it is the one. Returns whether the disk is
/// too full for it.
static bool is_refused(bool takes_room) {
    journal.count++;
    if (journal.count == journal.kill_at) raise(SIGKILL);
    bool is_full = takes_room && journal.full_at > 0 && journal.count >= journal.full_at;
    if (is_full) errno = ENOSPC;
    return is_full;
}

static void note(
    lc_journal_kind kind, const char *path, const char *target, uint64_t offset, const struct iovec *data, int pieces
) {
    int error = errno;
    lc_journal_head head = {(uint8_t)kind, (uint16_t)strlen(path), (uint16_t)strlen(target), offset, 0};
    for (int i = 0; i < pieces; i++) head.count += data[i].iov_len;
    ssize_t (*put)(int, const void *, size_t) = REAL(write);
    bool is_whole = put(journal.descriptor, &head, sizeof head) == (ssize_t)sizeof head
        && put(journal.descriptor, path, head.path_bytes) == head.path_bytes
        && put(journal.descriptor, target, head.target_bytes) == head.target_bytes;
    for (int i = 0; i < pieces; i++)
        is_whole = is_whole && put(journal.descriptor, data[i].iov_base, data[i].iov_len) == (ssize_t)data[i].iov_len;
    // A journal with a gap would prove nothing.
    if (!is_whole) abort();
    errno = error;
}

// Opening

/// Linux reports a failed write to every descriptor that was open at that time, and to no later one.
static void is_new_to_failures(int descriptor) {
    if (descriptor >= 0 && descriptor < DESCRIPTORS)
        journal.knows[descriptor] = journal.has_failed;
}

static int opened(int (*real)(int, const char *, int, ...), int folder, const char *name, int flags, mode_t mode) {
    char path[PATH_MAX];
    struct stat status;
    bool is_noted = begin();
    // The kernel never tells the name that a nameless file is given. On other file systems there are none either.
    if (is_noted && (flags & __O_TMPFILE) == __O_TMPFILE && path_at(folder, name, path)) {
        end();
        errno = EOPNOTSUPP;
        return -1;
    }
    if (!is_noted || (flags & (O_CREAT | O_TRUNC)) == 0) {
        int descriptor = real(folder, name, flags, mode);
        if (is_noted) is_new_to_failures(descriptor);
        end();
        return descriptor;
    }
    bool matters = path_at(folder, name, path);
    bool is_new = matters && fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0;
    int descriptor = -1;
    if (!is_new || !is_refused(true)) descriptor = real(folder, name, flags, mode);
    is_new_to_failures(descriptor);
    if (descriptor >= 0 && is_new) note(LC_JOURNAL_CREATE, path, "", 0, NULL, 0);
    if (descriptor >= 0 && matters && !is_new && (flags & O_TRUNC)) note(LC_JOURNAL_RESIZE, path, "", 0, NULL, 0);
    end();
    return descriptor;
}

#define MODE(flags) \
    mode_t mode = 0; \
    if (flags & (O_CREAT | __O_TMPFILE)) { \
        va_list arguments; \
        va_start(arguments, flags); \
        mode = va_arg(arguments, mode_t); \
        va_end(arguments); \
    }

int open(const char *name, int flags, ...) {
    MODE(flags)
    return opened(REAL(openat), AT_FDCWD, name, flags, mode);
}

int open64(const char *name, int flags, ...) {
    MODE(flags)
    return opened(REAL(openat64), AT_FDCWD, name, flags, mode);
}

int openat(int folder, const char *name, int flags, ...) {
    MODE(flags)
    return opened(REAL(openat), folder, name, flags, mode);
}

int openat64(int folder, const char *name, int flags, ...) {
    MODE(flags)
    return opened(REAL(openat64), folder, name, flags, mode);
}

// Writing

/// Records the data of a write, piece by piece, up to the bytes that were written.
static void wrote(const char *path, uint64_t offset, const struct iovec *data, int pieces, size_t done) {
    for (int i = 0; i < pieces && done > 0; i++) {
        struct iovec piece = {data[i].iov_base, data[i].iov_len < done ? data[i].iov_len : done};
        note(LC_JOURNAL_WRITE, path, "", offset, &piece, 1);
        offset += piece.iov_len;
        done -= piece.iov_len;
    }
}

static ssize_t written(int descriptor, const struct iovec *data, int pieces, off_t at) {
    ssize_t (*append)(int, const struct iovec *, int) = REAL(writev);
    ssize_t (*place)(int, const struct iovec *, int, off_t) = REAL(pwritev);
    char path[PATH_MAX];
    bool is_noted = begin();
    bool speaks = is_noted && descriptor == STDOUT_FILENO;
    bool matters = is_noted && !speaks && path_of(descriptor, path);
    off_t offset = at;
    if (matters && at < 0)
        offset = lseek(descriptor, 0, fcntl(descriptor, F_GETFL) & O_APPEND ? SEEK_END : SEEK_CUR);
    ssize_t done = -1;
    if (!(matters || speaks) || !is_refused(matters))
        done = at < 0 ? append(descriptor, data, pieces) : place(descriptor, data, pieces, at);
    if (done > 0 && matters) wrote(path, (uint64_t)offset, data, pieces, (size_t)done);
    if (done > 0 && speaks) note(LC_JOURNAL_SAY, "", "", 0, data, pieces);
    end();
    return done;
}

ssize_t write(int descriptor, const void *data, size_t count) {
    struct iovec piece = {(void *)(uintptr_t)data, count};
    return written(descriptor, &piece, 1, -1);
}

ssize_t pwrite(int descriptor, const void *data, size_t count, off_t offset) {
    struct iovec piece = {(void *)(uintptr_t)data, count};
    return written(descriptor, &piece, 1, offset);
}

ssize_t pwrite64(int descriptor, const void *data, size_t count, off64_t offset) {
    return pwrite(descriptor, data, count, offset);
}

ssize_t writev(int descriptor, const struct iovec *data, int pieces) {
    return written(descriptor, data, pieces, -1);
}

ssize_t pwritev(int descriptor, const struct iovec *data, int pieces, off_t offset) {
    return written(descriptor, data, pieces, offset);
}

ssize_t pwritev64(int descriptor, const struct iovec *data, int pieces, off64_t offset) {
    return pwritev(descriptor, data, pieces, offset);
}

int ftruncate(int descriptor, off_t length) {
    int (*real)(int, off_t) = REAL(ftruncate);
    char path[PATH_MAX];
    bool matters = begin() && path_of(descriptor, path);
    int result = matters && is_refused(true) ? -1 : real(descriptor, length);
    if (result == 0 && matters) note(LC_JOURNAL_RESIZE, path, "", (uint64_t)length, NULL, 0);
    end();
    return result;
}

int ftruncate64(int descriptor, off64_t length) { return ftruncate(descriptor, length); }

// Syncing

/// Whether this sync is the one that fails. Programs can still read the data, but it never reaches the disk.
static bool is_lost(int descriptor) {
    struct stat status;
    if (journal.has_failed || journal.fail_sync_at == 0 || journal.count < journal.fail_sync_at) return false;
    if (descriptor >= DESCRIPTORS || fstat(descriptor, &status) != 0) return false;
    journal.has_failed = journal.knows[descriptor] = true;
    journal.failed_device = status.st_dev;
    journal.failed_file = status.st_ino;
    return true;
}

/// Whether a descriptor still has to report the failure of a sync through another one.
static bool has_to_report(int descriptor) {
    struct stat status;
    if (!journal.has_failed || descriptor >= DESCRIPTORS) return false;
    if (journal.knows[descriptor] || fstat(descriptor, &status) != 0) return false;
    return status.st_dev == journal.failed_device && status.st_ino == journal.failed_file
        && (journal.knows[descriptor] = true);
}

static int synced(int (*real)(int), int descriptor) {
    char path[PATH_MAX];
    bool matters = begin() && path_of(descriptor, path);
    int result = matters && is_refused(false) ? -1 : real(descriptor);
    if (result == 0 && matters) {
        bool lost = is_lost(descriptor);
        note(lost ? LC_JOURNAL_LOSE : LC_JOURNAL_SYNC, path, "", 0, NULL, 0);
        if (lost || has_to_report(descriptor)) {
            errno = EIO;
            result = -1;
        }
    }
    end();
    return result;
}

int fsync(int descriptor) { return synced(REAL(fsync), descriptor); }
int fdatasync(int descriptor) { return synced(REAL(fdatasync), descriptor); }

// Names

static int removed(int folder, const char *name, int flags) {
    char path[PATH_MAX];
    bool matters = begin() && path_at(folder, name, path);
    int result = matters && is_refused(false) ? -1 : REAL(unlinkat)(folder, name, flags);
    if (result == 0 && matters) note(LC_JOURNAL_REMOVE, path, "", 0, NULL, 0);
    end();
    return result;
}

int unlink(const char *name) { return removed(AT_FDCWD, name, 0); }
int unlinkat(int folder, const char *name, int flags) { return removed(folder, name, flags); }
int rmdir(const char *name) { return removed(AT_FDCWD, name, AT_REMOVEDIR); }

int mkdirat(int folder, const char *name, mode_t mode) {
    char path[PATH_MAX];
    bool matters = begin() && path_at(folder, name, path);
    int result = matters && is_refused(true) ? -1 : REAL(mkdirat)(folder, name, mode);
    if (result == 0 && matters) note(LC_JOURNAL_FOLDER, path, "", 0, NULL, 0);
    end();
    return result;
}

int mkdir(const char *name, mode_t mode) { return mkdirat(AT_FDCWD, name, mode); }

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
    char path[PATH_MAX], target[PATH_MAX];
    bool matters = begin() && path_at(from_folder, from, path) && path_at(to_folder, to, target);
    int result = matters && is_refused(true) ? -1 : REAL(renameat2)(from_folder, from, to_folder, to, flags);
    if (result == 0 && matters) note(LC_JOURNAL_RENAME, path, target, 0, NULL, 0);
    end();
    return result;
}

int rename(const char *from, const char *to) { return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0); }

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
    char path[PATH_MAX], target[PATH_MAX];
    bool matters = begin() && path_at(from_folder, from, path) && path_at(to_folder, to, target);
    int result = matters && is_refused(true) ? -1 : REAL(linkat)(from_folder, from, to_folder, to, flags);
    if (result == 0 && matters) note(LC_JOURNAL_LINK, path, target, 0, NULL, 0);
    end();
    return result;
}

int link(const char *from, const char *to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }
