// SPDX-License-Identifier: MIT
// All kernels and their table. Each level includes this file once, with its own target attributes.

#include "Split.h"
#include "Mean.h"
#include "Bytes.h"
#include "Cosine.h"
#include "Denoise.h"
#include "Shorts.h"
#include "Shrink.h"
#include "Gains.h"
#include "Pyramid.h"
#include "Motion.h"
#include "Warp.h"
#include "Merge.h"
#include "Match.h"
#include "Sums.h"
#include "Finish.h"
#include "Floats.h"
#include "Texture.h"
#include "Patches.h"
#include "Collaborate.h"
#include "Bayes.h"
#include "Tiles.h"

/// The table of the level being compiled.
#define FUSION_TABLE(of_level)                                                                                         \
    {                                                                                                                  \
        .level = (of_level), .split_packed422 = split_packed422, .split_pairs = split_pairs, .add_row = add_row,       \
        .mean_row = mean_row, .tile_moments = tile_moments, .tile_powers = tile_powers, .add_powers = add_powers,      \
        .denoise_strip = denoise_strip, .denoise_activity = denoise_activity,                                          \
        .denoise_activity_bytes = denoise_activity_bytes, .denoise_gains = denoise_gains,                              \
        .denoise_levels = denoise_levels, .denoise_blocks = denoise_blocks,                                            \
        .denoise_blocks_bytes = denoise_blocks_bytes,                                                                  \
        .halve_bytes = halve_bytes, .halve_words = halve_words, .mean_cells = mean_cells, .tile_slopes = tile_slopes,  \
        .tile_differences = tile_differences, .tile_distances = tile_distances, .widen_codes = widen_codes,            \
        .warp_differences = warp_differences, .sum_squares = sum_squares, .merge_rows = merge_rows,                    \
        .match_luma = match_luma, .match_chroma = match_chroma, .match_grey = match_grey,                              \
        .match_clipped_luma = match_clipped_luma, .match_clipped_chroma = match_clipped_chroma,                        \
        .compare_squares = compare_squares, .lift_grey = lift_grey, .lift_colors = lift_colors,                        \
        .row_distance = row_distance,                                                                                  \
        .widen_row = widen_row, .quotient_row = quotient_row, .narrow_row = narrow_row, .quarter_row = quarter_row,    \
        .byte_row = byte_row,                                                                                          \
        .patches_like8 = patches_like8, .patches_like5 = patches_like5, .collaborate = collaborate,                    \
        .collaborate_again = collaborate_again, .texture_sum = texture_sum, .texture_floors = texture_floors,          \
    }
