// SPDX-License-Identifier: MIT
// Fuzzes the web server with whole requests, as they come over the network.

import FuzzSupport
import Glibc
import LiveCapture
import LivecapFrames
import LivecapHTTP
import LivecapPhotoStorage
import LivecapServing

/// A small scene that is served for as long as the process runs.
struct Served: Sendable {
    let port: UInt16
    private let proof: String
    private let session: CaptureSession
    private let viewfinder: Viewfinder
    private let server: HTTPServer

    init() throws {
        let folder = "/tmp/livecap-fuzz-web-\(getpid())"
        let library = try PhotoLibrary(folder)
        var scene = try SyntheticSettings("tripod")
        scene.prerenderedFrames = 2
        session = try CaptureSession(
            opening: .synthetic(
                scene, pixelFormat: .mjpeg, size: FrameSize(width: 64, height: 48), rate: FrameRate(30), .realtime),
            SessionOptions(library: library, history: .seconds(1), threads: 1, isRealTime: false))
        viewfinder = try Viewfinder(
            session, library,
            ViewfinderSettings(photos: PhotoSettings(quality: .single), software: "fuzz", version: "0"))
        var limits = HTTPLimits()
        // An input that is no whole request must not keep the next one waiting.
        (limits.requestTime, limits.idleTime) = (.milliseconds(20), .milliseconds(20))
        guard let address = HTTPAddress("127.0.0.1:0") else { preconditionFailure("an address") }
        let socket = try address.listen()
        port = HTTPAddress(of: socket)?.port ?? 0
        proof = viewfinder.gatekeeper.proof
        let viewfinder = viewfinder
        server = try HTTPServer(at: socket, limits: limits) { viewfinder.answer($0, $1) }
        session.begin()
    }

    /// Sends bytes, with the proof where they say PROOF, and returns the beginning of what comes back.
    func exchange(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        (address.sin_family, address.sin_port) = (sa_family_t(AF_INET), port.bigEndian)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        let fault = errno
        guard isConnected else {
            // Quick requests soon use every port there is. They come back within seconds.
            precondition(fault == EADDRNOTAVAIL, "the server listens")
            usleep(20_000)
            return []
        }
        let message = withProof(bytes)
        _ = message.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        shutdown(socket, Int32(SHUT_WR))
        var (answer, block) = ([UInt8](), [UInt8](repeating: 0, count: 16384))
        // Frames and events come without end, and some answers only once something has happened.
        let end = ContinuousClock.now + .milliseconds(20)
        var patience = timeval(tv_sec: 0, tv_usec: 20_000)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        while ContinuousClock.now < end {
            let count = read(socket, &block, block.count)
            guard count > 0 else { break }
            answer += block[..<count]
        }
        return answer
    }

    private func withProof(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        let mark = Array("PROOF".utf8)
        var (message, index) = ([UInt8](), 0)
        while index < bytes.count {
            if bytes.count - index >= mark.count, bytes[index..<index + mark.count].elementsEqual(mark) {
                message += proof.utf8
                index += mark.count
            } else {
                message.append(bytes[index])
                index += 1
            }
        }
        return message
    }
}

enum Target {
    /// Nil if the system lacks something.
    static let served = try? Served()
}

/// Whether the first head of some bytes has what no server may accept: a NUL, or a CR or an LF that is not CR LF. Empty
/// lines before it are skipped, however they end. The library leaves the same NUL for each of the three: what is
/// ambiguous is seen only by how many follow each other (see `shows_all` in HTTP.c).
private func isAmbiguous(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let head = bytes.drop { $0 == 0x0D || $0 == 0x0A }
    var separators = 0
    for byte in head {
        if byte == 0x00 || byte == 0x0D || byte == 0x0A {
            separators += 1
            // An empty line ends the head.
            if separators == 4 { return false }
        } else {
            if separators == 1 || separators == 3 { return true }
            separators = 0
        }
    }
    return separators == 1 || separators == 3
}

fuzz { bytes, count in
    guard let served = Target.served else { preconditionFailure("a scene can be served") }
    let answer = served.exchange(UnsafeRawBufferPointer(start: bytes, count: count))
    precondition(answer.isEmpty || answer.starts(with: Array("HTTP/1.".utf8)), "an answer is one of HTTP")
    if isAmbiguous(UnsafeRawBufferPointer(start: bytes, count: count)) {
        precondition(!answer.starts(with: Array("HTTP/1.1 2".utf8)), "what can be read in two ways is refused")
    }
    let health = Array("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
    // On a busy machine it may be late, but not for ever.
    let lives = (0..<500).lazy.map { _ in health.withUnsafeBytes { served.exchange($0) } }.first { !$0.isEmpty }
    precondition(lives?.starts(with: Array("HTTP/1.1 200".utf8)) == true, "the server answers others")
    return 0
}
