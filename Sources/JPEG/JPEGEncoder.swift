// SPDX-License-Identifier: MIT
// Encodes planes or R'G'B' as JPEG pictures, using TurboJPEG. Created once and reused for many frames.

import LivecapCturbojpeg
import LivecapFrames

/// An encoder with its scratch memory. As a noncopyable value it cannot be used by two threads at once.
package struct JPEGEncoder: ~Copyable, @unchecked Sendable {  // safe: only this value has the handle
    private let handle: tjhandle
    private var scratch = ScratchMemory()

    /// Creates an encoder. Fails only if memory runs out.
    package init() throws(JPEGError) {
        guard let handle = tjInitCompress() else { throw .noMemory }
        self.handle = handle
    }

    deinit { tjDestroy(handle) }

    /// Encodes planes (full-range BT.601, as in JPEG) at a quality from 1 to 100 and lends the picture to `body`.
    package mutating func encode<Result>(
        _ planes: RawSpan, layout: PlanarLayout, quality: Int, _ body: (RawSpan) -> Result
    ) throws(JPEGError) -> Result {
        guard planes.byteCount >= layout.byteCount else {
            throw .tooFewBytes(needed: layout.byteCount, given: planes.byteCount)
        }
        let memory = room(layout.size, layout.sampling)
        var (target, count) = (memory.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt(memory.count))
        let result = planes.withUnsafeBytes { bytes in
            // The codec only reads from these pointers; its declaration lacks a const.
            layout.withPointers(in: UnsafeMutableRawBufferPointer(mutating: bytes)) { planes, strides in
                planes.withMemoryRebound(to: UnsafePointer<UInt8>?.self, capacity: 3) { planes in
                    tjCompressFromYUVPlanes(
                        handle, planes, Int32(layout.size.width), strides, Int32(layout.size.height),
                        layout.sampling.rawValue, &target, &count, Int32(min(max(quality, 1), 100)), flags)
                }
            }
        }
        guard result == 0 else { throw .unencodable(String(cString: tjGetErrorStr2(handle))) }
        return body(UnsafeRawBufferPointer(rebasing: memory[..<Int(count)]).bytes)
    }

    /// Encodes red, green and blue bytes, in rows without padding, and lends the picture to `body`.
    package mutating func encodeRGB<Result>(
        _ pixels: RawSpan, size: FrameSize, sampling: ChromaSampling = .s420, quality: Int, _ body: (RawSpan) -> Result
    ) throws(JPEGError) -> Result {
        guard let layout = PlanarLayout(size: size, sampling: sampling) else {
            throw .unencodable("\(size) is no size of a JPEG picture")
        }
        guard pixels.byteCount >= 3 * size.area else {
            throw .tooFewBytes(needed: 3 * size.area, given: pixels.byteCount)
        }
        let memory = room(size, layout.sampling)
        var (target, count) = (memory.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt(memory.count))
        let result = pixels.withUnsafeBytes { bytes in
            tjCompress2(
                handle, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(size.width),
                Int32(3 * size.width), Int32(size.height), TJPF_RGB.rawValue, &target, &count, sampling.rawValue,
                Int32(min(max(quality, 1), 100)), flags)
        }
        guard result == 0 else { throw .unencodable(String(cString: tjGetErrorStr2(handle))) }
        return body(UnsafeRawBufferPointer(rebasing: memory[..<Int(count)]).bytes)
    }

    /// Room for the largest possible picture of a size, which the codec relies on.
    private mutating func room(_ size: FrameSize, _ sampling: ChromaSampling) -> UnsafeMutableRawBufferPointer {
        scratch.bytes(Int(tjBufSize(Int32(size.width), Int32(size.height), sampling.rawValue)))
    }
}

/// Use the exact transform, which gives the same bytes on every machine, and write to memory of our own.
private let flags = TJFLAG_ACCURATEDCT | TJFLAG_NOREALLOC
