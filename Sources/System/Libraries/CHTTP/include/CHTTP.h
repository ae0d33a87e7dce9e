// SPDX-License-Identifier: MIT
// An HTTP server over libmicrohttpd, run by a thread of the caller's: every callback is made by `lc_http_run`.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// A server.
struct lc_http;
/// A request and the connection it came on.
struct lc_http_request;

/// The head of a request.
struct lc_http_head {
    const char *method;
    /// Decoded, without the query.
    const char *path;
    /// Such as `HTTP/1.1`.
    const char *version;
    /// Whether it holds nothing that the library hides or passes on where it must not be: control characters in the
    /// target, NULs, lines that end in LF alone, folded lines.
    int is_plain;
};

/// What the server calls. `owner` is the first argument of each.
struct lc_http_calls {
    void *owner;
    /// A connection was accepted, or is about to be closed.
    void (*opened)(void *owner, int socket);
    void (*closed)(void *owner, int socket);
    /// The head of a request has arrived. Returns the value that stands for the request in later calls; NULL closes the
    /// connection.
    void *(*begin)(void *owner, struct lc_http_request *, const struct lc_http_head *);
    /// The same request, which may now be answered: one that is refused is not waited for. Returns 1 if it was; 0 if
    /// its body is to come; -1 to close the connection.
    int (*begun)(void *owner, void *exchange);
    /// A part of its body has arrived.
    void (*body)(void *owner, void *exchange, const void *bytes, size_t count);
    /// It is complete. Returns 1 if it was answered by one of the functions below; 0 if not yet, so that the
    /// connection rests until `lc_http_resume`, after which this is called again; -1 to close the connection.
    int (*finish)(void *owner, void *exchange);
    /// Its answer was sent, or the connection is gone.
    void (*end)(void *owner, void *exchange);
};

/// A reader of a stream's bytes: copies at most `count` and returns how many; 0 if none are there now, in which case
/// the connection rests until `lc_http_resume`; -1 at the end.
typedef ptrdiff_t lc_http_reader(void *stream, void *bytes, size_t count);
/// Releases what was lent to an answer.
typedef void lc_http_release(void *context);

/// Whether the library is there. If not, `reason` (of `size` bytes) says why.
int lc_http_load(char *reason, size_t size);

/// Starts a server at a listening socket, which it closes at its end. `key` and `certificate` are PEM texts for TLS, or
/// NULL. Returns NULL if it cannot.
struct lc_http *lc_http_start(
    int socket, unsigned connections, unsigned idle_seconds, const char *key, const char *certificate,
    const struct lc_http_calls *);
/// Whether the library has TLS.
int lc_http_has_tls(void);
/// The descriptor to poll for reading.
int lc_http_descriptor(const struct lc_http *);
/// How long to poll, in milliseconds; -1 without end.
int lc_http_timeout(const struct lc_http *);
/// Does what is to be done, without waiting.
void lc_http_run(struct lc_http *);
/// Closes all connections. No request may rest.
void lc_http_stop(struct lc_http *);

/// Lets a request that rests go on.
void lc_http_resume(struct lc_http_request *);
/// The socket of its connection.
int lc_http_socket(const struct lc_http_request *);
/// Calls `each` for every header, or for every argument of the query. A value may be NULL.
void lc_http_headers(
    struct lc_http_request *, void *context, void (*each)(void *context, const char *name, const char *value));
void lc_http_arguments(
    struct lc_http_request *, void *context, void (*each)(void *context, const char *name, const char *value));

/// An answer to be given its headers, and sent once.
struct lc_http_answer;
/// Bytes, which stay valid until `release`.
struct lc_http_answer *lc_http_answer_bytes(
    const void *bytes, size_t count, lc_http_release *, void *context);
/// A part of a file. The answer closes the descriptor. If the file ends before, the connection is closed at once.
struct lc_http_answer *lc_http_answer_file(int descriptor, uint64_t offset, uint64_t count);
/// Bytes without a known end.
struct lc_http_answer *lc_http_answer_stream(
    struct lc_http_request *, lc_http_reader *, size_t block, lc_http_release *, void *stream);
void lc_http_header(struct lc_http_answer *, const char *name, const char *value);
/// Sends the answer and releases it. Returns 0 if it cannot; the connection is then closed.
int lc_http_send(struct lc_http_request *, unsigned status, struct lc_http_answer *);
