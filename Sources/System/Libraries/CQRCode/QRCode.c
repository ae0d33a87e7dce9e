// SPDX-License-Identifier: MIT
// Calls libqrencode. It is loaded when a code is first wanted: a link does without.
#include "CQRCode.h"

#include <dlfcn.h>

// The part of <qrencode.h> that is used here. Its binary interface has been stable since version 4.
struct code {
    int version;
    int width;
    unsigned char *data;
};
typedef struct code *encode_string(const char *text, int version, int level, int mode, int is_case_sensitive);
typedef void free_code(struct code *);

// Of the least redundancy (level L), which makes the code small: a screen has no dirt. Bytes (mode 8 bit) as they are.
enum { LEAST_VERSION = 0, LEVEL_L = 0, MODE_8_BIT = 2, CASE_SENSITIVE = 1 };

int lc_qr_modules(const char *text, uint8_t *modules, size_t room) {
    void *library = dlopen("libqrencode.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!library) return 0;
    encode_string *encode = (encode_string *)dlsym(library, "QRcode_encodeString");
    free_code *release = (free_code *)dlsym(library, "QRcode_free");
    struct code *code = encode && release ? encode(text, LEAST_VERSION, LEVEL_L, MODE_8_BIT, CASE_SENSITIVE) : NULL;
    int width = 0;
    if (code) {
        size_t count = (size_t)code->width * (size_t)code->width;
        if (count <= room) {
            // The lowest bit says whether it is dark, the others what it is for.
            for (size_t i = 0; i < count; i++) modules[i] = code->data[i] & 1;
            width = code->width;
        }
        release(code);
    }
    dlclose(library);
    return width;
}
