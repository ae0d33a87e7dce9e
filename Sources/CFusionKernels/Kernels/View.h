// SPDX-License-Identifier: MIT
// A picture seen through a frame that is shifted, turned and enlarged a little, as stabilisation shows it: one row at a
// time. A row of the result is a straight line across the picture. The picture is interpolated down each of its columns
// where the line crosses it, and then along the line.

/// Cubic convolution (Catmull-Rom) for 64ths of a sample: what four neighbours count, of 16384.
static const int16_t view_taps[64][4] __attribute__((aligned(8))) = {
    {0, 16384, 0, 0}, {-124, 16374, 136, -2}, {-240, 16345, 287, -8}, {-349, 16297, 453, -17},
    {-450, 16230, 634, -30}, {-544, 16146, 828, -46}, {-631, 16044, 1036, -65}, {-711, 15926, 1256, -87},
    {-784, 15792, 1488, -112}, {-851, 15642, 1732, -139}, {-911, 15478, 1986, -169}, {-966, 15299, 2251, -200},
    {-1014, 15106, 2526, -234}, {-1057, 14900, 2810, -269}, {-1094, 14681, 3103, -306}, {-1125, 14450, 3404, -345},
    {-1152, 14208, 3712, -384}, {-1174, 13955, 4027, -424}, {-1190, 13691, 4349, -466}, {-1202, 13417, 4677, -508},
    {-1210, 13134, 5010, -550}, {-1213, 12842, 5348, -593}, {-1213, 12542, 5690, -635}, {-1208, 12235, 6035, -678},
    {-1200, 11920, 6384, -720}, {-1188, 11599, 6735, -762}, {-1173, 11272, 7088, -803}, {-1155, 10939, 7443, -843},
    {-1134, 10602, 7798, -882}, {-1110, 10260, 8154, -920}, {-1084, 9915, 8509, -956}, {-1055, 9567, 8863, -991},
    {-1024, 9216, 9216, -1024}, {-991, 8863, 9567, -1055}, {-956, 8509, 9915, -1084}, {-920, 8154, 10260, -1110},
    {-882, 7798, 10602, -1134}, {-843, 7443, 10939, -1155}, {-803, 7088, 11272, -1173}, {-762, 6735, 11599, -1188},
    {-720, 6384, 11920, -1200}, {-678, 6035, 12235, -1208}, {-635, 5690, 12542, -1213}, {-593, 5348, 12842, -1213},
    {-550, 5010, 13134, -1210}, {-508, 4677, 13417, -1202}, {-466, 4349, 13691, -1190}, {-424, 4027, 13955, -1174},
    {-384, 3712, 14208, -1152}, {-345, 3404, 14450, -1125}, {-306, 3103, 14681, -1094}, {-269, 2810, 14900, -1057},
    {-234, 2526, 15106, -1014}, {-200, 2251, 15299, -966}, {-169, 1986, 15478, -911}, {-139, 1732, 15642, -851},
    {-112, 1488, 15792, -784}, {-87, 1256, 15926, -711}, {-65, 1036, 16044, -631}, {-46, 828, 16146, -544},
    {-30, 634, 16230, -450}, {-17, 453, 16297, -349}, {-8, 287, 16345, -240}, {-2, 136, 16374, -124},
};

/// What five samples count, one below the other and the first one above row `base`, at a place in 64ths of a row.
INLINE void view_taps_at(int32_t place, int32_t base, int16_t taps[5])
{
    const int late = (place >> 6) - base;
    taps[0] = taps[4] = 0;
    memcpy(taps + late, view_taps[place & 63], sizeof view_taps[0]);
}

