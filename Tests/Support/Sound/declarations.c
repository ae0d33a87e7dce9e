// SPDX-License-Identifier: MIT
// Compares our declarations of ALSA's functions and numbers with its own headers: compiles if they agree.
#include "../../../Sources/System/Libraries/CSound/Alsa.h"

#include <alsa/asoundlib.h>

#define SAME(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #theirs)
SAME(LC_ALSA_CAPTURE, SND_PCM_STREAM_CAPTURE);
SAME(LC_ALSA_NONBLOCK, SND_PCM_NONBLOCK);
SAME(LC_ALSA_NO_AUTO_RESAMPLE, SND_PCM_NO_AUTO_RESAMPLE);
SAME(LC_ALSA_INTERLEAVED, SND_PCM_ACCESS_RW_INTERLEAVED);
SAME(LC_ALSA_TSTAMP_ENABLE, SND_PCM_TSTAMP_ENABLE);
SAME(LC_ALSA_TSTAMP_MONOTONIC, SND_PCM_TSTAMP_TYPE_MONOTONIC);
SAME(LC_PCM_S16, SND_PCM_FORMAT_S16_LE);
SAME(LC_PCM_S24, SND_PCM_FORMAT_S24_LE);
SAME(LC_PCM_S32, SND_PCM_FORMAT_S32_LE);
SAME(LC_PCM_FLOAT, SND_PCM_FORMAT_FLOAT_LE);
SAME(LC_PCM_S24_PACKED, SND_PCM_FORMAT_S24_3LE);
_Static_assert(sizeof(snd_pcm_uframes_t) == sizeof(unsigned long) && sizeof(snd_pcm_sframes_t) == sizeof(long),
               "frames");
_Static_assert(__builtin_types_compatible_p(snd_htimestamp_t, struct timespec), "snd_htimestamp_t");

/// Whether functions return what ours do, and accept what we pass.
#define RETURNS(function, type, ...) \
    _Static_assert(__builtin_types_compatible_p(__typeof__(function(__VA_ARGS__)), type), #function)
RETURNS(snd_pcm_open, int, (snd_pcm_t **)NULL, (const char *)NULL, 0, 0);
RETURNS(snd_pcm_close, int, NULL);
RETURNS(snd_pcm_prepare, int, NULL);
RETURNS(snd_pcm_start, int, NULL);
RETURNS(snd_pcm_drop, int, NULL);
RETURNS(snd_pcm_resume, int, NULL);
RETURNS(snd_pcm_wait, int, NULL, 0);
RETURNS(snd_pcm_htimestamp, int, NULL, (unsigned long *)NULL, (struct timespec *)NULL);
RETURNS(snd_pcm_readi, long, NULL, NULL, 0UL);
RETURNS(snd_pcm_hw_params_malloc, int, NULL);
RETURNS(snd_pcm_hw_params_free, void, NULL);
RETURNS(snd_pcm_hw_params_any, int, NULL, NULL);
RETURNS(snd_pcm_hw_params_set_access, int, NULL, NULL, 0);
RETURNS(snd_pcm_hw_params_set_format, int, NULL, NULL, 0);
RETURNS(snd_pcm_hw_params_set_channels_near, int, NULL, NULL, (unsigned *)NULL);
RETURNS(snd_pcm_hw_params_set_rate_near, int, NULL, NULL, (unsigned *)NULL, (int *)NULL);
RETURNS(snd_pcm_hw_params_set_period_time_near, int, NULL, NULL, (unsigned *)NULL, (int *)NULL);
RETURNS(snd_pcm_hw_params_set_buffer_time_near, int, NULL, NULL, (unsigned *)NULL, (int *)NULL);
RETURNS(snd_pcm_hw_params, int, NULL, NULL);
RETURNS(snd_pcm_hw_params_get_period_size, int, NULL, (unsigned long *)NULL, (int *)NULL);
RETURNS(snd_pcm_sw_params_malloc, int, NULL);
RETURNS(snd_pcm_sw_params_free, void, NULL);
RETURNS(snd_pcm_sw_params_current, int, NULL, NULL);
RETURNS(snd_pcm_sw_params_set_tstamp_mode, int, NULL, NULL, 0);
RETURNS(snd_pcm_sw_params_set_tstamp_type, int, NULL, NULL, 0);
RETURNS(snd_pcm_sw_params_set_avail_min, int, NULL, NULL, 0UL);
RETURNS(snd_pcm_sw_params, int, NULL, NULL);
RETURNS(snd_lib_error_set_handler, int, (lc_alsa_handler *)NULL);
