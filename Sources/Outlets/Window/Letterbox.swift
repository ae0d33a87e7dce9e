// SPDX-License-Identifier: MIT
// Where in a window a picture is, and which size it should have.

import LivecapFrames

/// A picture in a window of another shape: as large as fits, in the middle, with black bars beside it.
package struct Letterbox: Hashable, Sendable {
    /// The left and top edges, in pixels of the window.
    package let x, y: Int
    /// The picture's size there.
    package let width, height: Int

    /// The place of a picture in a window. A picture that would be changed by a pixel is shown as it is: scaling blurs
    /// it, and costs.
    package init(_ picture: FrameSize, in window: FrameSize) {
        let (wide, high) = (max(1, picture.width), max(1, picture.height))
        let isWider = wide * window.height > high * window.width
        var width = isWider ? window.width : (wide * window.height + high / 2) / high
        var height = isWider ? (high * window.width + wide / 2) / wide : window.height
        if abs(width - picture.width) <= 1, abs(height - picture.height) <= 1 {
            width = picture.width
            height = picture.height
        }
        self.width = width
        self.height = height
        x = (window.width - width) / 2
        y = (window.height - height) / 2
    }

    /// The longer side of the pictures that a window has room for, of views of a shape.
    package static func longestSide(of view: FrameSize, in window: FrameSize) -> Int {
        let place = Letterbox(view, in: window)
        return max(16, max(place.width, place.height))
    }
}
