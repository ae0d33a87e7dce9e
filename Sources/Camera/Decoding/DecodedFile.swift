// SPDX-License-Identifier: MIT
// A recording of compressed video as a file of pictures.

import FrameRing
import LivecapFrameFiles
import LivecapFrames
import LivecapThreads

/// The pictures of a file whose frames are H.264 or HEVC, by the frames' numbers, times and marks. Frames that cannot
/// be decoded are marked as damaged once they are read. Reading in order decodes each frame once; elsewhere, reading
/// begins with the last frame before from which decoding can begin early enough.
package final class DecodedFile: FrameFile {
    /// The source of the frames, in the format of the pictures.
    package let description: SourceDescription
    private let file: any FrameFile
    private let reading: Guarded<Reading>

    /// Opens a decoder for `file`.
    /// - Throws: `noDecoder`, `noMemory`.
    package init(_ file: any FrameFile) throws(CameraError) {
        self.file = file
        let decoder = try VideoDecoder(file.description.format)
        var description = file.description
        description.format = decoder.format
        self.description = description
        let memory = try CameraError.wrapping { () throws(FrameFileError) in try file.makeFrameMemory() }
        reading = Guarded(Reading(file, decoder, memory))
    }

    /// As many as the file has.
    package var frameCount: Int { file.frameCount }
    /// All pictures have the same size.
    package var largestFrame: Int { description.format.byteCount }
    /// The file's.
    package var health: FileHealth { file.health }

    /// The metadata of a frame. Whether it can be decoded is known once it is read.
    package func metadata(_ index: Int) -> FrameMetadata {
        var frame = file.metadata(index)
        frame.byteCount = largestFrame
        frame.flags.remove(.standardHuffmanTables)
        return frame
    }

    /// Decodes a frame. The bytes are zeros if there is no picture.
    package func read(_ index: Int, into bytes: UnsafeMutableRawBufferPointer) throws(FrameFileError) -> FrameMetadata {
        var frame = metadata(index)
        let damage = try reading.withLock { reading throws(FrameFileError) in try reading.read(index, into: bytes) }
        guard damage != .none else { return frame }
        bytes[..<frame.byteCount].initializeMemory(as: UInt8.self, repeating: 0)
        frame.markDamaged(damage)
        return frame
    }

    /// Whether the file's own record of a frame is undamaged.
    package func isRecordIntact(_ index: Int) throws(FrameFileError) -> Bool { try file.isRecordIntact(index) }
}

/// `file` itself, or its pictures if its frames are compressed video that `isDecoded` holds for.
/// - Throws: `noDecoder`, `noMemory`.
package func pictures(
    of file: any FrameFile, where isDecoded: (PixelFormat) -> Bool = { _ in true }
) throws(CameraError) -> any FrameFile {
    let format = file.description.format.pixelFormat
    return format.isVideo && isDecoded(format) ? try DecodedFile(file) : file
}

/// Reads and decodes a file's frames in order. `@unchecked`: used only with the lock of its `DecodedFile`.
private final class Reading: @unchecked Sendable {
    private let file: any FrameFile
    private let decoder: VideoDecoder
    private let memory: SlotMemory
    private var wait = KeyFrameWait()
    /// The next frame to read, which is beyond the next picture if the stream holds pictures back.
    private var nextRead = 0
    /// The frame after the one that was asked for last.
    private var nextAsked = 0
    /// The frame whose picture the decoder gave last, and whether that is whole.
    private var current = (number: -1, damage: Damage.none)
    /// Why the last frames that were read give no picture, by their numbers modulo its length.
    private var damages = [Damage](repeating: .none, count: longestDelay)

    /// The most frames that are read before the picture of one comes: H.264 and HEVC may hold back 16.
    private static let longestDelay = 17
    /// How far back such a frame is looked for.
    private static let longestSearch = 1800

    init(_ file: any FrameFile, _ decoder: VideoDecoder, _ memory: SlotMemory) {
        self.file = file
        self.decoder = decoder
        self.memory = memory
    }

    /// Decodes a frame into `bytes`. Returns why there is no picture of it.
    func read(_ index: Int, into bytes: UnsafeMutableRawBufferPointer) throws(FrameFileError) -> Damage {
        if index != nextAsked, index != current.number { try go(to: index) }
        // The pictures before it are needed to decode it.
        for earlier in min(nextAsked, index)..<index { _ = try find(earlier) }
        let damage = try find(index)
        nextAsked = index + 1
        if damage == .none { decoder.store(into: bytes) }
        return damage
    }

    /// Goes to the last frame from which decoding can begin in time for a frame, unless that lies before the next frame
    /// anyway.
    private func go(to index: Int) throws(FrameFileError) {
        var begin = index
        while begin > max(0, index - Self.longestSearch) {
            if begin == nextAsked { return }
            let frame = try file.read(begin, into: memory.regions[0])
            if frame.isUsable, decoder.content(of: bytes(of: frame)).isBeginning(within: index - begin) { break }
            begin -= 1
        }
        nextRead = begin
        nextAsked = begin
        current.number = -1
        wait.lose()
    }

    /// Reads on until the picture of a frame is there. Returns why there is none.
    private func find(_ index: Int) throws(FrameFileError) -> Damage {
        while current.number < index {
            switch decoder.next() {
            case .picture(let number):
                current = (Int(number), damages[Int(number) % Self.longestDelay])
                if current.damage == .none { wait.noteWhole() }
            case .damaged(let number):
                current = (Int(number), wait.isRecovering ? .needsKeyFrame : .undecodable)
                if !wait.isRecovering { wait.lose() }
            case .failed:
                guard !wait.isRecovering else { return .needsKeyFrame }
                wait.lose()
                return .undecodable
            case .none:
                let damage = index < nextRead ? damages[index % Self.longestDelay] : .none
                guard damage == .none else { return damage }
                if index < nextRead, wait.isRecovering {
                    wait.noteUnwhole()
                    return .needsKeyFrame
                }
                guard nextRead < min(file.frameCount, index + Self.longestDelay) else { return .undecodable }
                try readNext()
            }
        }
        return current.number == index ? current.damage : .undecodable
    }

    /// Gives the decoder the next frame, if it can be decoded.
    private func readNext() throws(FrameFileError) {
        let frame = try file.read(nextRead, into: memory.regions[0])
        let number = nextRead
        nextRead += 1
        let damage = give(frame, Int64(number))
        damages[number % Self.longestDelay] = damage
    }

    /// Returns why a frame gives no picture.
    private func give(_ frame: FrameMetadata, _ number: Int64) -> Damage {
        let bytes = bytes(of: frame)
        let verdict = wait.judge(frame, decoder.content(of: bytes))
        if case .leaveOut(let damage) = verdict { return damage }
        if verdict.begins { decoder.forgetPictures() }
        let isTaken = decoder.send(bytes, number: number, beginsUnannounced: verdict == .beginUnannounced)
        if verdict == .takeParameters { return .undecodable }
        // Decoders refuse some of the frames that build on what was lost.
        if verdict.isUnseen || !isTaken && wait.isRecovering { return .needsKeyFrame }
        if !isTaken { wait.lose() }
        return isTaken ? .none : .undecodable
    }

    private func bytes(of frame: FrameMetadata) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: memory.regions[0][..<frame.byteCount])
    }
}
