// SPDX-License-Identifier: MIT
// USB/IP, the protocol between a USB device far away and the kernel's virtual host: messages, plugging, unplugging.
// Numbers on the wire are big-endian (Documentation/usb/usbip_protocol.rst of the kernel).

#include "camera.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define HOST "/sys/devices/platform/vhci_hcd.0/"
/// Each virtual host has so many ports for USB 2, and after them as many for USB 3.
#define HOST_PORTS 15
enum { SUBMIT = 1, UNLINK = 2, SUBMITTED = 3, UNLINKED = 4 };
enum { HIGH_SPEED = 3, FREE_PORT = 4 };
enum { SOUND_ENDPOINT = 2 };

struct message {
    uint32_t command, sequence, device, direction, endpoint;
    union {
        struct { uint32_t flags, bytes, start_frame, packets, interval; uint8_t setup[8]; } submit;
        struct { int32_t status; uint32_t bytes, start_frame, packets, errors; uint8_t unused[8]; } submitted;
        struct { uint32_t sequence; uint8_t unused[24]; } unlink;
        struct { int32_t status; uint8_t unused[24]; } unlinked;
    };
};
_Static_assert(sizeof(struct message) == 48, "the header of a message");

struct packet { uint32_t offset, bytes, actual; int32_t status; };

static void write_all(struct camera *camera, const void *bytes, size_t count) {
    const uint8_t *at = bytes;
    while (count > 0 && camera->socket >= 0) {
        ssize_t written = send(camera->socket, at, count, MSG_NOSIGNAL);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) {
            unplug(camera);
            return;
        }
        at += written;
        count -= (size_t)written;
    }
}

static bool read_all(struct camera *camera, void *bytes, size_t count) {
    if (count == 0) return true;
    if (recv(camera->socket, bytes, count, MSG_WAITALL) == (ssize_t)count) return true;
    unplug(camera);
    return false;
}

// MARK: Plugging

/// The kernel's number of a port.
static int kernel_port(int port) { return port / HOST_PORTS * 2 * HOST_PORTS + port % HOST_PORTS; }

/// Whether nothing is plugged into a port.
static bool is_free(int port) {
    char path[64];
    int host = port / HOST_PORTS;
    snprintf(path, sizeof path, host ? HOST "status.%d" : HOST "status", host);
    FILE *file = fopen(path, "r");
    if (!file) return false;
    char line[128];
    int number, status;
    bool found = false;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "hs %d %d", &number, &status) == 2 && number == kernel_port(port)) found = status == FREE_PORT;
    fclose(file);
    return found;
}

void try_to_plug(struct camera *camera) {
    if (!is_free(camera->port)) return;
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0) return;
    int attach = open(HOST "attach", O_WRONLY | O_CLOEXEC);
    char line[64];
    int length = snprintf(line, sizeof line, "%d %d %d %d", kernel_port(camera->port), ends[1],
        1 << 16 | (camera->port + 2), HIGH_SPEED);
    bool is_attached = attach >= 0 && write(attach, line, (size_t)length) == length;
    if (attach >= 0) close(attach);
    close(ends[1]);
    if (!is_attached) {
        close(ends[0]);
        return;
    }
    camera->socket = ends[0];
    camera->is_plugging = false;
    camera->plugs++;
    camera->time_zero = now_ns();
    reset_controls(camera);
}

void unplug(struct camera *camera) {
    camera->is_plugging = camera->has_unplug = false;
    if (camera->socket >= 0) {
        camera->unplugged = now_ns();
        close(camera->socket);
    }
    camera->socket = -1;
    stop_stream(camera);
    camera->stream.queue.count = 0;
    stop_sound(camera);
    camera->sound.is_on = false;
    camera->sound.queue.count = 0;
}

// MARK: Messages

/// What is on its way to the host. There is room for the largest message of the stream, and for many of the sound's.
static uint8_t outbox[sizeof(struct message) + MAX_PACKETS * (ISOCHRONOUS_PAYLOAD + sizeof(struct packet))];
static size_t outbox_length;

void flush(struct camera *camera) {
    size_t length = outbox_length;
    outbox_length = 0;
    write_all(camera, outbox, length);
}

void complete(
    struct camera *camera, const struct transfer *transfer, const uint8_t *data, uint32_t bytes,
    const uint32_t *packet_bytes) {
    size_t length = sizeof(struct message) + bytes + transfer->packets * sizeof(struct packet);
    if (outbox_length + length > sizeof outbox) flush(camera);
    struct message message = {.command = htonl(SUBMITTED), .sequence = htonl(transfer->sequence)};
    message.submitted.bytes = htonl(bytes);
    message.submitted.start_frame = htonl(transfer->start_frame);
    message.submitted.packets = htonl(transfer->packets);
    uint8_t *end = outbox + outbox_length;
    memcpy(end, &message, sizeof message), end += sizeof message;
    memcpy(end, data, bytes), end += bytes;
    for (uint32_t i = 0; i < transfer->packets; i++, end += sizeof(struct packet)) {
        struct packet packet = {htonl(transfer->packet[i].offset), htonl(transfer->packet[i].bytes),
            htonl(packet_bytes[i]), 0};
        memcpy(end, &packet, sizeof packet);
    }
    outbox_length += length;
}

