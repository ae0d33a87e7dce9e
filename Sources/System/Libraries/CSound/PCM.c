// SPDX-License-Identifier: MIT
// A device of ALSA's, opened for capture.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "Alsa.h"

struct lc_pcm {
    const struct lc_alsa *alsa;
    void *handle;
    enum lc_pcm_samples samples;
    unsigned channels;
    /// Samples as the device delivers them.
    void *raw;
    size_t raw_frames;
};

static size_t bytes_of(enum lc_pcm_samples samples) {
    switch (samples) {
        case LC_PCM_S16: return 2;
        case LC_PCM_S24_PACKED: return 3;
        default: return 4;
    }
}

void lc_pcm_convert(enum lc_pcm_samples kind, const void *bytes, float *samples, size_t count) {
    const uint8_t *in = bytes;
    switch (kind) {
        case LC_PCM_S16:
            for (size_t at = 0; at < count; at++) {
                int16_t value;
                memcpy(&value, in + 2 * at, 2);
                samples[at] = (float)value * 0x1p-15f;
            }
            break;
        case LC_PCM_S24_PACKED:
            for (size_t at = 0; at < count; at++, in += 3) {
                uint32_t value = (uint32_t)in[0] << 8 | (uint32_t)in[1] << 16 | (uint32_t)in[2] << 24;
                samples[at] = (float)(int32_t)value * 0x1p-31f;
            }
            break;
        case LC_PCM_S24:
            for (size_t at = 0; at < count; at++) {
                uint32_t value;
                memcpy(&value, in + 4 * at, 4);
                // The topmost byte may be anything.
                samples[at] = (float)(int32_t)(value << 8) * 0x1p-31f;
            }
            break;
        case LC_PCM_S32:
            for (size_t at = 0; at < count; at++) {
                int32_t value;
                memcpy(&value, in + 4 * at, 4);
                samples[at] = (float)value * 0x1p-31f;
            }
            break;
        case LC_PCM_FLOAT: memcpy(samples, in, 4 * count); break;
    }
}

#define CHECK(function, ...) \
    do { \
        int result_ = alsa->function(__VA_ARGS__); \
        if (result_ < 0) { \
            *call = "snd_" #function; \
            return result_; \
        } \
    } while (0)

/// The first layout that the device has: more bits first.
static int choose_samples(const struct lc_alsa *alsa, void *handle, void *params, struct lc_pcm_setup *setup) {
    static const int layouts[] = {LC_PCM_FLOAT, LC_PCM_S32, LC_PCM_S24_PACKED, LC_PCM_S24, LC_PCM_S16};
    for (size_t at = 0; at < sizeof layouts / sizeof *layouts; at++) {
        int result = alsa->pcm_hw_params_set_format(handle, params, layouts[at]);
        if (result >= 0) {
            setup->samples = layouts[at];
            return 0;
        }
    }
    return -EINVAL;
}

static int set_hardware(struct lc_pcm *pcm, void *params, struct lc_pcm_setup *setup, unsigned long *period,
                        const char **call) {
    const struct lc_alsa *alsa = pcm->alsa;
    void *handle = pcm->handle;
    CHECK(pcm_hw_params_any, handle, params);
    CHECK(pcm_hw_params_set_access, handle, params, LC_ALSA_INTERLEAVED);
    *call = "snd_pcm_hw_params_set_format";
    int result = choose_samples(alsa, handle, params, setup);
    if (result < 0) return result;
    CHECK(pcm_hw_params_set_channels_near, handle, params, &setup->channels);
    CHECK(pcm_hw_params_set_rate_near, handle, params, &setup->rate, NULL);
    CHECK(pcm_hw_params_set_period_time_near, handle, params, &setup->period, NULL);
    CHECK(pcm_hw_params_set_buffer_time_near, handle, params, &setup->buffer, NULL);
    CHECK(pcm_hw_params, handle, params);
    CHECK(pcm_hw_params_get_period_size, params, period, NULL);
    return 0;
}

