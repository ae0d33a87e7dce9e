// SPDX-License-Identifier: MIT
// A window by SDL: opens it, reads its events, and draws pictures.
#include "CWindow.h"

#include "SDL.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct lc_window {
    struct lc_sdl *sdl;
    void *window, *renderer;
    char renderer_name[32];
    void *picture, *strip;
    int picture_width, picture_height, strip_width, strip_height;
    // Whether the textures still have what was put there.
    bool has_picture, has_strip;
    // The connection to the screen, whose bytes are events; -1 if it is not known. And what wakes the thread: SDL's own
    // way to do that would use X from other threads.
    int connection, bell;
    bool is_lost;
};

bool lc_window_can_open(const char *library, char *why, size_t room) {
    struct lc_sdl *sdl = lc_sdl_load(library, why, room);
    free(sdl);
    return sdl;
}

// Where OpenGL is computed by the processor, SDL's own drawing is cheaper. Those who name a way to draw get it.
static bool is_emulated(const struct lc_window *w) {
    if (getenv("SDL_RENDER_DRIVER") || strncmp(w->renderer_name, "opengl", 6) != 0) return false;
    const char *(*get_string)(unsigned) = (const char *(*)(unsigned))w->sdl->GL_GetProcAddress("glGetString");
    const char *name = get_string ? get_string(0x1F01) : NULL;  // GL_RENDERER
    return name && (strstr(name, "llvmpipe") || strstr(name, "softpipe") || strstr(name, "Software"));
}

static bool open_renderer(struct lc_window *w, uint32_t flags) {
    w->renderer = w->sdl->CreateRenderer(w->window, -1, flags);
    if (!w->renderer) return false;
    struct sdl_renderer_info info = {.name = "unknown"};
    w->sdl->GetRendererInfo(w->renderer, &info);
    snprintf(w->renderer_name, sizeof w->renderer_name, "%s", info.name);
    return true;
}

// Software has no screen to wait for: waiting would only delay pictures. On Wayland, SDL has no window without OpenGL.
static bool open_any_renderer(struct lc_window *w) {
    if (open_renderer(w, SDL_ACCELERATED | SDL_VSYNC)) {
        if (!is_emulated(w) || strcmp(w->sdl->GetCurrentVideoDriver(), "x11") != 0) return true;
        w->sdl->DestroyRenderer(w->renderer);
        w->sdl->SetHint("SDL_FRAMEBUFFER_ACCELERATION", "0");
    }
    return open_renderer(w, SDL_SOFTWARE);
}

// When a connection breaks, Xlib calls a handler of the process, which by default prints words and ends it, and then
// one of the connection, which is given a value of ours.
static int stay_calm(void *display) {
    (void)display;
    return 0;
}

static void note_lost(void *display, void *window) {
    (void)display;
    ((struct lc_window *)window)->is_lost = true;
}

// Asks a library that SDL has loaded for the descriptor of a connection.
static int descriptor_of(const char *library, const char *function, void *display) {
    void *handle = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
    if (!handle) return -1;
    int (*get)(void *) = (int (*)(void *))dlsym(handle, function);
    int descriptor = get ? get(display) : -1;
    dlclose(handle);
    return descriptor;
}

static void find_connection(struct lc_window *w) {
    struct sdl_system_info info = {.major = 2};
    if (!w->sdl->GetWindowWMInfo(w->window, &info)) return;
    if (info.system == SDL_SYSTEM_WAYLAND) {
        w->connection = descriptor_of("libwayland-client.so.0", "wl_display_get_fd", info.display);
    }
    if (info.system != SDL_SYSTEM_X11) return;
    w->connection = descriptor_of("libX11.so.6", "XConnectionNumber", info.display);
    void *x11 = dlopen("libX11.so.6", RTLD_NOW | RTLD_NOLOAD);
    if (!x11) return;
    void (*set_last)(void *, void (*)(void *, void *), void *) =
        (void (*)(void *, void (*)(void *, void *), void *))dlsym(x11, "XSetIOErrorExitHandler");
    void *(*set_first)(int (*)(void *)) = (void *(*)(int (*)(void *)))dlsym(x11, "XSetIOErrorHandler");
    // Before libX11 1.7, of 2020, the process cannot survive.
    if (set_last && set_first) {
        set_first(stay_calm);
        set_last(info.display, note_lost, w);
    }
    dlclose(x11);
}

