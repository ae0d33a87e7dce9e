// SPDX-License-Identifier: MIT
// Writes the initial inputs of the fuzz targets: small valid files of each kind. Usage: fuzz-Seeds FOLDER.

import FrameRing
import Glibc
import LivecapFiles
import LivecapFrameFiles
import LivecapFrames
import LivecapJPEG
import LivecapStills
import LivecapTinyModels

guard CommandLine.arguments.count == 2 else {
    print("usage: fuzz-Seeds FOLDER")
    exit(64)
}
let folder = CommandLine.arguments[1]

/// Writes a seed of a target.
func seed(_ target: String, _ name: String, _ bytes: [UInt8]) {
    mkdir("\(folder)/\(target)", 0o755)
    guard let file = fopen("\(folder)/\(target)/\(name)", "w") else { exit(74) }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
}

/// Writes a dump with one frame per element of `epochs`, finished or not. With `wish`, the bytes that select a photo,
/// the dump is also a seed for Developing. Every dump is a seed for each kind of Export.
func seedDump(
    _ name: String, _ format: FrameFormat, _ payload: [UInt8], finished: Bool, epochs: [UInt32] = [0, 0, 0],
    developing wish: [UInt8]? = nil
) throws(FrameFileError) {
    mkdir("\(folder)/Dump", 0o755)
    let source = SourceDescription(
        name: "Seed", identity: "seed", format: format, rate: FrameRate(30), clock: .monotonic)
    let writer = try DumpWriter("\(folder)/Dump/\(name)", DumpHeader(of: source, recording: 1), overwrite: true)
    for (index, epoch) in epochs.enumerated() {
        let frame = FrameMetadata(
            time: Timestamp(nanoseconds: Int64(index) * 33_333_333), byteCount: payload.count,
            sequence: UInt32(index), id: FrameID(epoch: epoch, counter: UInt64(index)))
        let result = payload.withUnsafeBytes { bytes in
            Result { () throws(FrameFileError) in try writer.append(frame, bytes) }
        }
        try result.get()
    }
    if finished { try writer.finish() }
    guard let dump = try wholeFile("\(folder)/Dump/\(name)", atMost: 1 << 20) else { return }
    for kind in UInt8(0)..<4 { seed("Export", "\(name)-\(kind)", [kind] + dump) }
    if let wish { seed("Developing", name, wish + dump) }
}

let size = FrameSize(width: 16, height: 8)
let grey = FrameFormat(pixelFormat: .grey, size: size)
let pixels = (0..<grey.byteCount).map { UInt8(truncatingIfNeeded: $0 * 7) }
let rgb = (0..<(3 * size.area)).map { UInt8(truncatingIfNeeded: $0 * 5) }
var encoder = try JPEGEncoder()
let jpeg = try rgb.withUnsafeBytes { bytes in
    try encoder.encodeRGB(bytes.bytes, size: size, quality: 90) { $0.withUnsafeBytes { Array($0) } }
}

