// SPDX-License-Identifier: MIT
// Calls libmicrohttpd, which is loaded when a server is first started: all other commands do without it.
#include "CHTTP.h"

#include <dlfcn.h>
#include <errno.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The functions that are called, by their names without the prefix.
#define FUNCTIONS(F)                                                                                         \
    F(get_version)                                                                                           \
    F(start_daemon)                                                                                          \
    F(stop_daemon)                                                                                           \
    F(get_daemon_info)                                                                                       \
    F(get_timeout)                                                                                           \
    F(run)                                                                                                   \
    F(is_feature_supported)                                                                                  \
    F(suspend_connection)                                                                                    \
    F(resume_connection)                                                                                     \
    F(get_connection_info)                                                                                   \
    F(get_connection_values)                                                                                 \
    F(get_connection_values_n)                                                                               \
    F(http_unescape)                                                                                         \
    F(create_response_from_buffer_with_free_callback_cls)                                                    \
    F(create_response_from_callback)                                                                         \
    F(set_response_options)                                                                                  \
    F(add_response_header)                                                                                   \
    F(queue_response)                                                                                        \
    F(destroy_response)

#define DECLARE(name) static __typeof__(&MHD_##name) mhd_##name;
FUNCTIONS(DECLARE)

struct lc_http {
    struct MHD_Daemon *daemon;
    struct lc_http_calls calls;
};

// The memory in which a file's bytes wait for the system to take them.
#define FILE_BLOCK (16 << 10)

// A request is its connection, an answer its response.
#define connection(request) ((struct MHD_Connection *)(request))
#define response(answer) ((struct MHD_Response *)(answer))

static pthread_once_t loading = PTHREAD_ONCE_INIT;
static int is_loaded;
static char failure[256];

static void load(void) {
    void *library = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(failure, sizeof failure, "%s", dlerror());
        return;
    }
#define LOAD(name)                                                                                           \
    mhd_##name = (__typeof__(mhd_##name))dlsym(library, "MHD_" #name);                                       \
    if (!mhd_##name) {                                                                                       \
        snprintf(failure, sizeof failure, "libmicrohttpd.so.12 has no MHD_%s", #name);                       \
        return;                                                                                              \
    }
    FUNCTIONS(LOAD)
    is_loaded = 1;
}

int lc_http_load(char *reason, size_t size) {
    pthread_once(&loading, load);
    snprintf(reason, size, "%s", failure);
    return is_loaded;
}

static void note_connection(
    void *owner, struct MHD_Connection *connection, void **context, enum MHD_ConnectionNotificationCode code) {
    (void)context;
    const struct lc_http_calls *calls = owner;
    int socket = lc_http_socket((const struct lc_http_request *)connection);
    (code == MHD_CONNECTION_NOTIFY_STARTED ? calls->opened : calls->closed)(calls->owner, socket);
}

// What is kept of a request's target until its head is complete: the library then shows it decoded. It stands where the
// exchange will, and is odd, as no pointer to an exchange is.
struct target {
    size_t length;
    int is_plain;
};

static void *pack(struct target target) {
    return (void *)(uintptr_t)(target.length << 2 | (target.is_plain ? 2 : 0) | 1);
}

static int is_packed(const void *context) { return (uintptr_t)context & 1; }

static struct target unpack(const void *context) {
    return (struct target){(uintptr_t)context >> 2, (uintptr_t)context >> 1 & 1};
}

static void *note_target(void *owner, const char *target, struct MHD_Connection *connection) {
    (void)owner, (void)connection;
    const char *end = target;
    while ((unsigned char)*end > ' ' && *end != 0x7F) end++;
    return pack((struct target){strlen(target), !*end});
}

// Follows a head in the connection's memory, where 0.9.75 leaves all of it, with a NUL for each byte that separates two
// parts: the text of each part is where the library says, and what the parts leave over is hidden from everybody.
struct head {
    const char *end;
    int is_whole;
};

static enum MHD_Result follow_field(
    void *context, enum MHD_ValueKind kind, const char *name, size_t name_size, const char *value, size_t value_size) {
    (void)kind;
    struct head *h = context;
    // The value may be indented. A name that was copied elsewhere had its line folded.
    h->is_whole = name == h->end && value && value > name + name_size;
    if (!h->is_whole) return MHD_NO;
    h->end = value + value_size + 2;
    return MHD_YES;
}

