// SPDX-License-Identifier: MIT
// A webcam that exists only as a program: what its parts know of one another. main.c describes the whole.

#ifndef LAB_CAMERA_H
#define LAB_CAMERA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Bytes before the picture data of each USB packet: length, flags, time stamp of the frame.
#define PAYLOAD_HEADER 6
/// The payload of a bulk transfer. uvcvideo asks for at most 32 packets of 512 bytes at once, and loses every frame of
/// a camera with larger payloads.
#define BULK_PAYLOAD 16384
/// A packet of the fastest isochronous setting: three times 1024 bytes in 125 microseconds.
#define ISOCHRONOUS_PAYLOAD 3072

/// Faults of a frame or of a request. Each use of a fault counts.
enum fault {
    FAULT_NO_TABLES,
    FAULT_TRUNCATED,
    FAULT_CORRUPT,
    FAULT_EMPTY,
    FAULT_MARKED,
    FAULT_WRONG_SIZE,
    FAULT_FROZEN_ID,
    FAULT_STALL,
    FAULT_SKIP,
    FAULT_SLOW,
    FAULT_RESET_TIME,
    FAULT_RESTART,
    FAULT_OTHER_SIZE,
    FAULT_OTHER_FORMAT,
    FAULT_OTHER_GRANT,
    FAULT_REFUSE_COMMIT,
    FAULT_REFUSE_SETTING,
    FAULT_HANG_CONTROL,
    FAULT_REFUSE_CONTROL,
    FAULT_SILENT,
    FAULT_DEAF,
    FAULTS,
};

struct fault_state {
    bool is_on;
    /// The number of the frame with which it begins. A stall and a lower rate begin after that frame.
    uint32_t at;
    /// How often it is still used; endless if `is_endless`.
    uint32_t remaining;
    bool is_endless;
    /// Only frames whose numbers it divides have the fault.
    uint32_t every;
    /// For FAULT_SLOW: frames per second. For FAULT_OTHER_SIZE and FAULT_OTHER_GRANT: the size, counted from 1.
    uint32_t value;
};

enum control_id {
    EXPOSURE_AUTO,
    EXPOSURE_PRIORITY,
    EXPOSURE,
    FOCUS,
    FOCUS_AUTO,
    ZOOM,
    PAN_TILT,
    PRIVACY,
    BACKLIGHT,
    BRIGHTNESS,
    CONTRAST,
    SATURATION,
    GAIN,
    POWER_LINE,
    WHITE_BALANCE,
    WHITE_BALANCE_AUTO,
    VENDOR,
    CONTROLS,
};

struct control {
    const char *name;
    /// Where UVC has it: the unit, the selector there, and the bit that announces it.
    uint8_t unit, selector, bit;
    /// Bytes of a value, and the number of values: pan and tilt are two.
    uint8_t bytes, parts;
    int32_t min, max, step, initial;
    /// The control that locks this one while it has another value than `unlocking`; CONTROLS for none.
    enum control_id lock;
    int32_t unlocking;
};

extern const struct control controls[CONTROLS];

/// A transfer that the host waits for.
#define MAX_PACKETS 128
struct transfer {
    uint32_t sequence, bytes, packets, start_frame;
    struct { uint32_t offset, bytes; } packet[MAX_PACKETS];
};

/// Transfers that wait for data, oldest first. Drivers have at most 12 of them at a time.
struct queue {
    struct transfer waiting[16];
    unsigned count;
};

struct mode { uint16_t width, height; };

/// What a camera sees. Colour comes as MJPEG (format 1) and YUYV (format 2), or as H.264 alone; infrared as GREY, depth
/// as Z16.
enum kind { COLOUR, INFRARED, DEPTH };

struct stream {
    /// What was committed: the format and the size, both from 1, and 100 ns per frame.
    uint8_t format, size;
    uint32_t interval;
    /// What was last probed, as sent.
    uint8_t probe[34];
    /// The frame being sent: `length` bytes, of which `sent` are.
    uint8_t *bytes;
    size_t capacity, length, sent;
    /// The camera unplugs itself when so many bytes are sent.
    size_t last;
    bool is_sending, is_marked;
    /// The camera restarts its stream in the middle of this frame.
    bool restarts;
    uint8_t frame_id;
    uint32_t time_stamp;
    /// When the next frame begins, and when the bus can take the next transfer.
    int64_t due, bus_free;
    struct queue queue;
};

/// A picture in blocks of 8x8 pixels: their brightness in rows, and a colour for all.
struct drawing { const uint8_t *blocks; int columns, rows; uint8_t blue, red; };

/// The encoder of a camera that gives only H.264.
struct video {
    bool exists;
    /// Refreshes a part of each picture instead of sending key frames.
    bool refreshes;
    /// Does not say which lines of the last blocks are no part of the picture.
    bool is_uncropped;
    /// The next frame is to be a key frame.
    bool wants_key;
    /// Blocks in a row of the last picture; 0 if there was none since the stream began.
    int columns;
    /// Frames since the last key frame, and key frames.
    uint32_t since_key, keys;
    /// The last picture.
    uint8_t last[160 * 90];
};

/// Samples per second of the microphone, as its descriptor claims.
#define SOUND_RATE 48000
/// A packet may have half as much again as 1 ms has, as drivers allow.
#define SOUND_PACKET_SAMPLES (SOUND_RATE / 1000 * 3 / 2)

