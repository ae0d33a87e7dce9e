// SPDX-License-Identifier: MIT
// SQLite's files of a catalogue: opened through the library's open folder, its shared memory safe on a full disk.

#ifndef CCATALOGUEFILES_H
#define CCATALOGUEFILES_H

/// The name by which `sqlite3_open_v2` finds SQLite's usual VFS with two differences; NULL where it cannot be made.
///
/// - A path below /proc/self/fd/N is taken as it is, so that a library stays the one whose folder was opened, whatever
///   is put in its place. SQLite itself follows such a path to the folder's name, or refuses it as a symbolic link.
/// - The index of the log (`-shm`), which is mapped, has all its blocks before it is used, or SQLITE_IOERR_SHMSIZE is
///   reported. SQLite writes one byte per 4096 to allocate them: where blocks are smaller and the disk is full,
///   touching the rest of a page ends the process (SIGBUS). Needs Linux 5.14; earlier ones do as SQLite does.
const char *lc_catalogue_vfs(void);

#endif
