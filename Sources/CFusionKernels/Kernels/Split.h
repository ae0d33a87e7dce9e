// SPDX-License-Identifier: MIT
// Separates packed samples into planes. Vectorised by hand, because with only SSE2 compilers pick every other byte
// one by one.

typedef uint8_t bytes16 __attribute__((vector_size(16)));
typedef uint8_t bytes32 __attribute__((vector_size(32)));

#define EVEN16 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define ODD16 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#define EVEN32 EVEN16, 32, 34, 36, 38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 58, 60, 62
#define ODD32 ODD16, 33, 35, 37, 39, 41, 43, 45, 47, 49, 51, 53, 55, 57, 59, 61, 63

/// How far ahead packed samples are prefetched, in bytes.
#define SPLIT_AHEAD 2048
/// How far ahead brightness to be written is prefetched, in bytes: about a row. Chroma is half as far.
#define SPLIT_ROW 1344

static void split_packed422(
    const uint8_t *restrict packed, size_t first_luma, size_t pairs, uint8_t *restrict luma, uint8_t *restrict a,
    uint8_t *restrict b)
{
    size_t i = 0;
    for (; i + 16 <= pairs; i += 16) {
        bytes32 low, high;
        // A frame is not in the caches, nor are its planes, and the hardware prefetcher stops at the end of a page.
        __builtin_prefetch(packed + 4 * i + SPLIT_AHEAD);
        if (i % 32 == 0) {
            __builtin_prefetch(luma + 2 * i + SPLIT_ROW, 1);
            __builtin_prefetch(a + i + SPLIT_ROW / 2, 1);
            __builtin_prefetch(b + i + SPLIT_ROW / 2, 1);
        }
        memcpy(&low, packed + 4 * i, 32);
        memcpy(&high, packed + 4 * i + 32, 32);
        const bytes32 even = __builtin_shufflevector(low, high, EVEN32);
        const bytes32 odd = __builtin_shufflevector(low, high, ODD32);
        const bytes32 bright = first_luma ? odd : even, chroma = first_luma ? even : odd;
        const bytes16 first = __builtin_shufflevector(chroma, chroma, EVEN16);
        const bytes16 second = __builtin_shufflevector(chroma, chroma, ODD16);
        memcpy(luma + 2 * i, &bright, 32);
        memcpy(a + i, &first, 16);
        memcpy(b + i, &second, 16);
    }
    for (; i < pairs; i++) {
        const uint8_t *four = packed + 4 * i;
        luma[2 * i] = four[first_luma];
        luma[2 * i + 1] = four[first_luma + 2];
        a[i] = four[1 - first_luma];
        b[i] = four[3 - first_luma];
    }
}

static void split_pairs(const uint8_t *restrict packed, size_t count, uint8_t *restrict a, uint8_t *restrict b)
{
    size_t i = 0;
    for (; i + 32 <= count; i += 32) {
        bytes32 low, high;
        memcpy(&low, packed + 2 * i, 32);
        memcpy(&high, packed + 2 * i + 32, 32);
        const bytes32 even = __builtin_shufflevector(low, high, EVEN32);
        const bytes32 odd = __builtin_shufflevector(low, high, ODD32);
        memcpy(a + i, &even, 32);
        memcpy(b + i, &odd, 32);
    }
    for (; i < count; i++) {
        a[i] = packed[2 * i];
        b[i] = packed[2 * i + 1];
    }
}