// The largest size of the shape asked for that takes no more than three quarters of the screen.
static void fit_screen(const struct lc_window *w, int *width, int *height) {
    struct sdl_rect screen;
    if (w->sdl->GetDisplayUsableBounds(0, &screen) != 0 || screen.w < 1 || screen.h < 1) return;
    int64_t most_width = (int64_t)screen.w * 3 / 4, most_height = (int64_t)screen.h * 3 / 4;
    int64_t wide = *width, high = *height;
    if (wide > most_width) high = high * most_width / wide, wide = most_width;
    if (high > most_height) wide = wide * most_height / high, high = most_height;
    *width = wide < 160 ? 160 : (int)wide, *height = high < 120 ? 120 : (int)high;
}

static void set_hints(const struct lc_sdl *sdl) {
    // Signals are the program's own.
    sdl->SetHint("SDL_NO_SIGNAL_HANDLERS", "1");
    sdl->SetHint("SDL_VIDEO_ALLOW_SCREENSAVER", "1");
    sdl->SetHint("SDL_VIDEO_X11_NET_WM_BYPASS_COMPOSITOR", "0");
    sdl->SetHint("SDL_VIDEO_X11_WMCLASS", "livecap");
    sdl->SetHint("SDL_VIDEO_WAYLAND_WMCLASS", "livecap");
    sdl->SetHint("SDL_APP_NAME", "livecap");
    sdl->SetHint("SDL_RENDER_SCALE_QUALITY", "linear");
    // Through XWayland, dense screens show a blurred picture. The environment takes precedence.
    if (getenv("WAYLAND_DISPLAY")) sdl->SetHintWithPriority("SDL_VIDEODRIVER", "wayland,x11", 0);
}

// Without a screen, SDL may draw where nobody sees it. Those who name that get it.
static bool has_screen(const struct lc_sdl *sdl) {
    if (getenv("SDL_VIDEODRIVER")) return true;
    const char *driver = sdl->GetCurrentVideoDriver();
    return driver && strcmp(driver, "offscreen") != 0 && strcmp(driver, "dummy") != 0;
}

static bool open_screen(const struct lc_sdl *sdl) {
    if (sdl->InitSubSystem(SDL_VIDEO) == 0) return true;
    // Before 2.0.22, only one way may be named.
    sdl->SetHintWithPriority("SDL_VIDEODRIVER", NULL, 0);
    return sdl->InitSubSystem(SDL_VIDEO) == 0;
}

static void release(struct lc_window *w) {
    close(w->bell);
    free(w->sdl);
    free(w);
}

enum lc_window_result lc_window_open(
    const struct lc_window_settings *settings, struct lc_window **window, char *why, size_t room) {
    struct lc_window *w = calloc(1, sizeof *w);
    if (!w) {
        snprintf(why, room, "%s", strerror(ENOMEM));
        return LC_WINDOW_NO_SCREEN;
    }
    w->connection = -1;
    w->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (w->bell < 0) {
        snprintf(why, room, "%s", strerror(errno));
        free(w);
        return LC_WINDOW_NO_SCREEN;
    }
    w->sdl = lc_sdl_load(settings->library, why, room);
    if (!w->sdl) {
        release(w);
        return LC_WINDOW_NO_LIBRARY;
    }
    set_hints(w->sdl);
    bool is_seen = open_screen(w->sdl) && has_screen(w->sdl);
    if (is_seen) {
        int width = settings->width, height = settings->height;
        fit_screen(w, &width, &height);
        // Shown once it is known what draws, which may take another window.
        uint32_t flags = SDL_HIDDEN | SDL_RESIZABLE | SDL_DENSE;
        w->window = w->sdl->CreateWindow(settings->title, SDL_CENTRED, SDL_CENTRED, width, height, flags);
        if (w->window && open_any_renderer(w)) {
            w->sdl->SetWindowMinimumSize(w->window, 160, 120);
            w->sdl->ShowWindow(w->window);
            find_connection(w);
            *window = w;
            return LC_WINDOW_OK;
        }
    }
    snprintf(why, room, "%s", is_seen ? w->sdl->GetError() : "neither X nor Wayland answers");
    if (w->window) w->sdl->DestroyWindow(w->window);
    w->sdl->Quit();
    release(w);
    return LC_WINDOW_NO_SCREEN;
}

