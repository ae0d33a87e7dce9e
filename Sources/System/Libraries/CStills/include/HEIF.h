// SPDX-License-Identifier: MIT
// libheif, loaded while the program runs: what of its binary interface (libheif.so.1) is used. Nothing links it.
#ifndef LIVECAP_CSTILLS_HEIF_H
#define LIVECAP_CSTILLS_HEIF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

struct lc_heif_context;
struct lc_heif_encoder;
struct lc_heif_image;
/// A picture in a file.
struct lc_heif_handle;

/// Whether a call failed, and why. `message` belongs to the library.
struct lc_heif_error {
    int code;
    int subcode;
    const char *_Nullable message;
};
static const int lc_heif_ok = 0;
static const int lc_heif_unsupported = 4;
static const int lc_heif_no_memory = 6;

/// What a callback returns if it succeeded. Newer libraries insist on a message.
static inline struct lc_heif_error lc_heif_success(void) { return (struct lc_heif_error){0, 0, "Success"}; }

/// Colour spaces, chroma layouts and channels of an image.
static const int lc_heif_space_ycbcr = 0;
static const int lc_heif_space_rgb = 1;
static const int lc_heif_space_grey = 2;
static const int lc_heif_chroma_none = 0;
static const int lc_heif_chroma_420 = 1;
static const int lc_heif_chroma_444 = 3;
static const int lc_heif_chroma_rgb24 = 10;
static const int lc_heif_channel_y = 0;
static const int lc_heif_channel_cb = 1;
static const int lc_heif_channel_cr = 2;
static const int lc_heif_channel_red = 3;
static const int lc_heif_channel_green = 4;
static const int lc_heif_channel_blue = 5;
static const int lc_heif_channel_rgb = 10;
static const int lc_heif_hevc = 1;

/// The code points of an image's colours. The library allocates it, with fields after these.
struct lc_heif_colors {
    uint8_t version;
    int primaries;
    int transfer;
    int matrix;
    uint8_t is_full_range;
};

/// The library allocates it, with fields after these, and states in `version` which fields it has.
struct lc_heif_options {
    uint8_t version;
    uint8_t saves_alpha;
    uint8_t crops_by_grid;
    uint8_t saves_two_profiles;
    struct lc_heif_colors *_Nullable colors;
    /// From version 4 on: writes files without code points.
    uint8_t omits_colors;
};

/// Receives a file's bytes.
struct lc_heif_writer {
    int version;
    struct lc_heif_error (*write)(
        struct lc_heif_context *_Nullable context, const void *_Nullable bytes, size_t count, void *_Nullable target);
};

/// The library's functions. Each field is the function of its name after `heif_`.
struct lc_heif {
    struct lc_heif_context *_Nullable (*_Nonnull context_alloc)(void);
    void (*context_free)(struct lc_heif_context *);
    struct lc_heif_error (*context_get_encoder_for_format)(
        struct lc_heif_context *, int format, struct lc_heif_encoder *_Nullable *_Nonnull);
    void (*encoder_release)(struct lc_heif_encoder *);
    struct lc_heif_error (*encoder_set_lossy_quality)(struct lc_heif_encoder *, int quality);
    struct lc_heif_error (*encoder_set_parameter_string)(struct lc_heif_encoder *, const char *name, const char *value);
    struct lc_heif_options *_Nullable (*_Nonnull encoding_options_alloc)(void);
    void (*encoding_options_free)(struct lc_heif_options *);

