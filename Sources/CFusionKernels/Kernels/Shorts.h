// SPDX-License-Identifier: MIT
// 16-bit arithmetic on two blocks at once, and the cosine transform of Cosine.h in it, with the same scale.
//
// A vector holds a row of eight samples from each of two blocks. Products are rounded and reduced to their high
// halves, for which processors have an instruction; each adds an error of at most half a unit. Intermediate results
// that exceed 16 bits wrap, and later sums wrap back.

typedef int16_t shorts __attribute__((vector_size(32), aligned(2), may_alias));
typedef uint16_t ushorts __attribute__((vector_size(32), aligned(2), may_alias));
/// Four numbers from each of two blocks.
typedef uint32_t words __attribute__((vector_size(32), aligned(4), may_alias));
/// A row of one block.
typedef int16_t short_row __attribute__((vector_size(16), aligned(2), may_alias));
typedef uint32_t word_row __attribute__((vector_size(16), aligned(4), may_alias));

/// The same value in all lanes.
#define SHORTS(value) ((shorts){0} + (int16_t)(value))

// SHORT_PRODUCT(a, b): a * b / 32768, halves rounded up. SHORT_MEAN(a, b): the mean of unsigned numbers, halves
// rounded up. SHORT_PACK(a, b): four numbers from each, saturated to 16 bits.
#ifdef FUSION_BYTE_PRODUCTS
#define SHORT_PRODUCT(a, b) ((shorts)_mm256_mulhrs_epi16((__m256i)(a), (__m256i)(b)))
#define SHORT_MEAN(a, b) ((ushorts)_mm256_avg_epu16((__m256i)(a), (__m256i)(b)))
#define SHORT_PACK(a, b) ((shorts)_mm256_packs_epi32((__m256i)(a), (__m256i)(b)))
#else
#define SHORT_HALF(v, half) \
    __builtin_shufflevector((v), (v), 8 * (half), 8 * (half) + 1, 8 * (half) + 2, 8 * (half) + 3, 8 * (half) + 4, \
                            8 * (half) + 5, 8 * (half) + 6, 8 * (half) + 7)
#define SHORT_BOTH(type, operation, a, b) \
    ((type)__builtin_shufflevector( \
        (short_row)operation(SHORT_HALF((shorts)(a), 0), SHORT_HALF((shorts)(b), 0)), \
        (short_row)operation(SHORT_HALF((shorts)(a), 1), SHORT_HALF((shorts)(b), 1)), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, \
        10, 11, 12, 13, 14, 15))
#if defined(__SSE2__)
/// The instruction for high halves loses half a unit; it is recovered from the low halves.
INLINE __m128i short_product(__m128i a, __m128i b)
{
    const __m128i low = _mm_add_epi16(_mm_srli_epi16(_mm_mullo_epi16(a, b), 14), _mm_set1_epi16(1));
    return _mm_add_epi16(_mm_slli_epi16(_mm_mulhi_epi16(a, b), 1), _mm_srli_epi16(low, 1));
}
#define SHORT_ROW_PRODUCT(a, b) short_product((__m128i)(a), (__m128i)(b))
#define SHORT_ROW_MEAN(a, b) _mm_avg_epu16((__m128i)(a), (__m128i)(b))
#define SHORT_ROW_PACK(a, b) _mm_packs_epi32((__m128i)(a), (__m128i)(b))
#elif defined(__ARM_NEON)
#define SHORT_ROW_PRODUCT(a, b) vqrdmulhq_s16((int16x8_t)(a), (int16x8_t)(b))
#define SHORT_ROW_MEAN(a, b) vrhaddq_u16((uint16x8_t)(a), (uint16x8_t)(b))
#define SHORT_ROW_PACK(a, b) vcombine_s16(vqmovn_s32((int32x4_t)(a)), vqmovn_s32((int32x4_t)(b)))
#else
#error "say here how this processor multiplies 16 bits"
#endif
#define SHORT_PRODUCT(a, b) SHORT_BOTH(shorts, SHORT_ROW_PRODUCT, a, b)
#define SHORT_MEAN(a, b) SHORT_BOTH(ushorts, SHORT_ROW_MEAN, a, b)
#define SHORT_PACK(a, b) SHORT_BOTH(shorts, SHORT_ROW_PACK, a, b)
#endif

/// The product of a number and a positive constant below 1.
#define SHORT_TIMES(v, factor) SHORT_PRODUCT(v, SHORTS((factor) * 32768 + 0.5))