try seedDump("finished", grey, pixels, finished: true)
try seedDump("interrupted", grey, pixels, finished: false)
try seedDump("epochs", grey, pixels, finished: true, epochs: [.max, 0])
try seedDump("compressed", FrameFormat(pixelFormat: .mjpeg, size: size), jpeg, finished: true)
for field in ["C420jpeg", "C422", "Cmono XCOLORRANGE=FULL"] {
    let frame = Array("FRAME\n".utf8) + [UInt8](repeating: 9, count: 256)
    seed("Y4M", String(field.prefix(5)), Array("W16 H8 F30000:1001 Ip A1:1 \(field)\n".utf8) + frame + frame)
}
for (format, rate) in [("yuyv", "30"), ("nv12", "29.97"), ("i420", "30000/1001"), ("rgb24", "5:1")] {
    seed("Raw", format, Array("\(format)\n16x8\n\(rate)\n".utf8) + [UInt8](repeating: 3, count: 768))
}
seed("JPEGs", "two", jpeg + jpeg)
seed("JPEGs", "multipart", jpeg + Array("\r\n--b\r\n\r\n".utf8) + Array(jpeg.dropLast(2)))
seed("JPEGStructure", "whole", jpeg)
let sets: [UInt8] = [0, 0, 0, 1, 0x67, 0x42, 0, 30, 149, 0, 0, 0, 1, 0x68, 0xCE, 56]
seed("H264", "independent", sets + [0, 0, 1, 0x65, 0x88, 0x84])
seed("H264", "dependent", [0, 0, 0, 1, 0x09, 16, 0, 0, 1, 0x06, 5, 1, 0x80, 0, 0, 1, 0x41, 0x9A, 9])
seed("H264", "parameters", [0, 0] + sets + [0, 0, 0])
seed("VideoFrame", "key", sets + [0, 0, 1, 0x65, 0x88, 0x84])
seed("VideoFrame", "intra", sets + [0, 0, 1, 0x41, 0xB0, 0, 0, 1, 0x41, 0xB0])
seed("VideoFrame", "recovery", sets + [0, 0, 1, 6, 5, 1, 0, 6, 1, 0xC4, 0x80, 0, 0, 1, 0x41, 0x9A])
seed("VideoFrame", "hevc", [0, 0, 1, 0x4E, 1, 6, 2, 9, 0x40, 0x80, 0, 0, 1, 2, 1])
for isListed in [false, true] {
    seed("FragmentedMovie", isListed ? "listed" : "usual", MovieSeeds.fragments(isListed: isListed))
}
for isFinished in [false, true] {
    seed("Matroska", isFinished ? "finished" : "growing", MovieSeeds.matroska(jpeg, isFinished: isFinished))
}

var metadata = PhotoMetadata()
metadata.provenance = #"{"version":1,"framesUsed":[{"id":"0:1","weight":1.0}],"name":"<a> & \"b\""}"#
seed("Photo", "jpeg", metadata.inserted(intoJPEG: jpeg.span.bytes))
seed("Photo", "png", try PNGEncoder(depth: .eight).encode(rgb24: rgb, size: size, .sRGB, metadata: metadata))
seed("Photo", "heic", try HEICEncoder(quality: 50).encode(rgb24: rgb, size: size, .sRGB, metadata: metadata))

let depth = DepthMap(size: size, samples: (0..<size.area).map { UInt16($0 * 70) })
for (name, file) in [
    ("jpeg", metadata.inserted(intoJPEG: jpeg.span.bytes)),
    ("heic", try HEICEncoder(quality: 50).encode(rgb24: rgb, size: size, .sRGB, metadata: metadata)),
] {
    seed("Depth", name, try PhotoDepth.added(depth, to: file))
    seed("Depth", "\(name)-without", file)
}
seed("Depth", "png", try DepthPNG.file(depth))

let square = FrameFormat(pixelFormat: .grey, size: FrameSize(width: 16, height: 16))
let dots = (0..<square.byteCount).map { UInt8(truncatingIfNeeded: $0 * 11) }
let wishes: [(name: String, bytes: [UInt8])] = [
    ("alone", [1, 0, 0, 0]), ("merged", [2, 1, 1, 255]), ("sharpest", [48 + 3, 4 + 16, 3, 1]),
]
for (name, wish) in wishes {
    try seedDump(name, square, dots, finished: true, epochs: [0, 0, 0, 0], developing: wish)
}

