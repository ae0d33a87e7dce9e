// SPDX-License-Identifier: MIT
// Sends frames: each at its time, cut into packets with a header, at the speed of the bus.

#include "camera.h"

#include <stdlib.h>
#include <string.h>

/// Flags of a packet's header: the frame's id (changes with each frame), its end, a time stamp, an error, the header's
/// own end.
enum { FRAME_ID = 1, END_OF_FRAME = 2, HAS_TIME = 4, ERROR = 0x40, END_OF_HEADER = 0x80 };
/// The time that one packet takes on the bus.
#define PACKET_NS 125000
/// Bulk transfers carry about 40 MB/s.
#define BULK_NS_PER_BYTE 25

void stop_stream(struct camera *camera) {
    struct stream *stream = &camera->stream;
    stream->is_sending = false;
    // The next stream begins with a key frame.
    camera->video.columns = 0;
    stream->due = stream->bus_free = 0;
}

/// The time from one frame to the next.
static int64_t interval(struct camera *camera) {
    int64_t interval = (int64_t)camera->stream.interval * 100;
    if (use_fault(camera, FAULT_SLOW)) interval = 1000000000 / camera->faults[FAULT_SLOW].value;
    // A long exposure takes the time it takes.
    int64_t exposure = (int64_t)exposure_in_force(camera) * 100000;
    return exposure > interval ? exposure : interval;
}

/// Makes the next frame, with its faults. Returns false if none is to be sent now.
static bool begin_frame(struct camera *camera, int64_t now) {
    struct stream *stream = &camera->stream;
    int64_t step = interval(camera);
    // A camera that is late does not hurry afterwards.
    stream->due = stream->due + step > now ? stream->due + step : now + step;
    if (use_fault(camera, FAULT_STALL)) return false;
    camera->number++;
    if (use_fault(camera, FAULT_SKIP)) return false;
    // A camera that sends what it did not announce.
    uint8_t format = stream->format, size = stream->size;
    if (use_fault(camera, FAULT_OTHER_SIZE)) stream->size = (uint8_t)camera->faults[FAULT_OTHER_SIZE].value;
    if (use_fault(camera, FAULT_OTHER_FORMAT)) stream->format = (uint8_t)(format_count(camera) + 1 - format);
    if (stream->size > mode_count) stream->size = (uint8_t)mode_count;
    // The tiniest JPEG has hundreds of bytes before its data.
    size_t room = 1024 + 2u * modes[stream->size - 1].width * modes[stream->size - 1].height;
    if (stream->capacity < room) {
        stream->bytes = realloc(stream->bytes, room);
        if (!stream->bytes) abort();
        stream->capacity = room;
    }
    camera->is_flash = camera->flash_interval > 0 && now >= camera->next_flash;
    if (camera->is_flash) {
        camera->next_flash = now - now % camera->flash_interval + camera->flash_interval;
        camera->flashes++;
        click(camera, now);
    }
    bool has_tables = !camera->is_tableless && !use_fault(camera, FAULT_NO_TABLES);
    stream->length = make_frame(camera, now, has_tables, stream->bytes);
    stream->format = format;
    stream->size = size;
    if (use_fault(camera, FAULT_WRONG_SIZE) && is_jpeg(camera, stream->format)) halve_height(stream->bytes);
    if (use_fault(camera, FAULT_TRUNCATED)) stream->length /= 2;
    if (use_fault(camera, FAULT_CORRUPT)) memset(stream->bytes + stream->length / 2, 0x55, stream->length / 8);
    if (use_fault(camera, FAULT_EMPTY)) stream->length = 0;
    if (use_fault(camera, FAULT_RESET_TIME)) camera->time_zero = now;
    if (!use_fault(camera, FAULT_FROZEN_ID)) stream->frame_id ^= FRAME_ID;
    // As after a reset of its own: half a frame, without an end; then a pause, and everything counts from zero.
    stream->restarts = use_fault(camera, FAULT_RESTART);
    stream->is_marked = use_fault(camera, FAULT_MARKED);
    stream->time_stamp = (uint32_t)((now - camera->time_zero) / 1000);
    bool is_last = camera->has_unplug && camera->number >= camera->unplug_at;
    stream->last = is_last ? stream->length * camera->unplug_percent / 100 : SIZE_MAX;
    stream->sent = 0;
    stream->is_sending = true;
    return true;
}

/// Writes one packet of at most `room` bytes; returns its length.
static uint32_t fill(struct stream *stream, uint8_t *to, uint32_t room) {
    if (!stream->is_sending || stream->sent >= stream->last || room <= PAYLOAD_HEADER) return 0;
    size_t count = (stream->length < stream->last ? stream->length : stream->last) - stream->sent;
    if (count > room - PAYLOAD_HEADER) count = room - PAYLOAD_HEADER;
    memcpy(to + PAYLOAD_HEADER, stream->bytes + stream->sent, count);
    stream->sent += count;
    stream->is_sending = stream->sent < stream->length;
    to[0] = PAYLOAD_HEADER;
    to[1] = (uint8_t)(END_OF_HEADER | HAS_TIME | stream->frame_id | (stream->is_marked ? ERROR : 0) |
                      (stream->is_sending ? 0 : END_OF_FRAME));
    for (unsigned i = 0; i < 4; i++) to[2 + i] = (uint8_t)(stream->time_stamp >> (8 * i));
    return (uint32_t)count + PAYLOAD_HEADER;
}

/// Fills the oldest waiting transfer and completes it.
static void transfer(struct camera *camera, int64_t now) {
    static uint8_t data[MAX_PACKETS * ISOCHRONOUS_PAYLOAD];
    struct stream *stream = &camera->stream;
    struct transfer transfer = take(&stream->queue);
    uint32_t bytes = 0, lengths[MAX_PACKETS] = {0};
    if (transfer.packets == 0) {
        bytes = fill(stream, data, transfer.bytes < BULK_PAYLOAD ? transfer.bytes : BULK_PAYLOAD);
        stream->bus_free = now + (int64_t)bytes * BULK_NS_PER_BYTE;
    } else {
        uint32_t used = 0;
        for (uint32_t i = 0; i < transfer.packets; i++) {
            uint32_t room = transfer.packet[i].bytes;
            lengths[i] = fill(stream, data + bytes, room < ISOCHRONOUS_PAYLOAD ? room : ISOCHRONOUS_PAYLOAD);
            bytes += lengths[i];
            used += lengths[i] > 0;
        }
        stream->bus_free = now + used * PACKET_NS;
    }
    complete(camera, &transfer, data, bytes, lengths);
    flush(camera);
}

int64_t run_stream(struct camera *camera, int64_t now) {
    struct stream *stream = &camera->stream;
    // The sensor works only while the host waits for its frames.
    while (stream->queue.count > 0 && stream->format > 0) {
        if (stream->due == 0) stream->due = now + interval(camera);
        if (!stream->is_sending && now < stream->due) return stream->due;
        if (now < stream->bus_free) return stream->bus_free;
        if (!stream->is_sending && !begin_frame(camera, now)) continue;
        if (stream->sent >= stream->last) {
            unplug(camera);
            return INT64_MAX;
        }
        if (stream->restarts && stream->sent >= stream->length / 2) {
            stream->is_sending = stream->restarts = false;
            stream->frame_id = 0;
            stream->due = now + 4 * interval(camera);
            camera->time_zero = now;
            continue;
        }
        transfer(camera, now);
        if (camera->socket < 0) return INT64_MAX;
        now = now_ns();
    }
    return INT64_MAX;
}
