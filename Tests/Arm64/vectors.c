// SPDX-License-Identifier: MIT
// Replays the calls written by kernel-vectors with the kernels this program was built with, and compares every bit.
// Tests/Support/KernelCases/KernelVectors.swift describes the format.

#include "CFusionKernels.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ARGUMENTS = 24, CANARIES = 64, CANARY = 0xA5 };

struct argument {
    char kind;
    int64_t integer;
    float real;
    size_t origin, count;
    bool matters;
    // The whole allocation; the samples lie in it between canaries.
    uint8_t *block, *samples;
    uint8_t *after;
};

static void take(void *into, size_t count)
{
    if (fread(into, 1, count, stdin) == count) return;
    fputs("vectors: the file ends too soon\n", stderr);
    exit(65);
}

static uint32_t take_u32(void)
{
    uint32_t value;
    take(&value, sizeof value);
    return value;
}

static void take_text(char *text, size_t room)
{
    uint32_t count = take_u32();
    if (count >= room) {
        fputs("vectors: this is no file of vectors\n", stderr);
        exit(65);
    }
    take(text, count);
    text[count] = 0;
}

static void take_argument(struct argument *arguments, uint32_t place)
{
    struct argument *argument = &arguments[place];
    *argument = (struct argument){0};
    take(&argument->kind, 1);
    switch (argument->kind) {
    case 'i': take(&argument->integer, 8); break;
    case 'r': take(&argument->real, 4); break;
    case 's': {
        uint32_t other = take_u32();
        if (other >= place) {
            fputs("vectors: an argument like a later one\n", stderr);
            exit(65);
        }
        argument->samples = arguments[other].samples;
        argument->origin = arguments[other].origin;
        break;
    }
    case 'b': {
        size_t alignment = take_u32();
        argument->origin = take_u32();
        argument->count = take_u32();
        // Without an alignment requirement the samples are aligned to no more than their own size.
        size_t before = CANARIES + (alignment < 16 ? alignment : 0);
        size_t all = (before + argument->count + CANARIES + 63) / 64 * 64;
        argument->block = aligned_alloc(64, all);
        memset(argument->block, CANARY, all);
        argument->samples = argument->block + before;
        take(argument->samples, argument->count);
        uint8_t matters;
        take(&matters, 1);
        argument->matters = matters;
        if (matters) {
            argument->after = malloc(argument->count + 1);
            take(argument->after, argument->count);
        }
        break;
    }
    default: fputs("vectors: an argument of no kind\n", stderr); exit(65);
    }
}

// True if the argument has the expected bytes after the call; otherwise prints the first difference.
static bool is_right(const struct argument *argument)
{
    if (argument->kind != 'b') return true;
    for (const uint8_t *byte = argument->block; byte < argument->samples; byte++) {
        if (*byte != CANARY) return printf("a byte before the samples was written, in "), false;
    }
    for (size_t place = 0; place < CANARIES; place++) {
        if (argument->samples[argument->count + place] != CANARY)
            return printf("a byte behind the samples was written, in "), false;
    }
    if (!argument->matters) return true;
    for (size_t place = 0; place < argument->count; place++) {
        if (argument->samples[place] != argument->after[place])
            return printf("byte %zu is %d, not %d, in ", place, argument->samples[place], argument->after[place]),
                   false;
    }
    return true;
}

#define INTEGER(place) arguments[place].integer
#define REAL(place) arguments[place].real
#define POINTER(place) ((void *)(arguments[place].samples + arguments[place].origin))
#define CALL(family, kernel, ...)                                                                                      \
    if (!strcmp(name, #kernel)) {                                                                                      \
        kernels->family.kernel(__VA_ARGS__);                                                                           \
        return true;                                                                                                   \
    }
#define CALL_RETURNING(type, place, family, kernel, ...)                                                               \
    if (!strcmp(name, #kernel)) {                                                                                      \
        *(type *)POINTER(place) = kernels->family.kernel(__VA_ARGS__);                                                 \
        return true;                                                                                                   \
    }

// Calls the kernel with this name; false if there is none.
static bool call(const char *name, const struct fusion_kernels *kernels, struct argument *arguments)
{
// One line per kernel, generated from the headers by scripts/test-arm64.
#include "calls.h"
    return false;
}

int main(void)
{
    const struct fusion_kernels *kernels = fusion_kernels_of(FUSION_PORTABLE);
    static struct argument arguments[MOST_ARGUMENTS];
    char name[64], conditions[256], failed[64] = "";
    size_t calls = 0, kernel_count = 0, failures = 0;
    char last[64] = "";
    for (take_text(name, sizeof name); name[0]; take_text(name, sizeof name)) {
        uint32_t count = take_u32();
        if (count > MOST_ARGUMENTS) return fputs("vectors: too many arguments\n", stderr), 65;
        for (uint32_t place = 0; place < count; place++) take_argument(arguments, place);
        take_text(conditions, sizeof conditions);
        if (strcmp(name, last)) kernel_count++;
        strcpy(last, name);
        calls++;
        if (!call(name, kernels, arguments)) return fprintf(stderr, "vectors: no kernel is called %s\n", name), 70;
        for (uint32_t place = 0; place < count; place++) {
            // Report only the first failure of each kernel.
            if (strcmp(name, failed) && !is_right(&arguments[place])) {
                printf("argument %u of %s (%s)\n", place, name, conditions);
                strcpy(failed, name);
                failures++;
            }
            free(arguments[place].block);
            free(arguments[place].after);
        }
    }
    printf("%zu kernels, %zu calls: %zu kernels with other bits than their reference\n", kernel_count, calls, failures);
    return failures ? 70 : 0;
}