// Whether the library shows a head as it came, but for how it is indented. If not, there is a NUL in it, a line ends in
// LF alone, or a line is folded. Later versions than 0.9.75 refuse such heads themselves. One fault cannot be seen: a
// NUL of the head itself, beside an LF alone, makes the same two NULs as CR LF does.
static int shows_all(
    struct MHD_Connection *connection, const char *method, const char *path, const char *version, size_t target) {
    if (strcmp(mhd_get_version(), "0.9.75") != 0) return 1;
    const union MHD_ConnectionInfo *info =
        mhd_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    if (!info || path != method + strlen(method) + 1 || version != path + target + 1) return 0;
    struct head head = {version + strlen(version) + 2, 1};
    mhd_get_connection_values_n(connection, MHD_HEADER_KIND, follow_field, &head);
    return head.is_whole && head.end + 2 == method + info->header_size;
}

static enum MHD_Result take(
    void *owner, struct MHD_Connection *connection, const char *path, const char *method, const char *version,
    const char *bytes, size_t *count, void **exchange) {
    const struct lc_http_calls *calls = owner;
    if (is_packed(*exchange)) {
        struct target target = unpack(*exchange);
        struct lc_http_head head = {
            method, path, version, target.is_plain && shows_all(connection, method, path, version, target.length)};
        *exchange = calls->begin(calls->owner, (struct lc_http_request *)connection, &head);
        return *exchange && calls->begun(calls->owner, *exchange) >= 0 ? MHD_YES : MHD_NO;
    }
    if (*count) {
        calls->body(calls->owner, *exchange, bytes, *count);
        *count = 0;
        return MHD_YES;
    }
    int outcome = calls->finish(calls->owner, *exchange);
    if (!outcome) mhd_suspend_connection(connection);
    return outcome < 0 ? MHD_NO : MHD_YES;
}

static void note_end(
    void *owner, struct MHD_Connection *connection, void **exchange, enum MHD_RequestTerminationCode code) {
    (void)connection, (void)code;
    const struct lc_http_calls *calls = owner;
    if (*exchange && !is_packed(*exchange)) calls->end(calls->owner, *exchange);
    *exchange = NULL;
}

// The library's messages are of clients' faults, which nobody here can mend.
static void ignore(void *owner, const char *format, va_list arguments) {
    (void)owner, (void)format, (void)arguments;
}

// Texts end at a NUL, so what follows one would not be seen. Nothing is named with what stands for it here.
static size_t unescape(void *owner, struct MHD_Connection *connection, char *text) {
    (void)owner, (void)connection;
    for (char *nul = text; (nul = strstr(nul, "%00"));) nul[2] = '1';
    return mhd_http_unescape(text);
}

// TLS 1.2 and 1.3, ciphers that authenticate what they encrypt, and keys that no later theft reveals.
static const char encryption[] =
    "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-CIPHER-ALL:+AES-256-GCM:+CHACHA20-POLY1305:+AES-128-GCM"
    ":-KX-ALL:+ECDHE-ECDSA:+ECDHE-RSA";

struct lc_http *lc_http_start(
    int socket, unsigned connections, unsigned idle_seconds, const char *key, const char *certificate,
    const struct lc_http_calls *calls) {
    struct lc_http *http = malloc(sizeof *http);
    if (!http) return NULL;
    http->calls = *calls;
    unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | (key ? MHD_USE_TLS : 0) | MHD_USE_ERROR_LOG;
    struct MHD_OptionItem tls[] = {
        {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)encryption},
        {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)key},
        {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)certificate},
        {MHD_OPTION_END, 0, NULL},
    };
    // The memory of a connection holds the head of its request: longer ones are refused.
    http->daemon = mhd_start_daemon(
        flags, 0, NULL, NULL, take, &http->calls, MHD_OPTION_EXTERNAL_LOGGER, ignore, NULL, MHD_OPTION_LISTEN_SOCKET,
        socket, MHD_OPTION_CONNECTION_LIMIT, connections, MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)16384, MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,
        MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_UNESCAPE_CALLBACK, unescape, NULL,
        MHD_OPTION_URI_LOG_CALLBACK, note_target, NULL, MHD_OPTION_NOTIFY_COMPLETED, note_end, &http->calls,
        MHD_OPTION_NOTIFY_CONNECTION, note_connection, &http->calls, MHD_OPTION_ARRAY, key ? tls : tls + 3,
        MHD_OPTION_END);
    if (http->daemon) return http;
    free(http);
    return NULL;
}

int lc_http_has_tls(void) { return mhd_is_feature_supported(MHD_FEATURE_TLS) == MHD_YES; }