static void view_down(
    const uint8_t *restrict from, ptrdiff_t stride, size_t blocks, int32_t start, int32_t slope, int16_t *restrict out)
{
    const shorts part = {0,     2048,  4096,  6144,  8192,  10240, 12288, 14336,
                         16384, 18432, 20480, 22528, 24576, 26624, 28672, 30720};
    for (size_t block = 0; block < blocks; block++) {
        // Rounded to 64ths.
        const int32_t first = (start + 512 + (int32_t)block * 16 * slope) >> 10;
        const int32_t last = (start + 512 + (int32_t)(block + 1) * 16 * slope) >> 10;
        const int32_t base = (first < last ? first : last) >> 6;
        const uint8_t *samples = from + (ptrdiff_t)(base - 1) * stride + 16 * block;
        shorts sum = {0};
        if (first == last) {
            const int16_t *taps = view_taps[first & 63];
            UNROLLED for (int i = 0; i < 4; i++) {
                const live_bytes codes = *(const live_bytes *)(samples + i * stride);
                sum += SHORT_PRODUCT(__builtin_convertvector(codes, shorts) << 7, SHORTS(taps[i]));
            }
        } else {
            int16_t taps[5], next[5];
            view_taps_at(first, base, taps);
            view_taps_at(last, base, next);
            const int rows = (first >> 6) == (last >> 6) ? 4 : 5;
            for (int i = 0; i < rows; i++) {
                const live_bytes codes = *(const live_bytes *)(samples + i * stride);
                const shorts own = SHORTS(taps[i]) + SHORT_PRODUCT(SHORTS(next[i] - taps[i]), part);
                sum += SHORT_PRODUCT(__builtin_convertvector(codes, shorts) << 7, own);
            }
        }
        *(shorts *)(out + 16 * block) = sum;
    }
}

/// Four sums of four products each, of samples that begin at `samples[i]` with the taps at `taps[i]`.
#if defined(__SSE2__)
INLINE __m128i view_products(const int16_t *a, const int16_t *b, const int16_t *taps_a, const int16_t *taps_b)
{
    const __m128i first = _mm_loadl_epi64((const __m128i *)a), second = _mm_loadl_epi64((const __m128i *)b);
    const __m128i first_taps = _mm_loadl_epi64((const __m128i *)taps_a);
    const __m128i second_taps = _mm_loadl_epi64((const __m128i *)taps_b);
    return _mm_madd_epi16(_mm_unpacklo_epi64(first, second), _mm_unpacklo_epi64(first_taps, second_taps));
}

INLINE __m128i view_four(const int16_t *const samples[4], const int16_t *const taps[4])
{
    const __m128 low = _mm_castsi128_ps(view_products(samples[0], samples[1], taps[0], taps[1]));
    const __m128 high = _mm_castsi128_ps(view_products(samples[2], samples[3], taps[2], taps[3]));
    return _mm_add_epi32(
        _mm_castps_si128(_mm_shuffle_ps(low, high, _MM_SHUFFLE(2, 0, 2, 0))),
        _mm_castps_si128(_mm_shuffle_ps(low, high, _MM_SHUFFLE(3, 1, 3, 1))));
}

/// Rounds eight sums to bytes.
INLINE void view_store(__m128i low, __m128i high, uint8_t *out)
{
    const __m128i half = _mm_set1_epi32(1 << 19);
    low = _mm_srai_epi32(_mm_add_epi32(low, half), 20);
    high = _mm_srai_epi32(_mm_add_epi32(high, half), 20);
    const __m128i words = _mm_packs_epi32(low, high);
    _mm_storel_epi64((__m128i *)out, _mm_packus_epi16(words, words));
}
typedef __m128i view_sums;
#else
INLINE int32x4_t view_four(const int16_t *const samples[4], const int16_t *const taps[4])
{
    int32x4_t products[4];
    UNROLLED for (int i = 0; i < 4; i++) products[i] = vmull_s16(vld1_s16(samples[i]), vld1_s16(taps[i]));
    return vpaddq_s32(vpaddq_s32(products[0], products[1]), vpaddq_s32(products[2], products[3]));
}

/// Rounds eight sums to bytes.
INLINE void view_store(int32x4_t low, int32x4_t high, uint8_t *out)
{
    const int16x8_t words = vcombine_s16(vqmovn_s32(vrshrq_n_s32(low, 20)), vqmovn_s32(vrshrq_n_s32(high, 20)));
    vst1_u8(out, vqmovun_s16(words));
}
typedef int32x4_t view_sums;
#endif

static void view_across(const int16_t *restrict row, size_t count, int32_t start, int32_t step, uint8_t *restrict out)
{
    int32_t place = start + 512;
    for (size_t x = 0; x < count; x += 8) {
        // The last samples of a row are computed with others that are not stored.
        const size_t left = count - x;
        const int16_t *samples[8], *taps[8];
        UNROLLED for (size_t i = 0; i < 8; i++) {
            samples[i] = row + (place >> 16) - 1;
            taps[i] = view_taps[place >> 10 & 63];
            if (i + 1 < left) place += step;
        }
        const view_sums low = view_four(samples, taps), high = view_four(samples + 4, taps + 4);
        if (left >= 8) {
            view_store(low, high, out + x);
        } else {
            uint8_t last[8];
            view_store(low, high, last);
            memcpy(out + x, last, left);
        }
    }
}
