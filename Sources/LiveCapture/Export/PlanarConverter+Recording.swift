// SPDX-License-Identifier: MIT
// Planes for files that other programs read.

import LivecapFrameFiles
import LivecapFrames
import LivecapPictures

extension PlanarConverter {
    /// Creates a converter for a recording's frames. Nil if `first` cannot be decoded.
    convenience init?(recording format: FrameFormat, first: RawSpan, by reader: PlaneReader? = nil)
        throws(FrameFileError)
    {
        do throws(PictureError) { try self.init(format, first: first, by: reader) } catch {
            throw .badSettings(error.message, hint: "keep them unchanged: record to a .lcap file")
        }
    }
}
