// SPDX-License-Identifier: MIT
// Sound from PipeWire: which sources there are, and the samples of one of them. libpipewire is loaded when it is asked
// for.

#ifndef LIVECAP_CPIPEWIRE_SOUND_H
#define LIVECAP_CPIPEWIRE_SOUND_H

#include "CPipeWire.h"

// MARK: Which there are

/// A source of sound. Texts are those of the moment.
struct lc_pipewire_source {
    /// The node's name, and its name for people, which may be empty.
    const char *name;
    const char *description;
    /// The number of this object, which no later one gets.
    uint64_t serial;
    /// The number of ALSA's card; -1 if it belongs to none.
    int card;
    /// The number of channels; 0 if it is not known.
    uint32_t channels;
    /// Whether it is the one that is used where none is named.
    bool is_default;
};

/// A connection that follows the sources. Any thread may use it.
struct lc_pipewire_sources;

/// Connects to PipeWire, and waits for the first list.
enum lc_pipewire_result lc_pipewire_sources_open(
    const char *library, struct lc_pipewire_sources **sources, char *why, size_t room);

/// Whether PipeWire is still there.
bool lc_pipewire_sources_live(struct lc_pipewire_sources *sources);

/// Calls `each` for each source. It must not call functions that take `sources`.
void lc_pipewire_sources_each(
    struct lc_pipewire_sources *sources, void (*each)(void *owner, const struct lc_pipewire_source *source),
    void *owner);

void lc_pipewire_sources_close(struct lc_pipewire_sources *sources);

// MARK: The samples of one

/// What is asked for.
struct lc_pipewire_recording_settings {
    const char *library;
    /// The name of the source's node; empty for whichever is PipeWire's default.
    const char *target;
    /// 1 or 2. PipeWire converts what the source has.
    uint32_t channels;
};

/// The rate of recordings, in samples per second. PipeWire converts where a source has another.
#define LC_PIPEWIRE_RATE 48000u

/// Samples of a source, of type float. Used by one thread.
struct lc_pipewire_recording;

/// What became of a recording.
enum lc_pipewire_state {
    /// PipeWire has not connected it with its source.
    LC_PIPEWIRE_WAITING,
    LC_PIPEWIRE_STREAMING,
    /// The source has gone, or PipeWire refuses.
    LC_PIPEWIRE_REFUSED,
    /// PipeWire has gone.
    LC_PIPEWIRE_ENDED,
};

/// Samples that were taken.
struct lc_pipewire_samples {
    /// Frames in the buffer.
    uint32_t count;
    /// Frames of the same block that were not read yet, and when the last of the block was captured, in nanoseconds on
    /// CLOCK_MONOTONIC.
    uint32_t left;
    int64_t time_ns;
    /// Whether frames were lost. Then there are none now, and those after the gap come with the next call.
    bool has_gap;
};

/// Connects to PipeWire and asks for a source's sound.
enum lc_pipewire_result lc_pipewire_recording_open(
    const struct lc_pipewire_recording_settings *settings, struct lc_pipewire_recording **recording, char *why,
    size_t room);

/// Waits until sound flows, at most so long, and forgets what came before.
enum lc_pipewire_state lc_pipewire_recording_start(struct lc_pipewire_recording *recording, int milliseconds);

/// Waits for samples, at most so long, and takes up to `room` frames of one block. False if there are none.
bool lc_pipewire_recording_read(struct lc_pipewire_recording *recording, float *samples, uint32_t room,
                                int milliseconds, struct lc_pipewire_samples *taken);

enum lc_pipewire_state lc_pipewire_recording_state(struct lc_pipewire_recording *recording);

void lc_pipewire_recording_close(struct lc_pipewire_recording *recording);

#endif