INLINE void shorts_forward(shorts v[8])
{
    const shorts s0 = v[0] + v[7], s1 = v[1] + v[6], s2 = v[2] + v[5], s3 = v[3] + v[4];
    const shorts d0 = v[0] - v[7], d1 = v[1] - v[6], d2 = v[2] - v[5], d3 = v[3] - v[4];

    const shorts e0 = s0 + s3, e1 = s1 + s2, e2 = s1 - s2, e3 = s0 - s3;
    const shorts turned = SHORT_TIMES(e2 + e3, 0.707106781);
    v[0] = e0 + e1;
    v[4] = e0 - e1;
    v[2] = e3 + turned;
    v[6] = e3 - turned;

    const shorts o0 = d3 + d2, o1 = d2 + d1, o2 = d1 + d0;
    const shorts shared = SHORT_TIMES(o0 - o2, 0.382683433), middle = SHORT_TIMES(o1, 0.707106781);
    const shorts low = SHORT_TIMES(o0, 0.541196100) + shared, high = o2 + SHORT_TIMES(o2, 0.306562965) + shared;
    const shorts plus = d0 + middle, minus = d0 - middle;
    v[5] = minus + low;
    v[3] = minus - low;
    v[1] = plus + high;
    v[7] = plus - high;
}

INLINE void shorts_inverse(shorts v[8])
{
    const shorts sum = v[0] + v[4], difference = v[0] - v[4];
    const shorts outer = v[2] + v[6], turn = v[2] - v[6];
    const shorts inner = turn + SHORT_TIMES(turn, 0.414213562) - outer;
    const shorts e0 = sum + outer, e3 = sum - outer, e1 = difference + inner, e2 = difference - inner;

    const shorts a = v[5] + v[3], b = v[5] - v[3], c = v[1] + v[7], d = v[1] - v[7];
    // Only these may exceed 16 bits in the end, if the block contains the corner of a chessboard.
    const shorts both = __builtin_elementwise_add_sat(b, d), apart = __builtin_elementwise_sub_sat(c, a);
    const shorts o0 = c + a;
    const shorts shared = both + both - SHORT_TIMES(both, 0.152240935);
    const shorts o1 = shared + SHORT_TIMES(b, 0.386874070) - b - b - b - o0;
    const shorts o2 = apart + SHORT_TIMES(apart, 0.414213562) - o1;
    const shorts o3 = shared - d - SHORT_TIMES(d, 0.082392200) - o2;
    v[0] = __builtin_elementwise_add_sat(e0, o0);
    v[7] = __builtin_elementwise_sub_sat(e0, o0);
    v[1] = __builtin_elementwise_add_sat(e1, o1);
    v[6] = __builtin_elementwise_sub_sat(e1, o1);
    v[2] = __builtin_elementwise_add_sat(e2, o2);
    v[5] = __builtin_elementwise_sub_sat(e2, o2);
    v[3] = __builtin_elementwise_add_sat(e3, o3);
    v[4] = __builtin_elementwise_sub_sat(e3, o3);
}

/// Transposes both blocks.
INLINE void shorts_transpose(shorts v[8])
{
    shorts a[8], b[8];
    UNROLLED for (int i = 0; i < 4; i++) {
        a[2 * i] = __builtin_shufflevector(
            v[i], v[i + 4], 0, 16, 1, 17, 2, 18, 3, 19, 8, 24, 9, 25, 10, 26, 11, 27);
        a[2 * i + 1] = __builtin_shufflevector(
            v[i], v[i + 4], 4, 20, 5, 21, 6, 22, 7, 23, 12, 28, 13, 29, 14, 30, 15, 31);
    }
    UNROLLED for (int i = 0; i < 4; i++) {
        b[2 * i] = __builtin_shufflevector(
            a[i], a[i + 4], 0, 16, 1, 17, 2, 18, 3, 19, 8, 24, 9, 25, 10, 26, 11, 27);
        b[2 * i + 1] = __builtin_shufflevector(
            a[i], a[i + 4], 4, 20, 5, 21, 6, 22, 7, 23, 12, 28, 13, 29, 14, 30, 15, 31);
    }
    UNROLLED for (int i = 0; i < 4; i++) {
        v[2 * i] = __builtin_shufflevector(
            b[i], b[i + 4], 0, 16, 1, 17, 2, 18, 3, 19, 8, 24, 9, 25, 10, 26, 11, 27);
        v[2 * i + 1] = __builtin_shufflevector(
            b[i], b[i + 4], 4, 20, 5, 21, 6, 22, 7, 23, 12, 28, 13, 29, 14, 30, 15, 31);
    }
}
