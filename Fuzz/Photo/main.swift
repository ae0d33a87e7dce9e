// SPDX-License-Identifier: MIT
// Fuzzes the inspection and decoding of picture files: JPEG, PNG and HEIC, Exif, XMP, and the JSON in it.

import FuzzSupport
import LivecapIntents
import LivecapStills

fuzz { bytes, count in
    let file = Array(UnsafeBufferPointer(start: bytes, count: count))
    if let provenance = PhotoInspection(file)?.provenance, let account = JSON(parsing: Array(provenance.utf8)) {
        // Any account that was read can be written and read again.
        precondition(JSON(parsing: Array(account.text.utf8)) != nil, "an account that is lost when it is written")
    }
    _ = try? DecodedPicture(file)
    return 0
}
