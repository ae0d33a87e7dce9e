// SPDX-License-Identifier: MIT
// The part of SDL 2 that is used here. Its binary interface has been stable since 2.0.0, and SDL 3 has it by
// sdl2-compat; nothing is used that is newer than 2.0.12, of 2020.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sdl_rect {
    int x, y, w, h;
};

/// The head of all events is their type, and the time in milliseconds; those of a window have its number next.
struct sdl_keyboard {
    uint32_t type, timestamp, window;
    uint8_t state, repeat, padding[2];
    int32_t scancode, symbol;
    uint16_t modifiers;
    uint32_t unused;
};
struct sdl_motion {
    uint32_t type, timestamp, window, which, state;
    int32_t x, y, xrel, yrel;
};
struct sdl_button {
    uint32_t type, timestamp, window, which;
    uint8_t button, state, clicks, padding;
    int32_t x, y;
};
struct sdl_wheel {
    uint32_t type, timestamp, window, which;
    int32_t x, y;
    uint32_t direction;
};
struct sdl_window_event {
    uint32_t type, timestamp, window;
    uint8_t event, padding[3];
    int32_t data1, data2;
};
/// 56 bytes where pointers have up to eight.
union sdl_event {
    uint32_t type;
    struct sdl_keyboard key;
    struct sdl_motion motion;
    struct sdl_button button;
    struct sdl_wheel wheel;
    struct sdl_window_event window;
    uint64_t room[7];
};

struct sdl_renderer_info {
    const char *name;
    uint32_t flags, format_count, formats[16];
    int max_width, max_height;
};

/// The version is asked for, and the system answered; for X11 and Wayland the display follows.
struct sdl_system_info {
    uint8_t major, minor, patch;
    int system;
    union {
        void *display;
        uint8_t room[64];
    };
};

enum {
    SDL_VIDEO = 0x20,
    SDL_CENTRED = 0x2FFF0000,
    // Windows.
    SDL_HIDDEN = 0x8,
    SDL_RESIZABLE = 0x20,
    SDL_FULLSCREEN_DESKTOP = 0x1001,
    SDL_DENSE = 0x2000,
    // Renderers.
    SDL_SOFTWARE = 0x1,
    SDL_ACCELERATED = 0x2,
    SDL_VSYNC = 0x4,
    // Textures.
    SDL_STREAMING = 1,
    SDL_BLEND = 1,
    SDL_IYUV = 0x56555949,
    SDL_RGBA_BYTES = 0x16762004,
    // Events.
    SDL_QUITS = 0x100,
    SDL_WINDOW_EVENT = 0x200,
    SDL_KEY_DOWN = 0x300,
    SDL_MOTION = 0x400,
    SDL_BUTTON_DOWN = 0x401,
    SDL_BUTTON_UP = 0x402,
    SDL_WHEEL = 0x403,
    SDL_TARGETS_RESET = 0x2000,
    SDL_DEVICE_RESET = 0x2001,
    SDL_WINDOW_EXPOSED = 3,
    SDL_WINDOW_SIZE_CHANGED = 6,
    SDL_WINDOW_CLOSE = 14,
    SDL_WHEEL_FLIPPED = 1,
    SDL_SYSTEM_X11 = 2,
    SDL_SYSTEM_WAYLAND = 6,
    // Modifiers of keys: control, alt and the logo, left and right.
    SDL_COMMAND_KEYS = 0xFC0,
};

/// Functions: what they return, their names without the prefix, and their parameters.
#define LC_SDL_FUNCTIONS(F)                                                                                  \
    F(int, SetHint, (const char *name, const char *value))                                                   \
    F(int, SetHintWithPriority, (const char *name, const char *value, int priority))                         \
    F(int, InitSubSystem, (uint32_t flags))                                                                  \
    F(void, Quit, (void))                                                                                    \
    F(const char *, GetError, (void))                                                                        \
    F(const char *, GetCurrentVideoDriver, (void))                                                           \
    F(int, GetDisplayUsableBounds, (int display, struct sdl_rect *))                                         \
    F(void *, CreateWindow, (const char *title, int x, int y, int w, int h, uint32_t flags))                 \
    F(void, DestroyWindow, (void *window))                                                                   \
    F(void, ShowWindow, (void *window))                                                                      \
    F(void, SetWindowMinimumSize, (void *window, int w, int h))                                              \
    F(void, GetWindowSize, (void *window, int *w, int *h))                                                   \
    F(int, SetWindowFullscreen, (void *window, uint32_t flags))                                              \
    F(int, GetWindowWMInfo, (void *window, struct sdl_system_info *))                                        \
    F(void *, GL_GetProcAddress, (const char *name))                                                         \
    F(void *, CreateRenderer, (void *window, int index, uint32_t flags))                                     \
    F(void, DestroyRenderer, (void *renderer))                                                               \
    F(int, GetRendererInfo, (void *renderer, struct sdl_renderer_info *))                                    \
    F(int, GetRendererOutputSize, (void *renderer, int *w, int *h))                                          \
    F(void *, CreateTexture, (void *renderer, uint32_t format, int access, int w, int h))                    \
    F(void, DestroyTexture, (void *texture))                                                                 \
    F(int, UpdateTexture, (void *texture, const struct sdl_rect *, const void *pixels, int pitch))           \
    F(int, UpdateYUVTexture,                                                                                 \
      (void *texture, const struct sdl_rect *, const uint8_t *y, int y_pitch, const uint8_t *u, int u_pitch, \
       const uint8_t *v, int v_pitch))                                                                       \
    F(void, SetYUVConversionMode, (int mode))                                                                \
    F(int, SetTextureBlendMode, (void *texture, int mode))                                                   \
    F(int, SetRenderDrawColor, (void *renderer, uint8_t r, uint8_t g, uint8_t b, uint8_t a))                 \
    F(int, SetRenderDrawBlendMode, (void *renderer, int mode))                                               \
    F(int, RenderClear, (void *renderer))                                                                    \
    F(int, RenderCopy, (void *renderer, void *texture, const struct sdl_rect *, const struct sdl_rect *))    \
    F(int, RenderFillRect, (void *renderer, const struct sdl_rect *))                                        \
    F(void, RenderPresent, (void *renderer))                                                                 \
    F(int, PollEvent, (union sdl_event *))

/// The functions that are called.
struct lc_sdl {
#define LC_FIELD(result, name, parameters) result(*name) parameters;
    LC_SDL_FUNCTIONS(LC_FIELD)
#undef LC_FIELD
};

/// Loads the library and finds its functions. Returns NULL, and says why, if that is not possible.
struct lc_sdl *lc_sdl_load(const char *library, char *why, size_t room);