int lc_http_descriptor(const struct lc_http *http) {
    const union MHD_DaemonInfo *info = mhd_get_daemon_info(http->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info ? info->epoll_fd : -1;
}

int lc_http_timeout(const struct lc_http *http) {
    MHD_UNSIGNED_LONG_LONG milliseconds;
    if (mhd_get_timeout(http->daemon, &milliseconds) != MHD_YES) return -1;
    return milliseconds > 60000 ? 60000 : (int)milliseconds;
}

void lc_http_run(struct lc_http *http) { mhd_run(http->daemon); }

void lc_http_stop(struct lc_http *http) {
    mhd_stop_daemon(http->daemon);
    free(http);
}

void lc_http_resume(struct lc_http_request *request) { mhd_resume_connection(connection(request)); }

int lc_http_socket(const struct lc_http_request *request) {
    const union MHD_ConnectionInfo *info =
        mhd_get_connection_info(connection(request), MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

struct listing {
    void *context;
    void (*each)(void *context, const char *name, const char *value);
};

static enum MHD_Result list(void *listing, enum MHD_ValueKind kind, const char *name, const char *value) {
    (void)kind;
    struct listing *l = listing;
    l->each(l->context, name, value);
    return MHD_YES;
}

void lc_http_headers(
    struct lc_http_request *request, void *context, void (*each)(void *, const char *, const char *)) {
    struct listing listing = {context, each};
    mhd_get_connection_values(connection(request), MHD_HEADER_KIND, list, &listing);
}

void lc_http_arguments(
    struct lc_http_request *request, void *context, void (*each)(void *, const char *, const char *)) {
    struct listing listing = {context, each};
    mhd_get_connection_values(connection(request), MHD_GET_ARGUMENT_KIND, list, &listing);
}

struct lc_http_answer *lc_http_answer_bytes(
    const void *bytes, size_t count, lc_http_release *release, void *context) {
    return (struct lc_http_answer *)mhd_create_response_from_buffer_with_free_callback_cls(
        count, (void *)bytes, release, context);
}

struct part {
    int descriptor;
    uint64_t offset;
};

static ssize_t read_part(void *context, uint64_t position, char *bytes, size_t count) {
    const struct part *p = context;
    ssize_t got;
    do got = pread(p->descriptor, bytes, count, (off_t)(p->offset + position));
    while (got < 0 && errno == EINTR);
    return got > 0 ? got : MHD_CONTENT_READER_END_WITH_ERROR;
}

static void release_part(void *context) {
    struct part *p = context;
    close(p->descriptor);
    free(p);
}

// The library's own reader of files, sendfile(2), would wait for bytes that a file lost meanwhile until the client is
// given up.
struct lc_http_answer *lc_http_answer_file(int descriptor, uint64_t offset, uint64_t count) {
    struct part *p = malloc(sizeof *p);
    if (!p) return NULL;
    *p = (struct part){descriptor, offset};
    struct MHD_Response *response =
        mhd_create_response_from_callback(count, FILE_BLOCK, read_part, p, release_part);
    if (!response) free(p);
    return (struct lc_http_answer *)response;
}

// A stream knows its reader, because the library passes one pointer alone.
struct stream {
    struct MHD_Connection *connection;
    lc_http_reader *read;
    lc_http_release *release;
    void *stream;
};

static ssize_t read_stream(void *context, uint64_t position, char *bytes, size_t count) {
    (void)position;
    struct stream *s = context;
    ptrdiff_t read = s->read(s->stream, bytes, count);
    if (!read) mhd_suspend_connection(s->connection);
    return read < 0 ? MHD_CONTENT_READER_END_OF_STREAM : read;
}

static void release_stream(void *context) {
    struct stream *s = context;
    s->release(s->stream);
    free(s);
}

struct lc_http_answer *lc_http_answer_stream(
    struct lc_http_request *request, lc_http_reader *read, size_t block, lc_http_release *release, void *stream) {
    struct stream *s = malloc(sizeof *s);
    if (!s) return NULL;
    *s = (struct stream){connection(request), read, release, stream};
    struct MHD_Response *response =
        mhd_create_response_from_callback(MHD_SIZE_UNKNOWN, block, read_stream, s, release_stream);
    if (!response) free(s);
    // Ended by the end of the connection. In chunks, each would go through the connection's memory, which is small.
    if (response) mhd_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
    return (struct lc_http_answer *)response;
}

void lc_http_header(struct lc_http_answer *answer, const char *name, const char *value) {
    mhd_add_response_header(response(answer), name, value);
}

int lc_http_send(struct lc_http_request *request, unsigned status, struct lc_http_answer *answer) {
    int sent = mhd_queue_response(connection(request), status, response(answer)) == MHD_YES;
    mhd_destroy_response(response(answer));
    return sent;
}
