// SPDX-License-Identifier: MIT
// Compression that every browser understands.

import LivecapCz

/// Compresses bytes in the format gzip (RFC 1952); nil if there is no memory for it.
func gzip(_ bytes: [UInt8]) -> [UInt8]? {
    var stream = z_stream()
    // 16 more than the window's size asks for gzip's head and tail.
    guard
        deflateInit2_(
            &stream, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { return nil }
    defer { deflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))))
    let isDone = input.withUnsafeMutableBufferPointer { input in
        output.withUnsafeMutableBufferPointer { output in
            (stream.next_in, stream.avail_in) = (input.baseAddress, UInt32(input.count))
            (stream.next_out, stream.avail_out) = (output.baseAddress, UInt32(output.count))
            return deflate(&stream, Z_FINISH) == Z_STREAM_END
        }
    }
    return isDone ? Array(output.prefix(Int(stream.total_out))) : nil
}