void lc_window_close(struct lc_window *w) {
    // With a connection that is broken, nothing can be given back.
    if (!w->is_lost) {
        if (w->picture) w->sdl->DestroyTexture(w->picture);
        if (w->strip) w->sdl->DestroyTexture(w->strip);
        w->sdl->DestroyRenderer(w->renderer);
        w->sdl->DestroyWindow(w->window);
        w->sdl->Quit();
    }
    release(w);
}

const char *lc_window_renderer(const struct lc_window *w) { return w->renderer_name; }

void lc_window_size(const struct lc_window *w, int *width, int *height) {
    if (w->sdl->GetRendererOutputSize(w->renderer, width, height) != 0) {
        w->sdl->GetWindowSize(w->window, width, height);
    }
}

double lc_window_density(const struct lc_window *w) {
    int width, height, points, ignored;
    lc_window_size(w, &width, &height);
    w->sdl->GetWindowSize(w->window, &points, &ignored);
    return points > 0 && width > points ? (double)width / points : 1;
}

void lc_window_fill_screen(struct lc_window *w, bool fills) {
    w->sdl->SetWindowFullscreen(w->window, fills ? SDL_FULLSCREEN_DESKTOP : 0);
}

static struct lc_window_event at_point(const struct lc_window *w, enum lc_window_event_kind kind, int x, int y) {
    double density = lc_window_density(w);
    return (struct lc_window_event){.kind = kind, .x = (int32_t)(x * density), .y = (int32_t)(y * density)};
}

static struct lc_window_event read_event(struct lc_window *w, const union sdl_event *e) {
    struct lc_window_event nothing = {.kind = LC_WINDOW_NOTHING};
    switch (e->type) {
    case SDL_QUITS: return (struct lc_window_event){.kind = LC_WINDOW_CLOSE};
    case SDL_KEY_DOWN:
        if (e->key.modifiers & SDL_COMMAND_KEYS) return nothing;
        return (struct lc_window_event){
            .kind = LC_WINDOW_KEY, .key = e->key.symbol, .is_repeated = e->key.repeat};
    case SDL_BUTTON_DOWN:
        return e->button.button == 1 ? at_point(w, LC_WINDOW_PRESS, e->button.x, e->button.y) : nothing;
    case SDL_BUTTON_UP:
        return e->button.button == 1 ? at_point(w, LC_WINDOW_RELEASE, e->button.x, e->button.y) : nothing;
    case SDL_MOTION:
        return e->motion.state & 1 ? at_point(w, LC_WINDOW_DRAG, e->motion.x, e->motion.y) : nothing;
    case SDL_WHEEL: {
        int away = e->wheel.direction == SDL_WHEEL_FLIPPED ? -e->wheel.y : e->wheel.y;
        return (struct lc_window_event){.kind = LC_WINDOW_WHEEL, .y = away};
    }
    case SDL_WINDOW_EVENT:
        if (e->window.event == SDL_WINDOW_CLOSE) return (struct lc_window_event){.kind = LC_WINDOW_CLOSE};
        if (e->window.event != SDL_WINDOW_EXPOSED && e->window.event != SDL_WINDOW_SIZE_CHANGED) return nothing;
        return (struct lc_window_event){.kind = LC_WINDOW_REDRAW};
    case SDL_DEVICE_RESET:
        // The textures are gone, and those who destroy them crash.
        w->picture = w->strip = NULL;
        // Fall through.
    case SDL_TARGETS_RESET:
        w->has_picture = w->has_strip = false;
        return (struct lc_window_event){.kind = LC_WINDOW_RESET};
    default: return nothing;
    }
}

// Takes the next event that means something. SDL reads what the connection has, and sends what waits to be sent.
static struct lc_window_event take_event(struct lc_window *w) {
    union sdl_event event = {0};
    while (!w->is_lost && w->sdl->PollEvent(&event)) {
        struct lc_window_event found = read_event(w, &event);
        if (found.kind != LC_WINDOW_NOTHING && !w->is_lost) return found;
    }
    return (struct lc_window_event){.kind = w->is_lost ? LC_WINDOW_LOST : LC_WINDOW_NOTHING};
}