let settings = #"""
    {"quality":"quality","frames":3,"after":1,"reference":"tap","format":"jpeg","depth":null,"encodeQuality":90,\#
    "metadata":{"orientation":6,"time":null,"software":"livecap","cameraModel":null,"exposureNs":8000000,\#
    "description":"a","provenance":null},"compare":false,"explain":false,"deferral":"automatic"}
    """#
for (name, settings) in [("merged", settings), ("png", settings.replacing("jpeg", with: "png"))] {
    let request = #"""
        {"version":1,"shot":"7","settings":\#(settings),"tapNs":66666666,"tapErrorNs":0,"tapFrame":"0:2",\#
        "quality":"balanced","prioritized":true,"frames":["0:1","0:2","0:3"],"nearest":"0:2","spares":["0:4"],\#
        "damaged":[{"id":"0:0","damage":"checksum"}],"exposureSettled":true,"exposureNs":null,\#
        "wallTime":{"ns":1790000000123456789,"aheadNs":-3600000000000}}
        """#
    seed("Requests", name, Array(request.utf8))
}

let shared = RingCapacity(duration: .milliseconds(100), byteCap: 1 << 20, isShared: true)
    .plan(format: grey, rate: FrameRate(30)).flatMap { Ring.slabs($0, format: grey)?.ring }
if let shared, let file = shared.memory.file {
    var producer = RingProducer(filling: shared)
    for number in 0..<6 {
        _ = producer.publish { _ in
            FrameMetadata(time: Timestamp(nanoseconds: Int64(number)), byteCount: grey.byteCount)
        }
    }
    var bytes = [UInt8](repeating: 0, count: Int(lseek(file.descriptor, 0, SEEK_END)))
    pread(file.descriptor, &bytes, bytes.count, 0)
    seed("Share", "ring", bytes)
}

let requests = [
    #"{"tap":"now","id":1}"#,
    #"{"tap":"-250ms","quality":"speed","frames":4,"after":1,"reference":"tap","id":"a\u00e4"}"#,
    #"{"tap":{"frame":"0:123"}}"#, #"{"tap":{"ns":123}}"#, #"{"press":true}"#, #"{"release":true}"#,
    #"{"effects":{"set":"portrait=0.6,light"}}"#, #"{"effects":"none"}"#, #"{"reaction":{"perform":"hearts"}}"#,
    #"{"facts":{"follow":["faces","hands"]}}"#, #"{"facts":{"follow":[]}}"#,
    #"{"readiness":true}"#, #"{"tap":[1.5e3,null,false,{"a":"\ud83d\udcf7"}]}"#,
]
for (index, request) in requests.enumerated() { seed("ShutterLines", "\(index)", Array((request + "\n").utf8)) }
seed("ShutterLines", "all", Array(requests.joined(separator: "\n").utf8))

for model in TinyModel.allCases { seed("NetModels", model.rawValue, model.bytes) }

/// A `struct input_event` at one second.
func inputEvent(_ type: UInt8, _ code: UInt8, _ value: UInt8) -> [UInt8] {
    [1] + [UInt8](repeating: 0, count: 15) + [type, 0, code, 0, value, 0, 0, 0]
}
let report = inputEvent(0, 0, 0)
let click = inputEvent(1, 212, 1) + report + inputEvent(1, 212, 2) + report + inputEvent(1, 212, 0) + report
seed("InputEvents", "click", click)
seed("InputEvents", "dropped", inputEvent(1, 57, 1) + inputEvent(0, 3, 0) + click)

let webRequests = [
    ("GET", "/", ""), ("GET", "/status", ""), ("GET", "/frames?width=320", ""), ("GET", "/stream", ""),
    ("GET", "/snapshot?ago=100", ""), ("GET", "/?action=snapshot", ""), ("GET", "/ring", ""), ("GET", "/events", ""),
    ("GET", "/photos?limit=3&after=2", ""), ("GET", "/photos/1/image?download=1", ""), ("GET", "/metrics", ""),
    ("POST", "/shots", #"{"frame":"0:3","quality":"speed","zoom":{"factor":2,"x":0.5},"tag":"a"}"#),
    ("POST", "/photos/1/develop", #"{"shift":-1,"quality":"single","format":"png"}"#),
    ("POST", "/controls", #"{"key":"brightness","value":12}"#), ("DELETE", "/photos/1", ""),
    ("POST", "/cameras", #"{"id":"none","format":"MJPG","width":640,"height":480,"fps":30}"#),
]
let fields = [
    "Content-Length: 3\r\nContent-Length: 5", "Content-Length: 3\r\nTransfer-Encoding: chunked", "X: a\0b",
    "X: a\rY: b", "X: a\nY: b", "X: a\r\n b", "Sec-Fetch-Site: none\r\nSec-Fetch-Site: cross-site",
    "Host: [::1].evil.example",
]
for (index, field) in fields.enumerated() {
    let request = "POST /shots HTTP/1.1\r\nHost: localhost\r\n\(field)\r\n\r\nabc"
    seed("WebRequests", "head-\(index)", Array(request.utf8))
}
for (index, request) in webRequests.enumerated() {
    let head = "\(request.0) \(request.1) HTTP/1.1\r\nHost: localhost\r\nLivecap-Proof: PROOF\r\nRange: bytes=0-99\r\n"
    let body = "Cookie: livecap-token=a\r\nContent-Length: \(request.2.utf8.count)\r\n\r\n\(request.2)"
    seed("WebRequests", "\(index)", Array((head + body).utf8))
}
