// SPDX-License-Identifier: MIT
// The files of Sources/Web/Page. Each must be named here.
#include "CPage.h"

// #embed is of C23; clang knows it in older C, too, and warns.
#pragma clang diagnostic ignored "-Wc23-extensions"

// Each on one line: its identifier, its name, its type.
#define PAGE(identifier, name, type) {name, type, identifier, sizeof identifier}

#define HTML "text/html; charset=utf-8"
#define CSS "text/css; charset=utf-8"
#define JAVASCRIPT "text/javascript; charset=utf-8"

static const unsigned char denied_html[] = {
#embed "../Page/denied.html"
};
static const unsigned char export_css[] = {
#embed "../Page/export.css"
};
static const unsigned char export_html[] = {
#embed "../Page/export.html"
};
static const unsigned char export_js[] = {
#embed "../Page/export.js"
};
static const unsigned char icon_svg[] = {
#embed "../Page/icon.svg"
};
static const unsigned char index_html[] = {
#embed "../Page/index.html"
};
static const unsigned char manifest_webmanifest[] = {
#embed "../Page/manifest.webmanifest"
};
static const unsigned char openapi_json[] = {
#embed "../Page/openapi.json"
};
static const unsigned char page_css[] = {
#embed "../Page/page.css"
};
static const unsigned char back_js[] = {
#embed "../Page/js/back.js"
};
static const unsigned char compare_js[] = {
#embed "../Page/js/compare.js"
};
static const unsigned char dom_js[] = {
#embed "../Page/js/dom.js"
};
static const unsigned char effects_js[] = {
#embed "../Page/js/effects.js"
};
static const unsigned char fragments_js[] = {
#embed "../Page/js/fragments.js"
};
static const unsigned char frames_js[] = {
#embed "../Page/js/frames.js"
};
static const unsigned char gallery_js[] = {
#embed "../Page/js/gallery.js"
};
static const unsigned char group_js[] = {
#embed "../Page/js/group.js"
};
static const unsigned char line_js[] = {
#embed "../Page/js/line.js"
};
static const unsigned char main_js[] = {
#embed "../Page/js/main.js"
};
static const unsigned char media_js[] = {
#embed "../Page/js/media.js"
};
static const unsigned char movies_js[] = {
#embed "../Page/js/movies.js"
};
static const unsigned char opus_js[] = {
#embed "../Page/js/opus.js"
};
static const unsigned char overlay_js[] = {
#embed "../Page/js/overlay.js"
};
static const unsigned char placement_js[] = {
#embed "../Page/js/placement.js"
};
static const unsigned char provenance_js[] = {
#embed "../Page/js/provenance.js"
};
static const unsigned char rail_js[] = {
#embed "../Page/js/rail.js"
};
static const unsigned char selection_js[] = {
#embed "../Page/js/selection.js"
};
static const unsigned char server_js[] = {
#embed "../Page/js/server.js"
};
static const unsigned char sheet_js[] = {
#embed "../Page/js/sheet.js"
};
static const unsigned char shutter_js[] = {
#embed "../Page/js/shutter.js"
};
static const unsigned char sound_js[] = {
#embed "../Page/js/sound.js"
};
static const unsigned char step_js[] = {
#embed "../Page/js/step.js"
};
static const unsigned char undo_js[] = {
#embed "../Page/js/undo.js"
};
static const unsigned char video_js[] = {
#embed "../Page/js/video.js"
};
static const unsigned char viewer_js[] = {
#embed "../Page/js/viewer.js"
};
static const unsigned char viewfinder_js[] = {
#embed "../Page/js/viewfinder.js"
};

static const struct lc_page_file files[] = {
    PAGE(denied_html, "denied.html", HTML),
    PAGE(export_css, "export.css", CSS),
    PAGE(export_html, "export.html", HTML),
    PAGE(export_js, "export.js", JAVASCRIPT),
    PAGE(icon_svg, "icon.svg", "image/svg+xml"),
    PAGE(index_html, "index.html", HTML),
    PAGE(manifest_webmanifest, "manifest.webmanifest", "application/manifest+json"),
    PAGE(openapi_json, "openapi.json", "application/json"),
    PAGE(page_css, "page.css", CSS),
    PAGE(back_js, "js/back.js", JAVASCRIPT),
    PAGE(compare_js, "js/compare.js", JAVASCRIPT),
    PAGE(dom_js, "js/dom.js", JAVASCRIPT),
    PAGE(effects_js, "js/effects.js", JAVASCRIPT),
    PAGE(fragments_js, "js/fragments.js", JAVASCRIPT),
    PAGE(frames_js, "js/frames.js", JAVASCRIPT),
    PAGE(gallery_js, "js/gallery.js", JAVASCRIPT),
    PAGE(group_js, "js/group.js", JAVASCRIPT),
    PAGE(line_js, "js/line.js", JAVASCRIPT),
    PAGE(main_js, "js/main.js", JAVASCRIPT),
    PAGE(media_js, "js/media.js", JAVASCRIPT),
    PAGE(movies_js, "js/movies.js", JAVASCRIPT),
    PAGE(opus_js, "js/opus.js", JAVASCRIPT),
    PAGE(overlay_js, "js/overlay.js", JAVASCRIPT),
    PAGE(placement_js, "js/placement.js", JAVASCRIPT),
    PAGE(provenance_js, "js/provenance.js", JAVASCRIPT),
    PAGE(rail_js, "js/rail.js", JAVASCRIPT),
    PAGE(selection_js, "js/selection.js", JAVASCRIPT),
    PAGE(server_js, "js/server.js", JAVASCRIPT),
    PAGE(sheet_js, "js/sheet.js", JAVASCRIPT),
    PAGE(shutter_js, "js/shutter.js", JAVASCRIPT),
    PAGE(sound_js, "js/sound.js", JAVASCRIPT),
    PAGE(step_js, "js/step.js", JAVASCRIPT),
    PAGE(undo_js, "js/undo.js", JAVASCRIPT),
    PAGE(video_js, "js/video.js", JAVASCRIPT),
    PAGE(viewer_js, "js/viewer.js", JAVASCRIPT),
    PAGE(viewfinder_js, "js/viewfinder.js", JAVASCRIPT),
};

size_t lc_page_count(void) { return sizeof files / sizeof *files; }

const struct lc_page_file *lc_page_file(size_t index) { return index < lc_page_count() ? &files[index] : NULL; }