struct lc_window_event lc_window_next(struct lc_window *w, int timeout) {
    // Drawing may have read events, too, so that the connection has none.
    struct lc_window_event event = take_event(w);
    if (event.kind != LC_WINDOW_NOTHING || timeout <= 0) return event;
    struct pollfd waits[2] = {{.fd = w->bell, .events = POLLIN}, {.fd = w->connection, .events = POLLIN}};
    // Screens without a known connection are looked at often.
    if (w->connection < 0 && timeout > 10) timeout = 10;
    if (poll(waits, 2, timeout) <= 0) return take_event(w);
    uint64_t rings;
    if (waits[0].revents && read(w->bell, &rings, sizeof rings) < 0 && errno != EAGAIN) w->is_lost = true;
    if (waits[1].revents & (POLLHUP | POLLERR | POLLNVAL)) w->is_lost = true;
    return take_event(w);
}

void lc_window_wake(struct lc_window *w) {
    uint64_t one = 1;
    // It fails only if it was woken for ever already.
    if (write(w->bell, &one, sizeof one) < 0) return;
}

static bool resize(struct lc_window *w, void **texture, uint32_t format, const int size[2], int known[2]) {
    if (*texture && known[0] == size[0] && known[1] == size[1]) return true;
    if (*texture) w->sdl->DestroyTexture(*texture);
    *texture = w->sdl->CreateTexture(w->renderer, format, SDL_STREAMING, size[0], size[1]);
    known[0] = size[0], known[1] = size[1];
    return *texture;
}

bool lc_window_take(struct lc_window *w, const struct lc_window_picture *p) {
    int known[2] = {w->picture_width, w->picture_height};
    w->has_picture = resize(w, &w->picture, SDL_IYUV, (int[2]){p->width, p->height}, known);
    w->picture_width = known[0], w->picture_height = known[1];
    // In the order of SDL's: JPEG's, BT.601, BT.709.
    w->sdl->SetYUVConversionMode((int)p->colours);
    if (w->has_picture) {
        w->has_picture =
            w->sdl->UpdateYUVTexture(
                w->picture, NULL, p->planes[0], p->strides[0], p->planes[1], p->strides[1], p->planes[2],
                p->strides[2]) == 0;
    }
    return w->has_picture;
}

bool lc_window_take_strip(struct lc_window *w, const uint8_t *pixels, int width, int height) {
    int known[2] = {w->strip_width, w->strip_height};
    w->has_strip = resize(w, &w->strip, SDL_RGBA_BYTES, (int[2]){width, height}, known);
    w->strip_width = known[0], w->strip_height = known[1];
    if (w->has_strip) {
        w->sdl->SetTextureBlendMode(w->strip, SDL_BLEND);
        w->has_strip = w->sdl->UpdateTexture(w->strip, NULL, pixels, width * 4) == 0;
    }
    return w->has_strip;
}

void lc_window_show(struct lc_window *w, struct lc_window_place place, bool has_strip, uint8_t flash) {
    const struct lc_sdl *sdl = w->sdl;
    sdl->SetRenderDrawColor(w->renderer, 0, 0, 0, 255);
    sdl->RenderClear(w->renderer);
    struct sdl_rect to = {place.x, place.y, place.width, place.height};
    if (w->has_picture) sdl->RenderCopy(w->renderer, w->picture, NULL, &to);
    if (flash) {
        sdl->SetRenderDrawBlendMode(w->renderer, SDL_BLEND);
        sdl->SetRenderDrawColor(w->renderer, 255, 255, 255, flash);
        sdl->RenderFillRect(w->renderer, NULL);
    }
    if (has_strip && w->has_strip) {
        int width, height;
        lc_window_size(w, &width, &height);
        struct sdl_rect bottom = {0, height - w->strip_height, w->strip_width, w->strip_height};
        sdl->RenderCopy(w->renderer, w->strip, NULL, &bottom);
    }
    sdl->RenderPresent(w->renderer);
}
