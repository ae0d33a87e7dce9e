// SPDX-License-Identifier: MIT
// What a running livecap still keeps, as a file of frames.

import Camera
import LiveCapture
import LivecapCommandTable
import LivecapFrameFiles
import LivecapFrames
import LivecapSharing

extension PastFrames: FrameFile {
    package var description: SourceDescription { source }
    package var frameCount: Int { frames.count }
    package var largestFrame: Int { frames.map(\.byteCount).max() ?? 0 }
    package var health: FileHealth { FileHealth() }

    package func metadata(_ index: Int) -> FrameMetadata { frames[index] }

    package func read(_ index: Int, into bytes: UnsafeMutableRawBufferPointer) -> FrameMetadata {
        bytes.copyMemory(from: self.bytes(index))
        return frames[index]
    }
}

extension Arguments {
    /// Copies the last moments of the running livecap that the command line means, and says what is missing of them.
    func lastMoments(_ past: Duration) throws(Failure) -> PastFrames {
        let host = try hostOfPast()
        let moments = try attempt { () throws(CameraError) in try PastFrames(host, past) }
        let interval = moments.source.rate?.interval ?? .milliseconds(100)
        guard moments.reach + interval * 2 < past else { return moments }
        let begin = "note: the first frame is from \(moments.reach.inTenths) ago"
        Console.note(
            moments.kept + interval * 2 < past
                ? "\(begin): \(host) keeps no more" : "\(begin): the camera delivered nothing before, or was off")
        return moments
    }
}

extension Duration {
    /// Such as "3.2 s".
    fileprivate var inTenths: String { "\(fixed(seconds, 1)) s" }
}
