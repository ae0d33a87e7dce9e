// SPDX-License-Identifier: MIT
// Records what a program does to the files of a folder, for tests of a crash, a power cut or a full disk.
//
// A library for LD_PRELOAD. It is controlled by the environment:
//   LIVECAP_JOURNAL          the journal: a file that is emptied first and then receives the operations
//   LIVECAP_JOURNAL_ROOT     the folder whose files are recorded: an absolute path without links
//   LIVECAP_JOURNAL_KILL_AT  N: the program is killed before operation N (from 1)
//   LIVECAP_JOURNAL_FULL_AT  N: the disk is full from operation N on
//   LIVECAP_JOURNAL_FAIL_SYNC_AT
//                            N: the next sync from operation N on fails, once. The program can still read the data,
//                            but it never reaches the disk
// An operation is a change below the folder, a sync of something there, or output on standard output. It is appended
// to the journal after it has succeeded: `lc_journal_head`, both paths, the data. A lock keeps the journal in the order
// of the effects.
//
// Changes through mapped memory, and calls that bypass the C library, are not recorded. A test that replays a journal
// should compare the result with the folder.

#ifndef CWRITEJOURNAL_H
#define CWRITEJOURNAL_H

#include <stdint.h>

/// The kind of an operation.
typedef enum {
    /// Created the file `path`.
    LC_JOURNAL_CREATE = 'c',
    /// Wrote `count` bytes at `offset` of `path`.
    LC_JOURNAL_WRITE = 'w',
    /// Set the length of `path` to `offset`.
    LC_JOURNAL_RESIZE = 't',
    /// Created the folder `path`.
    LC_JOURNAL_FOLDER = 'm',
    /// Removed the name `path` of a file or an empty folder.
    LC_JOURNAL_REMOVE = 'u',
    /// Renamed `path` to `target`, replacing any file of that name.
    LC_JOURNAL_RENAME = 'r',
    /// Gave `path` a second name, `target`.
    LC_JOURNAL_LINK = 'l',
    /// Synced the file or folder `path`.
    LC_JOURNAL_SYNC = 's',
    /// Failed to sync `path`: the data is lost.
    LC_JOURNAL_LOSE = 'e',
    /// Wrote `count` bytes to standard output.
    LC_JOURNAL_SAY = 'a',
} lc_journal_kind;

/// Precedes the paths and data of an operation, in this machine's byte order.
typedef struct __attribute__((packed)) {
    uint8_t kind;
    uint16_t path_bytes;
    uint16_t target_bytes;
    uint64_t offset;
    uint64_t count;
} lc_journal_head;

#endif
