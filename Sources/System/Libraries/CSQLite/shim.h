// SPDX-License-Identifier: MIT
// What the photo library sees of SQLite: its own header, and what of it Swift cannot call.
#ifndef LIVECAP_CSQLITE_SHIM_H
#define LIVECAP_CSQLITE_SHIM_H

#include <sqlite3.h>

/// Codes of SQLite's that are put together from others.
static const int lc_sqlite_cantopen_symlink = SQLITE_CANTOPEN_SYMLINK;
static const int lc_sqlite_no_room_for_index = SQLITE_IOERR_SHMSIZE;

/// Lets a database file run nothing: no triggers, no views, no functions from its schema, no writing of the schema
/// itself: sqlite3_db_config.
static inline void lc_sqlite_trust_nothing(sqlite3 *connection) {
    sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)0);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)0);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
}

/// Binds bytes that SQLite copies: SQLITE_TRANSIENT is a cast that Swift cannot import.
static inline int lc_sqlite_bind_text(sqlite3_stmt *statement, int place, const char *text, int bytes) {
    return sqlite3_bind_text(statement, place, text, bytes, SQLITE_TRANSIENT);
}
static inline int lc_sqlite_bind_blob(sqlite3_stmt *statement, int place, const void *bytes, int count) {
    return count == 0 ? sqlite3_bind_zeroblob(statement, place, 0)
                      : sqlite3_bind_blob(statement, place, bytes, count, SQLITE_TRANSIENT);
}

#endif
