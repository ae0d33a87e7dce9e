// SPDX-License-Identifier: MIT
// The pixels of a photo, decoded by libpng's own reader.

import LivecapCpng
import LivecapFrames
import Testing

/// A decoded PNG file.
struct PNGPicture {
    let size: FrameSize
    /// Red, green and blue, row by row.
    private let samples: [UInt8]

    /// Reads a complete file; throws if it is not a valid PNG.
    init(_ path: String) throws {
        var image = png_image()
        image.version = UInt32(PNG_IMAGE_VERSION)
        defer { png_image_free(&image) }
        try #require(png_image_begin_read_from_file(&image, path) != 0, "\(path) is no PNG file")
        image.format = UInt32(PNG_FORMAT_FLAG_COLOR)
        size = FrameSize(width: Int(image.width), height: Int(image.height))
        var samples = [UInt8](repeating: 0, count: 3 * size.area)
        try #require(png_image_finish_read(&image, nil, &samples, 0, nil) != 0, "\(path) is not whole")
        self.samples = samples
    }

    /// The brightness of a pixel, from 0 to 1.
    func brightness(_ x: Int, _ y: Int) -> Float {
        let pixel = 3 * (y * size.width + x)
        let (red, green, blue) = (Float(samples[pixel]), Float(samples[pixel + 1]), Float(samples[pixel + 2]))
        return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255
    }
}
