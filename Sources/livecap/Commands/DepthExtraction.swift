// SPDX-License-Identifier: MIT
// Takes the depth map out of a picture file, for `livecap info --depth`.

import Glibc
import LivecapFiles
import LivecapFrameFiles
import LivecapStills

/// Writes depth maps of pictures as PNG files of 16 bits.
enum DepthExtraction {
    /// Writes the map of the picture at `path` to `output`, a PNG file or a stream.
    static func write(
        _ path: String, to output: String, mayReplace: Bool, _ console: inout Console
    ) throws(Failure) {
        let target = OutputTarget(output)
        switch target {
        case .folder:
            throw .pictures("\(output) is a folder", hint: "name a file in it, for example \(output)/depth.png")
        case .foreign(let what):
            throw .pictures("\(output) is \(what), and is never replaced", hint: "choose another name")
        case .file:
            guard output.lowercased().hasSuffix(".png") else {
                throw .pictures("a depth map is a PNG file, not \(output)", hint: "name it \(output).png")
            }
        case .stream:
            if OutputTarget.descriptor(namedBy: output) == STDOUT_FILENO { try console.leaveStandardOutput() }
        }
        let bytes = try map(of: path)
        try creating { () throws(FileError) in
            guard target == .file else { return try OutputStream(output).write(bytes) }
            var file = try TemporaryFile.holding(bytes, in: output.folderPath, for: output, FileCalls())
            guard try file.takeName(output, mayReplace: mayReplace) else {
                throw .failed(output, call: "create", errno: EEXIST)
            }
            try syncFolder(output.folderPath, FileCalls())
        }
    }

    private static func map(of path: String) throws(Failure) -> [UInt8] {
        let file = try attempt { () throws(FrameFileError) in try wholeFile(path, atMost: PhotoReport.maxBytes) }
        guard let file, let depth = PhotoDepth(file) else {
            throw .frameFile(
                .badFile(
                    path, detail: "it has no depth map", hint: "'livecap info' of a photo shows whether it has one"))
        }
        do throws(StillError) { return try DepthPNG.file(depth.map(of: file)) } catch {
            throw .frameFile(.badFile(path, detail: error.message, hint: error.depthHint))
        }
    }
}

extension StillError {
    /// What to do if a depth map cannot be read.
    fileprivate var depthHint: String {
        switch self {
        case .unavailable: "install libheif1"
        case .noMemory: "end other programs"
        case .unencodable, .undecodable: "the program that made the file may read it"
        }
    }
}
