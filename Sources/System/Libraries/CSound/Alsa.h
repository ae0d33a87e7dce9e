// SPDX-License-Identifier: MIT
// The functions and numbers of libasound that are used, declared by us. Tests/Support/Sound/declarations.c compares
// them with ALSA's own headers. Their binary interface has been stable for twenty years, and all structures are opaque.
#ifndef LIVECAP_ALSA_H
#define LIVECAP_ALSA_H

#include <time.h>

#include "CSound.h"

enum {
    LC_ALSA_CAPTURE = 1,
    LC_ALSA_NONBLOCK = 1,
    LC_ALSA_NO_AUTO_RESAMPLE = 0x00010000,
    LC_ALSA_INTERLEAVED = 3,
    LC_ALSA_TSTAMP_ENABLE = 1,
    LC_ALSA_TSTAMP_MONOTONIC = 1,
};

typedef void lc_alsa_handler(const char *file, int line, const char *function, int error, const char *format, ...);

/// Each function's result, its name without `snd_`, and its parameters.
#define LC_ALSA_FUNCTIONS(FUNCTION) \
    FUNCTION(int, pcm_open, (void **, const char *, int, int)) \
    FUNCTION(int, pcm_close, (void *)) \
    FUNCTION(int, pcm_prepare, (void *)) \
    FUNCTION(int, pcm_start, (void *)) \
    FUNCTION(int, pcm_drop, (void *)) \
    FUNCTION(int, pcm_resume, (void *)) \
    FUNCTION(int, pcm_wait, (void *, int)) \
    FUNCTION(int, pcm_htimestamp, (void *, unsigned long *, struct timespec *)) \
    FUNCTION(long, pcm_readi, (void *, void *, unsigned long)) \
    FUNCTION(int, pcm_hw_params_malloc, (void **)) \
    FUNCTION(void, pcm_hw_params_free, (void *)) \
    FUNCTION(int, pcm_hw_params_any, (void *, void *)) \
    FUNCTION(int, pcm_hw_params_set_access, (void *, void *, int)) \
    FUNCTION(int, pcm_hw_params_set_format, (void *, void *, int)) \
    FUNCTION(int, pcm_hw_params_set_channels_near, (void *, void *, unsigned *)) \
    FUNCTION(int, pcm_hw_params_set_rate_near, (void *, void *, unsigned *, int *)) \
    FUNCTION(int, pcm_hw_params_set_period_time_near, (void *, void *, unsigned *, int *)) \
    FUNCTION(int, pcm_hw_params_set_buffer_time_near, (void *, void *, unsigned *, int *)) \
    FUNCTION(int, pcm_hw_params, (void *, void *)) \
    FUNCTION(int, pcm_sw_params_malloc, (void **)) \
    FUNCTION(void, pcm_sw_params_free, (void *)) \
    FUNCTION(int, pcm_sw_params_current, (void *, void *)) \
    FUNCTION(int, pcm_sw_params_set_tstamp_mode, (void *, void *, int)) \
    FUNCTION(int, pcm_sw_params_set_tstamp_type, (void *, void *, int)) \
    FUNCTION(int, pcm_sw_params_set_avail_min, (void *, void *, unsigned long)) \
    FUNCTION(int, pcm_hw_params_get_period_size, (const void *, unsigned long *, int *)) \
    FUNCTION(int, pcm_sw_params, (void *, void *)) \
    FUNCTION(int, lib_error_set_handler, (lc_alsa_handler *))

struct lc_alsa {
#define LC_MEMBER(result, name, parameters) result(*name) parameters;
    LC_ALSA_FUNCTIONS(LC_MEMBER)
#undef LC_MEMBER
};

#endif