/// Answers a transfer of the control pipe.
static void answer_control(struct camera *camera, const struct message *message, bool is_in, uint8_t *data) {
    const uint8_t *setup = message->submit.setup;
    struct request request = {setup[0], setup[1], (uint16_t)(setup[2] | setup[3] << 8),
        (uint16_t)(setup[4] | setup[5] << 8), (uint16_t)(setup[6] | setup[7] << 8)};
    int count = answer(camera, &request, data);
    if (count == SILENCE) return;
    uint8_t text[sizeof(struct message) + 4096];
    struct message *reply = (struct message *)text;
    *reply = (struct message){.command = htonl(SUBMITTED), .sequence = message->sequence};
    size_t sent = 0;
    if (count == STALL) {
        reply->submitted.status = (int32_t)htonl((uint32_t)-EPIPE);
    } else if (is_in) {
        sent = (size_t)(count < request.length ? count : request.length);
        memcpy(text + sizeof *reply, data, sent);
    }
    reply->submitted.bytes = htonl(is_in ? (uint32_t)sent : request.length);
    write_all(camera, text, sizeof *reply + sent);
}

struct transfer take(struct queue *queue) {
    struct transfer transfer = queue->waiting[0];
    memmove(queue->waiting, queue->waiting + 1, --queue->count * sizeof *queue->waiting);
    return transfer;
}

/// Keeps a transfer until there is data for it.
static void keep(struct camera *camera, const struct message *message) {
    bool is_sound = ntohl(message->endpoint) == SOUND_ENDPOINT;
    struct queue *queue = is_sound ? &camera->sound.queue : &camera->stream.queue;
    uint32_t packets = ntohl(message->submit.packets);
    if ((camera->is_bulk && !is_sound) || packets == UINT32_MAX) packets = 0;
    if (packets > MAX_PACKETS || queue->count == sizeof queue->waiting / sizeof *queue->waiting) {
        fprintf(stderr, "lab-camera: more packets or transfers than expected\n");
        exit(70);
    }
    struct transfer *transfer = &queue->waiting[queue->count];
    transfer->sequence = ntohl(message->sequence);
    transfer->bytes = ntohl(message->submit.bytes);
    transfer->start_frame = ntohl(message->submit.start_frame);
    transfer->packets = packets;
    for (uint32_t i = 0; i < packets; i++) {
        struct packet packet;
        if (!read_all(camera, &packet, sizeof packet)) return;
        transfer->packet[i].offset = ntohl(packet.offset);
        transfer->packet[i].bytes = ntohl(packet.bytes);
    }
    queue->count++;
}

/// Returns whether the queue had it.
static bool remove_transfer(struct queue *queue, uint32_t sequence) {
    for (unsigned i = 0; i < queue->count; i++) {
        if (queue->waiting[i].sequence != sequence) continue;
        queue->count--;
        memmove(&queue->waiting[i], &queue->waiting[i + 1], (queue->count - i) * sizeof *queue->waiting);
        return true;
    }
    return false;
}

/// Takes back a transfer that the host gives up.
static void take_back(struct camera *camera, const struct message *message) {
    uint32_t sequence = ntohl(message->unlink.sequence);
    remove_transfer(&camera->stream.queue, sequence);
    // The host has stopped listening: what is captured until it listens again is lost.
    if (remove_transfer(&camera->sound.queue, sequence)) stop_sound(camera);
    struct message reply = {.command = htonl(UNLINKED), .sequence = message->sequence};
    reply.unlinked.status = (int32_t)htonl((uint32_t)-ECONNRESET);
    write_all(camera, &reply, sizeof reply);
}

void receive(struct camera *camera) {
    struct message message;
    if (!read_all(camera, &message, sizeof message)) return;
    switch (ntohl(message.command)) {
    case SUBMIT:
        if (ntohl(message.endpoint) != 0) {
            keep(camera, &message);
        } else {
            static uint8_t data[65536];
            bool is_in = ntohl(message.direction) != 0;
            uint32_t bytes = ntohl(message.submit.bytes);
            if (bytes > sizeof data || (!is_in && !read_all(camera, data, bytes))) return;
            answer_control(camera, &message, is_in, data);
        }
        break;
    case UNLINK: take_back(camera, &message); break;
    default: unplug(camera);
    }
}
