// SPDX-License-Identifier: MIT
// Fuzzes the input of the tap socket: lines in pieces of any size, each a request or a refusal.

import FuzzSupport
import LivecapFrames
import Shutter

fuzz { bytes, count in
    let input = UnsafeRawBufferPointer(start: bytes, count: count)
    let whole = lines(of: input, piece: max(1, count))
    // The lines are the same however the bytes are split.
    precondition(lines(of: input, piece: 7) == whole, "lines depend on how they came")
    for case .whole(let line) in whole {
        precondition(line.count <= SocketRequest.maxBytes, "a line is no longer than it may be")
        do throws(SocketRefusal) {
            let request = try SocketRequest(line: line, received: .zero)
            _ = request.id?.json.text
        } catch {
            precondition(!error.json.utf8.contains(UInt8(ascii: "\n")), "an answer is one line")
        }
    }
    return 0
}

private func lines(of input: UnsafeRawBufferPointer, piece: Int) -> [LineSplitter.Line] {
    var splitter = LineSplitter(maxBytes: SocketRequest.maxBytes)
    var lines: [LineSplitter.Line] = []
    for start in stride(from: 0, to: input.count, by: piece) {
        lines += splitter.lines(in: input[start..<min(start + piece, input.count)])
    }
    if let rest = splitter.rest() { lines.append(rest) }
    return lines
}
