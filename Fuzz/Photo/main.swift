// SPDX-License-Identifier: MIT
// Fuzzes the inspection and decoding of picture files: JPEG, PNG and HEIC, Exif, XMP, and the JSON in it.

import FuzzSupport
import LivecapIntents
import LivecapStills

fuzz { bytes, count in
    let file = Array(UnsafeBufferPointer(start: bytes, count: count))
    let inspection = PhotoInspection(file)
    if let provenance = inspection?.provenance, let account = JSON(parsing: Array(provenance.utf8)) {
        // Any account that was read can be written and read again.
        precondition(JSON(parsing: Array(account.text.utf8)) != nil, "an account that is lost when it is written")
    }
    // A file of a few bytes may claim a large picture, whose memory is the caller's limit. HEVC is left to libheif.
    if let inspection, inspection.format != .heic, inspection.size.map({ $0.area < 1 << 22 }) ?? true {
        _ = try? DecodedPicture(file)
        _ = try? FinePicture(file)
    }
    return 0
}
