// SPDX-License-Identifier: MIT
// What draws a stage's pictures.

import LivecapEffects
import LivecapFrames
import LivecapPictures
import LivecapStabilization

/// Makes pictures of frames, one for each, perhaps some frames later. Used by one thread.
protocol FrameDrawer: AnyObject {
    /// The format of the pictures.
    var format: FrameFormat { get }
    /// The JPEG frames that follow are of the stream of `planes`.
    func follow(_ planes: SharedPlanes?)
    /// So many frames were passed over before the next one, because drawing took too long.
    func passOver(_ count: Int)
    /// Adds a frame, once all pictures that are ready have been drawn. Returns false if it cannot be decoded.
    func add(_ frame: FrameMetadata, _ bytes: RawSpan) -> Bool
    /// Draws the oldest picture that is ready, or simply the oldest one if `isOver`. Returns its frame; nil if there is
    /// none.
    func draw(into picture: UnsafeMutableRawBufferPointer, isOver: Bool) -> FrameMetadata?
    /// Forgets all frames, if it can; what was seen before a rest says nothing about what follows.
    func forget() -> Bool
}

extension FrameSteadier: FrameDrawer {
    func passOver(_ count: Int) {}
    func forget() -> Bool { false }
}

extension FrameEffects: FrameDrawer {
    func draw(into picture: UnsafeMutableRawBufferPointer, isOver: Bool) -> FrameMetadata? { draw(into: picture) }
    func forget() -> Bool {
        forgetFrames()
        return true
    }
}
