// SPDX-License-Identifier: MIT
// How SQLite opens a catalogue's files: through the library's open folder, and with shared memory that is safe on a
// full disk.

#ifndef CCATALOGUEFILES_H
#define CCATALOGUEFILES_H

/// The name by which `sqlite3_open_v2` finds SQLite's usual VFS with two differences; NULL if it cannot be created.
///
/// - A path below /proc/self/fd/N is used as it is, so that the library stays the one whose folder was opened, even if
///   the folder is replaced. SQLite itself resolves such a path to the folder's name, or refuses it as a symbolic link.
/// - The mapped index of the log (`-shm`) has all its blocks allocated before it is used; if that fails,
///   SQLITE_IOERR_SHMSIZE is reported. SQLite writes one byte per 4096 to allocate them: if blocks are smaller and the
///   disk is full, touching the rest of a page ends the process (SIGBUS). Needs Linux 5.14; on older kernels SQLite's
///   behaviour is unchanged.
const char *lc_catalogue_vfs(void);

#endif
