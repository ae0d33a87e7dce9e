// SPDX-License-Identifier: MIT
// A VFS that differs from SQLite's own in how it completes paths and maps shared memory.

#include "CCatalogueFiles.h"

#include <errno.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static sqlite3_vfs *system_vfs;
static sqlite3_vfs vfs;
/// SQLite's methods for files on a local disk, and ours. Written once, before the first file gets ours.
static const sqlite3_io_methods *system_methods;
static sqlite3_io_methods methods;
static pthread_mutex_t methods_lock = PTHREAD_MUTEX_INITIALIZER;

static int map_shared(sqlite3_file *file, int region, int bytes, int extends, void volatile **mapped) {
    int result = system_methods->xShmMap(file, region, bytes, extends, mapped);
    if (result != SQLITE_OK || *mapped == NULL) return result;
    // Faults in every page for writing, which allocates its blocks, and fails where a write would raise SIGBUS.
    if (madvise((void *)*mapped, (size_t)bytes, MADV_POPULATE_WRITE) == 0 || errno == EINVAL) return SQLITE_OK;
    *mapped = NULL;
    return SQLITE_IOERR_SHMSIZE;
}

static int open_file(sqlite3_vfs *self, sqlite3_filename name, sqlite3_file *file, int flags, int *given) {
    (void)self;
    int result = system_vfs->xOpen(system_vfs, name, file, flags, given);
    const sqlite3_io_methods *given_methods = file->pMethods;
    if (result != SQLITE_OK || !given_methods || given_methods->iVersion < 2 || !given_methods->xShmMap) return result;
    pthread_mutex_lock(&methods_lock);
    if (!system_methods) {
        system_methods = file->pMethods;
        methods = *system_methods;
        methods.xShmMap = map_shared;
    }
    if (file->pMethods == system_methods) file->pMethods = &methods;
    pthread_mutex_unlock(&methods_lock);
    return result;
}

static int complete_path(sqlite3_vfs *self, const char *path, int bytes, char *completed) {
    (void)self;
    static const char start[] = "/proc/self/fd/";
    bool is_open = strncmp(path, start, sizeof start - 1) == 0;
    if (!is_open) return system_vfs->xFullPathname(system_vfs, path, bytes, completed);
    size_t length = strlen(path);
    if (length >= (size_t)bytes) return SQLITE_CANTOPEN;
    memcpy(completed, path, length + 1);
    return SQLITE_OK;
}

static void make_vfs(void) {
    system_vfs = sqlite3_vfs_find("unix");
    if (!system_vfs) return;
    vfs = *system_vfs;
    vfs.pNext = NULL;
    vfs.zName = "livecap";
    vfs.xOpen = open_file;
    vfs.xFullPathname = complete_path;
    if (sqlite3_vfs_register(&vfs, 0) != SQLITE_OK) system_vfs = NULL;
}

const char *lc_catalogue_vfs(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_vfs);
    return system_vfs ? vfs.zName : NULL;
}
