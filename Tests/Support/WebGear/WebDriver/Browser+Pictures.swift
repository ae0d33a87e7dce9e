// SPDX-License-Identifier: MIT
// What a page has drawn, as a picture whose frame can be told.

import Foundation
import LivecapFrames
import LivecapIntents

extension Browser {
    /// The pixels of a canvas as JPEG, in the canvas's own size. Throws if the page may not read them.
    /// - Throws: `WireError`.
    package func canvasPicture(_ selector: String = "canvas") throws -> [UInt8] {
        let text = try run(
            "return document.querySelector(arguments[0]).toDataURL('image/jpeg', 0.95).split(',')[1]",
            .string(selector))
        guard let data = text.string.flatMap({ Data(base64Encoded: $0) }), !data.isEmpty else {
            throw WireError.malformed("a canvas without pixels")
        }
        return [UInt8](data)
    }

    /// The number that a synthetic scene has drawn into the frame that a canvas shows; nil if it shows none.
    /// - Throws: `WireError`.
    package func canvasMark(_ selector: String = "canvas", drawnAt size: FrameSize? = nil) throws -> UInt32? {
        try StillMark.read(canvasPicture(selector), drawnAt: size)
    }
}
