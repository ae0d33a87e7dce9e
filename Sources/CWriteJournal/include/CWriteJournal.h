// SPDX-License-Identifier: MIT
// What a program does to a folder's files, in order: for tests of what a crash, a power cut or a full disk leaves.
//
// A library for LD_PRELOAD. The environment says what it does:
//   LIVECAP_JOURNAL          the file that operations are appended to
//   LIVECAP_JOURNAL_ROOT     the folder whose files count: an absolute path without links
//   LIVECAP_JOURNAL_KILL_AT  the number, from 1, of the operation before which the program is killed
//   LIVECAP_JOURNAL_FULL_AT  the number of the operation from which on the disk is full
//   LIVECAP_JOURNAL_FAIL_SYNC_AT
//                            the number of the operation from which on the next sync fails, once: the program
//                            still reads what was written, but it never gets to the disk
// An operation is a change below the folder, a sync of something there, or words on standard output. It is
// appended once it has succeeded: `lc_journal_head`, both paths, the data. A lock makes their order that of their
// effects.
//
// Not seen: changes by mapped memory and calls that go around the C library. Whoever replays a journal should hold what
// it comes to against the folder.

#ifndef CWRITEJOURNAL_H
#define CWRITEJOURNAL_H

#include <stdint.h>

/// What an operation did.
typedef enum {
    /// Made the file `path`.
    LC_JOURNAL_CREATE = 'c',
    /// Wrote `count` bytes at `offset` of `path`.
    LC_JOURNAL_WRITE = 'w',
    /// Gave `path` a length of `offset`.
    LC_JOURNAL_RESIZE = 't',
    /// Made the folder `path`.
    LC_JOURNAL_FOLDER = 'm',
    /// Took the name `path` away, of a file or an empty folder.
    LC_JOURNAL_REMOVE = 'u',
    /// Called `path` `target`, in place of whatever had that name.
    LC_JOURNAL_RENAME = 'r',
    /// Gave `path` a second name, `target`.
    LC_JOURNAL_LINK = 'l',
    /// Brought the file or folder `path` to the disk.
    LC_JOURNAL_SYNC = 's',
    /// Failed to bring `path` to the disk: what had to be written is lost.
    LC_JOURNAL_LOSE = 'e',
    /// Said `count` bytes on standard output.
    LC_JOURNAL_SAY = 'a',
} lc_journal_kind;

/// What stands before an operation's paths and data, in this machine's byte order.
typedef struct __attribute__((packed)) {
    uint8_t kind;
    uint16_t path_bytes;
    uint16_t target_bytes;
    uint64_t offset;
    uint64_t count;
} lc_journal_head;

#endif
