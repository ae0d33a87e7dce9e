// SPDX-License-Identifier: MIT
// A sound card for tests, as a plugin of ALSA's: a click at each whole second of CLOCK_MONOTONIC, at a true rate that
// is not the one it claims, and with faults. PipeWire's devices of ALSA are plugins of the same kind.
#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>
#include <math.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

struct lab {
    snd_pcm_ioplug_t io;
    int timer;
    /// Samples per second, in truth.
    double truth;
    /// Seconds after opening; 0 for never.
    double overrun, gone;
    int64_t opened, started;
    uint64_t read;
};

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int start(snd_pcm_ioplug_t *io) {
    struct lab *lab = io->private_data;
    struct itimerspec every = {{0, 10000000}, {0, 10000000}};
    timerfd_settime(lab->timer, 0, &every, NULL);
    lab->started = now();
    lab->read = 0;
    return 0;
}

static int stop(snd_pcm_ioplug_t *io) {
    struct lab *lab = io->private_data;
    struct itimerspec never = {{0, 0}, {0, 0}};
    return timerfd_settime(lab->timer, 0, &never, NULL);
}

static snd_pcm_sframes_t pointer(snd_pcm_ioplug_t *io) {
    struct lab *lab = io->private_data;
    double age = (double)(now() - lab->opened) * 1e-9;
    if (lab->gone > 0 && age > lab->gone) return -ENODEV;
    if (lab->overrun > 0 && age > lab->overrun) {
        lab->overrun = 0;
        return -EPIPE;
    }
    uint64_t frames = (uint64_t)((double)(now() - lab->started) * 1e-9 * lab->truth);
    frames -= frames % io->period_size;
    if (frames - lab->read > io->buffer_size) return -EPIPE;
    return (snd_pcm_sframes_t)(frames % io->buffer_size);
}

static snd_pcm_sframes_t transfer(snd_pcm_ioplug_t *io, const snd_pcm_channel_area_t *areas, snd_pcm_uframes_t offset,
                                  snd_pcm_uframes_t size) {
    struct lab *lab = io->private_data;
    for (snd_pcm_uframes_t at = 0; at < size; at++) {
        double time = (double)lab->started * 1e-9 + (double)(lab->read + at) / lab->truth;
        double rest = time - floor(time);
        int16_t value = rest < 0.002 ? (int16_t)(24000 * sin(2 * M_PI * 1500 * rest)) : 0;
        for (unsigned channel = 0; channel < io->channels; channel++) {
            const snd_pcm_channel_area_t *area = areas + channel;
            *(int16_t *)((char *)area->addr + (area->first + (offset + at) * area->step) / 8) = value;
        }
    }
    lab->read += size;
    return (snd_pcm_sframes_t)size;
}

static int revents(snd_pcm_ioplug_t *io, struct pollfd *descriptors, unsigned count, unsigned short *events) {
    struct lab *lab = io->private_data;
    uint64_t ticks;
    (void)count;
    *events = descriptors[0].revents & POLLIN;
    if (*events && read(lab->timer, &ticks, sizeof ticks) < 0) *events = 0;
    return 0;
}

static int close_lab(snd_pcm_ioplug_t *io) {
    struct lab *lab = io->private_data;
    close(lab->timer);
    free(lab);
    return 0;
}

static const snd_pcm_ioplug_callback_t callbacks = {
    .start = start,
    .stop = stop,
    .pointer = pointer,
    .transfer = transfer,
    .poll_revents = revents,
    .close = close_lab,
};

static int limit(struct lab *lab, long rate) {
    static const unsigned access[] = {SND_PCM_ACCESS_RW_INTERLEAVED};
    static const unsigned formats[] = {SND_PCM_FORMAT_S16_LE};
    snd_pcm_ioplug_t *io = &lab->io;
    int result = snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_ACCESS, 1, access);
    if (result >= 0) result = snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_FORMAT, 1, formats);
    if (result >= 0) result = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_CHANNELS, 1, 2);
    unsigned only = (unsigned)rate;
    if (result >= 0) result = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_RATE, only, only);
    if (result >= 0) result = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_PERIOD_BYTES, 64, 64 << 10);
    if (result >= 0) result = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_BUFFER_BYTES, 256, 1 << 20);
    return result;
}

SND_PCM_PLUGIN_DEFINE_FUNC(lab) {
    (void)root;
    long rate = 48000, truth = 48000, overrun = 0, gone = 0;
    snd_config_iterator_t at, next;
    snd_config_for_each(at, next, conf) {
        snd_config_t *entry = snd_config_iterator_entry(at);
        const char *key;
        if (snd_config_get_id(entry, &key) < 0) continue;
        if (strcmp(key, "rate") == 0) snd_config_get_integer(entry, &rate);
        if (strcmp(key, "truth") == 0) snd_config_get_integer(entry, &truth);
        // In milliseconds.
        if (strcmp(key, "overrun") == 0) snd_config_get_integer(entry, &overrun);
        if (strcmp(key, "gone") == 0) snd_config_get_integer(entry, &gone);
    }
    struct lab *lab = calloc(1, sizeof *lab);
    if (!lab) return -ENOMEM;
    lab->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    lab->truth = (double)truth;
    lab->overrun = (double)overrun * 1e-3;
    lab->gone = (double)gone * 1e-3;
    lab->opened = now();
    lab->io.version = SND_PCM_IOPLUG_VERSION;
    lab->io.name = "a card for tests";
    lab->io.callback = &callbacks;
    lab->io.private_data = lab;
    lab->io.poll_fd = lab->timer;
    lab->io.poll_events = POLLIN;
    int result = snd_pcm_ioplug_create(&lab->io, name, stream, mode);
    if (result < 0) {
        close(lab->timer);
        free(lab);
        return result;
    }
    result = limit(lab, rate);
    if (result < 0) {
        snd_pcm_ioplug_delete(&lab->io);
        return result;
    }
    *pcmp = lab->io.pcm;
    return 0;
}

SND_PCM_PLUGIN_SYMBOL(lab);
