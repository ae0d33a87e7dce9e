// SPDX-License-Identifier: MIT
// The part of the picture that a camera's automatic functions look at.

import LivecapFrames

/// The region of interest of a UVC camera, as kernels since 2025 offer it: automatic exposure and focus look at that
/// part of what the sensor sees.
package struct RegionOfInterest: Hashable, Sendable {
    /// A part of the sensor, in its pixels.
    package struct Area: Hashable, Sendable {
        /// The distance from the left edge.
        package var left: Int
        /// The distance from the upper edge.
        package var top: Int
        /// The width.
        package var width: Int
        /// The height.
        package var height: Int

        /// A part of the sensor.
        package init(left: Int = 0, top: Int = 0, width: Int, height: Int) {
            self.left = left
            self.top = top
            self.width = width
            self.height = height
        }
    }

    /// Automatic functions, as the bits of the camera's control.
    package struct Functions: OptionSet, Hashable, Sendable {
        /// The bits.
        package let rawValue: UInt32
        /// The functions with those bits.
        package init(rawValue: UInt32) { self.rawValue = rawValue }

        /// Exposure.
        package static let exposure = Functions(rawValue: 1 << 0)
        /// Focus.
        package static let focus = Functions(rawValue: 1 << 3)
    }

    /// Where they look.
    package var area: Area
    /// Those that look there; the others look at the whole picture.
    package var functions: Functions
    /// Those that could.
    package let possible: Functions
    /// The whole of what the camera sees.
    package let whole: Area
    /// The smallest size of an area.
    package let smallest: Area

    /// A camera's region of interest.
    package init(area: Area, functions: Functions, possible: Functions, whole: Area, smallest: Area) {
        self.area = area
        self.functions = functions
        self.possible = possible
        self.whole = whole
        self.smallest = smallest
    }

    /// The area of a part of the pictures that the camera delivers in a size.
    ///
    /// The driver counts in pixels of the sensor, and does not say which of them a picture shows. Cameras leave out
    /// what does not fit its shape, above and below or at the sides, so its middle is taken for the sensor's.
    package func area(of box: PictureBox, inPicturesOf size: FrameSize) -> Area {
        let scale = min(Double(whole.width) / Double(size.width), Double(whole.height) / Double(size.height))
        let width = Double(size.width) * scale, height = Double(size.height) * scale
        let x = (Double(whole.width) - width) / 2, y = (Double(whole.height) - height) / 2
        func part(_ start: Double, _ length: Double, of whole: Int, least: Int) -> (start: Int, length: Int) {
            let first = min(max(Int(start.rounded()), 0), whole)
            let last = min(max(Int((start + length).rounded()), first), whole)
            let length = min(max(last - first, least, 1), whole)
            // A part that is made larger grows around its middle.
            let middle = (first + last) / 2
            return (min(max(last - first == length ? first : middle - length / 2, 0), whole - length), length)
        }
        let across = part(
            x + Double(box.origin.x) * width, Double(box.width) * width, of: whole.width, least: smallest.width)
        let down = part(
            y + Double(box.origin.y) * height, Double(box.height) * height, of: whole.height, least: smallest.height)
        return Area(
            left: whole.left + across.start, top: whole.top + down.start, width: across.length, height: down.length)
    }
}