struct sound {
    bool exists;
    /// The true rate, in millionths above the claimed one.
    int32_t ppm;
    /// Whether the host listens.
    bool is_on;
    /// When the first sample was captured; 0 until the host waits for it.
    int64_t begun;
    /// Packets and samples since then.
    int64_t packets, samples;
    /// When the newest click begins, and how many there were while the host listened.
    int64_t click;
    uint32_t clicks;
    /// Whether clicks begin downwards.
    bool is_inverted;
    struct queue queue;
};

struct camera {
    char name[32], model[32], serial[32];
    uint16_t vendor, product;
    enum kind kind;
    bool is_bulk, is_tableless;
    /// Contrast can only be read.
    bool has_fixed_contrast;
    /// Distinguishes cameras in the pixels.
    uint8_t index;
    /// The port of the virtual hub, and the socket to its driver; -1 while not plugged in.
    int port, socket;
    /// Waits for the port to become free.
    bool is_plugging;
    uint32_t plugs, commits;
    /// Frames made since the program started. Numbers never repeat, not even after a replug.
    uint32_t number;
    int32_t values[CONTROLS][2];
    /// The error code of the last refused request, as UVC numbers them.
    uint8_t refusal;
    struct fault_state faults[FAULTS];
    /// Unplugs itself in this frame, when so many percent of it are sent.
    bool has_unplug;
    uint32_t unplug_at, unplug_percent;
    int64_t time_zero;
    /// When it was last unplugged.
    int64_t unplugged;
    /// The time from one flash to the next, or 0; when the next one is due; whether the frame being drawn has it.
    int64_t flash_interval, next_flash;
    bool is_flash;
    uint32_t flashes;
    struct stream stream;
    struct sound sound;
    struct video video;
};

/// Nanoseconds of CLOCK_MONOTONIC.
int64_t now_ns(void);

// descriptors.c: what the camera says it is.
extern const struct mode modes[];
extern const unsigned mode_count;
uint8_t format_count(const struct camera *camera);
bool is_jpeg(const struct camera *camera, uint8_t format);
/// The bytes of an uncompressed frame; JPEG needs less.
uint32_t frame_bytes(const struct camera *camera, uint8_t size);
/// 100 ns per frame, fastest first; returns how many there are.
unsigned intervals(const struct camera *camera, uint8_t format, uint8_t size, uint32_t list[4]);
/// Writes a descriptor; 0 if there is none.
size_t descriptor(const struct camera *camera, uint8_t type, uint8_t index, uint8_t *bytes);

// requests.c: the control pipe.
struct request {
    uint8_t type, code;
    uint16_t value, index, length;
};
/// The answer to a request is a stall, or does not come.
#define STALL (-1)
#define SILENCE (-2)
/// Answers a request: returns the number of bytes written to `data`, which has what the host sent.
int answer(struct camera *camera, const struct request *request, uint8_t *data);

// controls.c
void reset_controls(struct camera *camera);
int control_request(struct camera *camera, const struct request *request, uint8_t *data);
/// The time for which light is gathered, in 100 microseconds, and whether the camera chose it.
uint32_t exposure_in_force(const struct camera *camera);
bool is_exposure_automatic(const struct camera *camera);

// pictures.c: frames.
/// Makes the frame of the camera's number, in its format; returns its length.
size_t make_frame(struct camera *camera, int64_t time, bool has_tables, uint8_t *bytes);
/// Lets a JPEG claim half of its height.
void halve_height(uint8_t *jpeg);

// video.c
/// Encodes a picture as the next frame of H.264; returns its length.
size_t write_video(struct camera *camera, const struct drawing *drawing, uint8_t *bytes);

// stream.c
void stop_stream(struct camera *camera);
/// Sends what is due. Returns when it must be called again; INT64_MAX if only a message can change anything.
int64_t run_stream(struct camera *camera, int64_t now);

// sound.c: the microphone.
void stop_sound(struct camera *camera);
/// Lets the sound click at a time, which must not lie in the past.
void click(struct camera *camera, int64_t time);
/// Sends what is due. Returns when it must be called again; INT64_MAX if only a message can change anything.
int64_t run_sound(struct camera *camera, int64_t now);

// faults.c
/// Whether a fault hits now; counts the use.
bool use_fault(struct camera *camera, enum fault fault);
/// The number of a fault's name; FAULTS if there is none.
enum fault fault_named(const char *name);

// usbip.c: the wire.
void try_to_plug(struct camera *camera);
void unplug(struct camera *camera);
/// Reads and handles one message of the host.
void receive(struct camera *camera);
/// Completes a transfer whose packets have the given lengths; `data` has their bytes in a row.
/// It is on its way only after `flush`, together with others: the host's thread wakes up once for all of them.
void complete(
    struct camera *camera, const struct transfer *transfer, const uint8_t *data, uint32_t bytes,
    const uint32_t *packet_bytes);
void flush(struct camera *camera);
/// Removes the oldest transfer of a queue, which must not be empty.
struct transfer take(struct queue *queue);

// commands.c
/// Carries out one line of the protocol; answers on stdout.
void command(char *line);
extern struct camera cameras[];
extern unsigned camera_count;
#define MAX_CAMERAS 24

#endif
