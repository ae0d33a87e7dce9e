// SPDX-License-Identifier: MIT
// A window of the desktop that shows pictures, by SDL 2, which is loaded when a window is first wanted. What is needed
// of it is declared in SDL.h.

#ifndef LIVECAP_CWINDOW_H
#define LIVECAP_CWINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A window. All its functions but lc_window_wake are for the thread that opened it; a process has one at a time.
struct lc_window;

/// What a window is at first.
struct lc_window_settings {
    /// The library's file, such as libSDL2-2.0.so.0.
    const char *library;
    const char *title;
    /// The size wanted for pictures, in pixels. The window is no larger than three quarters of the screen.
    int width, height;
};

/// What became of lc_window_open.
enum lc_window_result {
    LC_WINDOW_OK,
    /// The library is missing, or lacks a function: `why` says which.
    LC_WINDOW_NO_LIBRARY,
    /// There is no screen, or none that can be used: `why` says what SDL reports.
    LC_WINDOW_NO_SCREEN,
};

/// Looks whether the library can be loaded.
bool lc_window_can_open(const char *library, char *why, size_t room);
/// Opens a window.
enum lc_window_result lc_window_open(
    const struct lc_window_settings *settings, struct lc_window **window, char *why, size_t room);
/// Closes it.
void lc_window_close(struct lc_window *window);

/// What draws: `opengl`, `software` and the like.
const char *lc_window_renderer(const struct lc_window *window);
/// Its size in pixels, which on dense screens is more than that in points.
void lc_window_size(const struct lc_window *window, int *width, int *height);
/// How many pixels a point has, at least 1.
double lc_window_density(const struct lc_window *window);
/// Fills the screen, or no longer does.
void lc_window_fill_screen(struct lc_window *window, bool fills);

/// What happens to a window.
enum lc_window_event_kind {
    LC_WINDOW_NOTHING,
    /// A key is pressed, or held so long that it counts again.
    LC_WINDOW_KEY,
    /// The main button of the mouse is pressed, held and moved, or released.
    LC_WINDOW_PRESS,
    LC_WINDOW_DRAG,
    LC_WINDOW_RELEASE,
    /// The wheel was turned: `y` is positive away from the user.
    LC_WINDOW_WHEEL,
    /// It has to be drawn again, perhaps in another size.
    LC_WINDOW_REDRAW,
    /// The picture and the strip are lost, and have to be given again.
    LC_WINDOW_RESET,
    /// The user closes it.
    LC_WINDOW_CLOSE,
    /// The screen has gone, and the window with it: nothing but lc_window_close may be called.
    LC_WINDOW_LOST,
};

struct lc_window_event {
    enum lc_window_event_kind kind;
    /// The character in lower case, or one of the codes below.
    int32_t key;
    bool is_repeated;
    /// In pixels.
    int32_t x, y;
};

/// Keys without a character, as SDL numbers them.
enum {
    LC_WINDOW_KEY_F11 = 0x40000044,
    LC_WINDOW_KEY_HOME = 0x4000004A,
    LC_WINDOW_KEY_PAGE_UP = 0x4000004B,
    LC_WINDOW_KEY_END = 0x4000004D,
    LC_WINDOW_KEY_PAGE_DOWN = 0x4000004E,
    LC_WINDOW_KEY_RIGHT = 0x4000004F,
    LC_WINDOW_KEY_LEFT = 0x40000050,
    LC_WINDOW_KEY_ENTER = 0x40000058,
};

/// Waits up to `timeout` milliseconds for an event, or for lc_window_wake.
struct lc_window_event lc_window_next(struct lc_window *window, int timeout);
/// Ends the wait of now, or the next one. For any thread.
void lc_window_wake(struct lc_window *window);

/// How the samples of a picture map to colours.
enum lc_window_colours { LC_WINDOW_FULL_601, LC_WINDOW_LIMITED_601, LC_WINDOW_LIMITED_709 };

/// A picture in three planes, of which two have a sample for every four pixels.
struct lc_window_picture {
    int width, height;
    const uint8_t *planes[3];
    int strides[3];
    enum lc_window_colours colours;
};

/// Takes a picture, which lc_window_show shows from now on. Returns false if there is no memory for it.
bool lc_window_take(struct lc_window *window, const struct lc_window_picture *picture);
/// Takes what is drawn over the bottom of pictures: pixels of four bytes, red, green, blue and opacity.
bool lc_window_take_strip(struct lc_window *window, const uint8_t *pixels, int width, int height);

struct lc_window_place {
    int x, y, width, height;
};
/// Shows the picture at a place between black bars. With `has_strip`, the strip is over it; `flash` is the opacity, up
/// to 255, of a white sheet over all. Waits for the screen's next picture where the screen says when that is.
void lc_window_show(struct lc_window *window, struct lc_window_place place, bool has_strip, uint8_t flash);

#endif