static int set_software(struct lc_pcm *pcm, void *params, unsigned long period, const char **call) {
    const struct lc_alsa *alsa = pcm->alsa;
    void *handle = pcm->handle;
    CHECK(pcm_sw_params_current, handle, params);
    CHECK(pcm_sw_params_set_tstamp_mode, handle, params, LC_ALSA_TSTAMP_ENABLE);
    CHECK(pcm_sw_params_set_tstamp_type, handle, params, LC_ALSA_TSTAMP_MONOTONIC);
    CHECK(pcm_sw_params_set_avail_min, handle, params, period);
    CHECK(pcm_sw_params, handle, params);
    return 0;
}

static int set_up(struct lc_pcm *pcm, struct lc_pcm_setup *setup, const char **call) {
    const struct lc_alsa *alsa = pcm->alsa;
    void *params;
    unsigned long period = 0;
    CHECK(pcm_hw_params_malloc, &params);
    int result = set_hardware(pcm, params, setup, &period, call);
    alsa->pcm_hw_params_free(params);
    if (result < 0) return result;
    CHECK(pcm_sw_params_malloc, &params);
    result = set_software(pcm, params, period, call);
    alsa->pcm_sw_params_free(params);
    return result;
}

int lc_pcm_open(const struct lc_alsa *alsa, const char *name, struct lc_pcm_setup *setup, struct lc_pcm **pcm,
                const char **call) {
    struct lc_pcm *made = calloc(1, sizeof *made);
    *call = "malloc";
    if (!made) return -ENOMEM;
    made->alsa = alsa;
    *call = "snd_pcm_open";
    // Rates are never converted by the library, which would do so by the rate that the device claims.
    int result = alsa->pcm_open(&made->handle, name, LC_ALSA_CAPTURE, LC_ALSA_NONBLOCK | LC_ALSA_NO_AUTO_RESAMPLE);
    if (result < 0) {
        free(made);
        return result;
    }
    result = set_up(made, setup, call);
    made->samples = (enum lc_pcm_samples)setup->samples;
    made->channels = setup->channels;
    if (result >= 0) {
        made->raw_frames = 4096;
        made->raw = malloc(made->raw_frames * made->channels * bytes_of(made->samples));
        *call = "malloc";
        if (!made->raw) result = -ENOMEM;
    }
    if (result < 0) {
        lc_pcm_close(made);
        return result;
    }
    *pcm = made;
    return 0;
}

int lc_pcm_start(struct lc_pcm *pcm) {
    pcm->alsa->pcm_drop(pcm->handle);
    int result = pcm->alsa->pcm_prepare(pcm->handle);
    return result < 0 ? result : pcm->alsa->pcm_start(pcm->handle);
}

int lc_pcm_resume(struct lc_pcm *pcm) { return pcm->alsa->pcm_resume(pcm->handle); }

int lc_pcm_wait(struct lc_pcm *pcm, int milliseconds) { return pcm->alsa->pcm_wait(pcm->handle, milliseconds); }

int lc_pcm_available(struct lc_pcm *pcm, uint64_t *frames, int64_t *time) {
    unsigned long available = 0;
    struct timespec stamp = {0, 0};
    int result = pcm->alsa->pcm_htimestamp(pcm->handle, &available, &stamp);
    *frames = available;
    *time = (int64_t)stamp.tv_sec * 1000000000 + stamp.tv_nsec;
    return result;
}

long lc_pcm_read(struct lc_pcm *pcm, float *samples, size_t frames) {
    if (frames > pcm->raw_frames) frames = pcm->raw_frames;
    long count = pcm->alsa->pcm_readi(pcm->handle, pcm->raw, frames);
    if (count > 0) lc_pcm_convert(pcm->samples, pcm->raw, samples, (size_t)count * pcm->channels);
    return count;
}

void lc_pcm_close(struct lc_pcm *pcm) {
    pcm->alsa->pcm_close(pcm->handle);
    free(pcm->raw);
    free(pcm);
}
