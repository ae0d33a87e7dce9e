// SPDX-License-Identifier: MIT
// Loads libheif and finds its functions.
#include "HEIF.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/// A function's name, and where it belongs in `struct lc_heif`.
struct entry {
    const char *name;
    size_t place;
};

#define ENTRY(name) {"heif_" #name, offsetof(struct lc_heif, name)}

static const struct entry entries[] = {
    ENTRY(context_alloc),
    ENTRY(context_free),
    ENTRY(context_get_encoder_for_format),
    ENTRY(encoder_release),
    ENTRY(encoder_set_lossy_quality),
    ENTRY(encoder_set_parameter_string),
    ENTRY(encoding_options_alloc),
    ENTRY(encoding_options_free),
    ENTRY(image_create),
    ENTRY(image_add_plane),
    ENTRY(image_get_plane),
    ENTRY(image_get_plane_readonly),
    ENTRY(image_get_width),
    ENTRY(image_get_height),
    ENTRY(image_get_bits_per_pixel_range),
    ENTRY(image_set_nclx_color_profile),
    ENTRY(image_release),
    ENTRY(nclx_color_profile_alloc),
    ENTRY(nclx_color_profile_set_color_primaries),
    ENTRY(nclx_color_profile_set_transfer_characteristics),
    ENTRY(nclx_color_profile_set_matrix_coefficients),
    ENTRY(nclx_color_profile_free),
    ENTRY(context_encode_image),
    ENTRY(context_add_exif_metadata),
    ENTRY(context_add_XMP_metadata),
    ENTRY(context_write),
    ENTRY(context_set_maximum_image_size_limit),
    ENTRY(context_read_from_memory),
    ENTRY(context_get_primary_image_handle),
    ENTRY(decode_image),
    ENTRY(image_handle_get_number_of_depth_images),
    ENTRY(image_handle_get_list_of_depth_image_IDs),
    ENTRY(image_handle_get_depth_image_handle),
    ENTRY(image_handle_get_width),
    ENTRY(image_handle_get_height),
    ENTRY(image_handle_get_nclx_color_profile),
    ENTRY(image_handle_get_number_of_metadata_blocks),
    ENTRY(image_handle_get_list_of_metadata_block_IDs),
    ENTRY(image_handle_get_metadata_content_type),
    ENTRY(image_handle_get_metadata_size),
    ENTRY(image_handle_get_metadata),
    ENTRY(image_handle_release),
};

_Static_assert(
    sizeof entries / sizeof *entries == sizeof(struct lc_heif) / sizeof(void *), "each function has its entry");

bool lc_heif_load(const char *library, struct lc_heif *heif, char *why, size_t room) {
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle) {
        const char *message = dlerror();
        snprintf(why, room, "%s", message ? message : "dlopen failed");
        return false;
    }
    for (size_t at = 0; at < sizeof entries / sizeof *entries; at++) {
        void *function = dlsym(handle, entries[at].name);
        if (!function) {
            snprintf(why, room, "%s has no %s", library, entries[at].name);
            return false;
        }
        memcpy((char *)heif + entries[at].place, &function, sizeof function);
    }
    return true;
}
