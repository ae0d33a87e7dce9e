// SPDX-License-Identifier: MIT
// Captures sound with ALSA's library, which is loaded when the first microphone is asked for. Needs no header of ALSA's
// to build, and no library to start. One call a function, no policy.
#ifndef LIVECAP_CSOUND_H
#define LIVECAP_CSOUND_H

#include <stddef.h>
#include <stdint.h>

/// Functions of libasound. Any thread may use them.
struct lc_alsa;

/// Loads the library, which then stays. NULL if it is missing or lacks a function, with the reason in `why`.
struct lc_alsa *lc_alsa_load(const char *library, char *why, size_t room);

/// Frees the table of functions. Nothing made with it may be left.
void lc_alsa_free(struct lc_alsa *alsa);

/// How samples lie in memory: ALSA's numbers.
enum lc_pcm_samples {
    LC_PCM_S16 = 2,
    LC_PCM_S24 = 6,
    LC_PCM_S32 = 10,
    LC_PCM_FLOAT = 14,
    LC_PCM_S24_PACKED = 32,
};

/// What is asked of a device, and then what it granted.
struct lc_pcm_setup {
    /// Samples per second, as the device claims.
    uint32_t rate;
    uint32_t channels;
    /// In microseconds.
    uint32_t period, buffer;
    int32_t samples;
};

/// A device opened for capture. Used by one thread at a time.
struct lc_pcm;

/// Opens ALSA's device `name` and sets it up as near to `setup` as it can. Returns a negated errno if that fails, with
/// the failed call in `call`.
int lc_pcm_open(const struct lc_alsa *alsa, const char *name, struct lc_pcm_setup *setup, struct lc_pcm **pcm,
                const char **call);

/// Prepares and starts the capture, after opening or a failure.
int lc_pcm_start(struct lc_pcm *pcm);

/// Goes on after the system was suspended. -EAGAIN: not yet. -ENOSYS: it has to be started.
int lc_pcm_resume(struct lc_pcm *pcm);

/// Waits for frames, at most `milliseconds`. Returns 1 if there are some, 0 if not, and a negated errno: EPIPE
/// after an overrun, ESTRPIPE after a suspension, ENODEV if the device has gone.
int lc_pcm_wait(struct lc_pcm *pcm, int milliseconds);

/// How many frames can be read, and when that was so, in nanoseconds on CLOCK_MONOTONIC by the driver's account; 0 if
/// it gives none. Returns a negated errno, as `lc_pcm_wait` does.
int lc_pcm_available(struct lc_pcm *pcm, uint64_t *frames, int64_t *time);

/// Reads at most `frames` frames, without waiting. Returns their number, or a negated errno.
long lc_pcm_read(struct lc_pcm *pcm, float *samples, size_t frames);

void lc_pcm_close(struct lc_pcm *pcm);

/// Samples as floats: full scale is 1. `bytes` need no alignment.
void lc_pcm_convert(enum lc_pcm_samples kind, const void *bytes, float *samples, size_t count);

#endif
