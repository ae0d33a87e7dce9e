// SPDX-License-Identifier: MIT
// Prints where FFmpeg's structures have the fields that are used, by the headers it is compiled with.
#include "../../../Sources/System/Libraries/CMovies/LibavTypes.h"

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <stdio.h>

#define HAS_SIZE(object, name, type, structure, member) \
    _Static_assert(sizeof(type) == sizeof(((structure *)NULL)->member), #structure "." #member);
#define PRINT(object, name, type, structure, member) \
    printf("    .%s_%s = %zu,\n", #object, #name, offsetof(structure, member));

LC_LIBAV_FIELDS(HAS_SIZE)
#if LIBAVFORMAT_VERSION_MAJOR >= 60
LC_LIBAV_FIELDS_SINCE_60(HAS_SIZE)
#endif

int main(void) {
    printf("// SPDX-License-Identifier: MIT\n");
    printf("// Where FFmpeg %d has its fields. Made by scripts/libav-layout.\n", LIBAVFORMAT_VERSION_MAJOR - 54);
    printf("{\n    .format = %d,\n    .codec = %d,\n    .util = %d,\n", LIBAVFORMAT_VERSION_MAJOR,
           LIBAVCODEC_VERSION_MAJOR, LIBAVUTIL_VERSION_MAJOR);
    printf("    .chapter_bytes = %zu,\n", sizeof(AVChapter));
    LC_LIBAV_FIELDS(PRINT)
#if LIBAVFORMAT_VERSION_MAJOR >= 60
    LC_LIBAV_FIELDS_SINCE_60(PRINT)
#endif
    printf("},\n");
    return 0;
}
