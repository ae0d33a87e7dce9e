// SPDX-License-Identifier: MIT
// The cosine transform of eight samples, on eight lanes at once: the scaled form of Arai, Agui and Nakajima.
//
// Forward, coefficient k is sqrt(8) * s(k) times the orthonormal one, where s(0) = 1 and s(k) = sqrt(2) cos(k pi /
// 16). The inverse of a forward transform returns 8 times the samples. Callers include both factors in tables that
// they multiply by anyway.

/// Eight samples, at any alignment.
typedef float lanes __attribute__((vector_size(32), aligned(4), may_alias));
typedef float half_lanes __attribute__((vector_size(16), aligned(4), may_alias));
typedef int32_t whole_lanes __attribute__((vector_size(32), aligned(4), may_alias));
typedef int16_t short_lanes __attribute__((vector_size(16), aligned(2), may_alias));
typedef uint8_t byte_lanes __attribute__((vector_size(8), aligned(1), may_alias));
typedef uint16_t ushort_lanes __attribute__((vector_size(16), aligned(2), may_alias));

/// Unrolls loops over the vectors of a block, which are meant to stay in registers.
#define UNROLLED _Pragma("clang loop unroll(full)")
#define INLINE static inline __attribute__((always_inline))

/// The larger, or the smaller, of each pair of lanes. Written so that compilers find the instruction for it.
INLINE void at_least(lanes *restrict v, const lanes *restrict bound)
{
    const whole_lanes kept = *v > *bound;
    *v = (lanes)(((whole_lanes)*v & kept) | ((whole_lanes)*bound & ~kept));
}
INLINE void at_most(lanes *restrict v, const lanes *restrict bound)
{
    const whole_lanes kept = *v < *bound;
    *v = (lanes)(((whole_lanes)*v & kept) | ((whole_lanes)*bound & ~kept));
}

/// The same value in all lanes. A macro because functions that return a vector have a different calling convention at
/// each level.
#define ALL(value) (((lanes){0}) + (float)(value))

INLINE void cosine_forward(lanes v[8])
{
    const lanes s0 = v[0] + v[7], s1 = v[1] + v[6], s2 = v[2] + v[5], s3 = v[3] + v[4];
    const lanes d0 = v[0] - v[7], d1 = v[1] - v[6], d2 = v[2] - v[5], d3 = v[3] - v[4];

    const lanes e0 = s0 + s3, e1 = s1 + s2, e2 = s1 - s2, e3 = s0 - s3;
    const lanes turned = (e2 + e3) * 0.707106781f;
    v[0] = e0 + e1;
    v[4] = e0 - e1;
    v[2] = e3 + turned;
    v[6] = e3 - turned;

    const lanes o0 = d3 + d2, o1 = d2 + d1, o2 = d1 + d0;
    const lanes shared = (o0 - o2) * 0.382683433f;
    const lanes low = o0 * 0.541196100f + shared, high = o2 * 1.306562965f + shared, middle = o1 * 0.707106781f;
    const lanes plus = d0 + middle, minus = d0 - middle;
    v[5] = minus + low;
    v[3] = minus - low;
    v[1] = plus + high;
    v[7] = plus - high;
}

INLINE void cosine_inverse(lanes v[8])
{
    const lanes sum = v[0] + v[4], difference = v[0] - v[4];
    const lanes outer = v[2] + v[6], inner = (v[2] - v[6]) * 1.414213562f - outer;
    const lanes e0 = sum + outer, e3 = sum - outer, e1 = difference + inner, e2 = difference - inner;

    const lanes a = v[5] + v[3], b = v[5] - v[3], c = v[1] + v[7], d = v[1] - v[7];
    const lanes o0 = c + a;
    const lanes shared = (b + d) * 1.847759065f;
    const lanes o1 = shared - b * 2.613125930f - o0;
    const lanes o2 = (c - a) * 1.414213562f - o1;
    const lanes o3 = shared - d * 1.082392200f - o2;
    v[0] = e0 + o0;
    v[7] = e0 - o0;
    v[1] = e1 + o1;
    v[6] = e1 - o1;
    v[2] = e2 + o2;
    v[5] = e2 - o2;
    v[3] = e3 + o3;
    v[4] = e3 - o3;
}

/// Transposes a block: swaps single samples, then pairs, then halves.
INLINE void transpose(lanes v[8])
{
    lanes a[8], b[8];
    for (int i = 0; i < 8; i += 2) {
        a[i] = __builtin_shufflevector(v[i], v[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        a[i + 1] = __builtin_shufflevector(v[i], v[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int i = 0; i < 8; i += 4)
        for (int j = i; j < i + 2; j++) {
            b[j] = __builtin_shufflevector(a[j], a[j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            b[j + 2] = __builtin_shufflevector(a[j], a[j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int i = 0; i < 4; i++) {
        v[i] = __builtin_shufflevector(b[i], b[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        v[i + 4] = __builtin_shufflevector(b[i], b[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}