    struct lc_heif_error (*image_create)(
        int width, int height, int space, int chroma, struct lc_heif_image *_Nullable *_Nonnull);
    struct lc_heif_error (*image_add_plane)(struct lc_heif_image *, int channel, int width, int height, int bits);
    uint8_t *_Nullable (*_Nonnull image_get_plane)(struct lc_heif_image *, int channel, int *stride);
    const uint8_t *_Nullable (*_Nonnull image_get_plane_readonly)(
        const struct lc_heif_image *, int channel, int *stride);
    int (*image_get_width)(const struct lc_heif_image *, int channel);
    int (*image_get_height)(const struct lc_heif_image *, int channel);
    int (*image_get_bits_per_pixel_range)(const struct lc_heif_image *, int channel);
    struct lc_heif_error (*image_set_nclx_color_profile)(struct lc_heif_image *, const struct lc_heif_colors *);
    void (*image_release)(const struct lc_heif_image *);
    struct lc_heif_colors *_Nullable (*_Nonnull nclx_color_profile_alloc)(void);
    struct lc_heif_error (*nclx_color_profile_set_color_primaries)(struct lc_heif_colors *, uint16_t);
    struct lc_heif_error (*nclx_color_profile_set_transfer_characteristics)(struct lc_heif_colors *, uint16_t);
    struct lc_heif_error (*nclx_color_profile_set_matrix_coefficients)(struct lc_heif_colors *, uint16_t);
    void (*nclx_color_profile_free)(struct lc_heif_colors *);

    struct lc_heif_error (*context_encode_image)(
        struct lc_heif_context *, const struct lc_heif_image *, struct lc_heif_encoder *,
        const struct lc_heif_options *, struct lc_heif_handle *_Nullable *_Nonnull);
    struct lc_heif_error (*context_add_exif_metadata)(
        struct lc_heif_context *, const struct lc_heif_handle *, const void *bytes, int count);
    struct lc_heif_error (*context_add_XMP_metadata)(
        struct lc_heif_context *, const struct lc_heif_handle *, const void *bytes, int count);
    struct lc_heif_error (*context_write)(struct lc_heif_context *, struct lc_heif_writer *, void *target);

    void (*context_set_maximum_image_size_limit)(struct lc_heif_context *, int side);
    struct lc_heif_error (*context_read_from_memory)(
        struct lc_heif_context *, const void *_Nullable file, size_t count, const void *_Nullable options);
    struct lc_heif_error (*context_get_primary_image_handle)(
        struct lc_heif_context *, struct lc_heif_handle *_Nullable *_Nonnull);
    struct lc_heif_error (*decode_image)(
        const struct lc_heif_handle *, struct lc_heif_image *_Nullable *_Nonnull, int space, int chroma,
        const void *_Nullable options);
    int (*image_handle_get_number_of_depth_images)(const struct lc_heif_handle *);
    int (*image_handle_get_list_of_depth_image_IDs)(const struct lc_heif_handle *, uint32_t *ids, int room);
    struct lc_heif_error (*image_handle_get_depth_image_handle)(
        const struct lc_heif_handle *, uint32_t id, struct lc_heif_handle *_Nullable *_Nonnull);
    int (*image_handle_get_width)(const struct lc_heif_handle *);
    int (*image_handle_get_height)(const struct lc_heif_handle *);
    struct lc_heif_error (*image_handle_get_nclx_color_profile)(
        const struct lc_heif_handle *, struct lc_heif_colors *_Nullable *_Nonnull);
    int (*image_handle_get_number_of_metadata_blocks)(const struct lc_heif_handle *, const char *type);
    int (*image_handle_get_list_of_metadata_block_IDs)(
        const struct lc_heif_handle *, const char *type, uint32_t *ids, int room);
    const char *_Nullable (*_Nonnull image_handle_get_metadata_content_type)(
        const struct lc_heif_handle *, uint32_t id);
    size_t (*image_handle_get_metadata_size)(const struct lc_heif_handle *, uint32_t id);
    struct lc_heif_error (*image_handle_get_metadata)(const struct lc_heif_handle *, uint32_t id, void *bytes);
    void (*image_handle_release)(const struct lc_heif_handle *);
};

/// Loads the library of this file name, as dlopen(3) finds it, and its functions. On failure, returns false and writes
/// a message into the `room` bytes at `why`. A library that was loaded stays until the process ends, so any thread may
/// call its functions at any time; to load it again takes microseconds.
bool lc_heif_load(const char *library, struct lc_heif *heif, char *why, size_t room);

#pragma clang assume_nonnull end

#endif
