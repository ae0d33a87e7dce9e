// SPDX-License-Identifier: MIT
// A ring of another process, as the client in C maps it.

import Glibc
import LivecapCShare
import LivecapCSystem
import LivecapFrames

/// A ring of another livecap, and the connection it came over. One thread uses it; any may wake that thread.
///
/// `@unchecked Sendable`: what is mapped is only read, and never changes its place.
final class ForeignRing: @unchecked Sendable {
    private let share: UnsafeMutablePointer<livecap_share>
    /// What is known of the source of its frames.
    let source: SourceDescription

    /// How long a host may take to answer: it does at once, unless it hangs.
    private static let patience: Int32 = 1000

    /// Connects to the socket at `path`, and maps the ring. Nil if nobody answers who has one.
    init?(at path: String) {
        share = .allocate(capacity: 1)
        share.initialize(to: livecap_share())
        share.pointee.socket = lc_unix_socket()
        guard let source = Self.connect(share, path) else {
            Self.close(share)
            return nil
        }
        self.source = source
    }

    deinit { Self.close(share) }

    private static func connect(_ share: UnsafeMutablePointer<livecap_share>, _ path: String) -> SourceDescription? {
        let socket = share.pointee.socket
        var user: uid_t = 0
        guard socket >= 0, lc_unix_connect(socket, path) == 0, lc_peer_user(socket, &user) == 0,
            user == geteuid() || user == 0, waitForMessage(socket), livecap_share_next_ring(share) == 0
        else { return nil }
        return SourceDescription(of: share.pointee)
    }

    private static func close(_ share: UnsafeMutablePointer<livecap_share>) {
        livecap_share_close(share)
        share.deinitialize(count: 1).deallocate()
    }

    private static func waitForMessage(_ socket: Int32) -> Bool {
        var polled = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&polled, 1, patience) == 1
    }

    /// The id of the camera that delivers now: another than that of `source` if one has taken over.
    var identity: String { SourceDescription(of: share.pointee)?.identity ?? "" }

    /// All frames below this counter have been published.
    var nextCounter: UInt64 { livecap_share_next_counter(share) }

    /// The oldest frame from a counter on that is still there.
    func frame(from counter: UInt64) -> livecap_frame? {
        var frame = livecap_frame()
        return livecap_share_next(share, counter, &frame) == 0 ? frame : nil
    }

    /// The newest frame.
    var newest: livecap_frame? {
        var frame = livecap_frame()
        return livecap_share_newest(share, &frame) == 0 ? frame : nil
    }

    /// How far back its oldest and its newest frame are: from now, or from the newest one if times are the source's
    /// own.
    var extent: (begin: Duration, end: Duration) {
        guard let oldest = frame(from: 0)?.record, let newest = newest?.record else { return (.zero, .zero) }
        let end = Timestamp(nanoseconds: newest.time_ns)
        let now = source.clock == .own ? end : .now
        return (now - Timestamp(nanoseconds: oldest.time_ns), now - end)
    }

    /// The mean size of its newest frames; 0 if there are none.
    var meanBytes: Int {
        let end = nextCounter
        var (sum, count, next): (UInt64, UInt64, UInt64) = (0, 0, end - min(end, 32))
        while count < 32, let frame = frame(from: next)?.record, frame.counter < end {
            sum += min(frame.byte_count, UInt64(max(0, source.format.byteCount)))
            count += 1
            next = frame.counter + 1
        }
        return count == 0 ? 0 : Int(sum / count)
    }

    /// What a wait ended with.
    enum Wait {
        case arrived, timedOut, ended
    }

    /// Sleeps until there is a frame with that counter or a later one, for a fraction of a second at most: a host that
    /// is killed wakes nobody.
    func wait(for counter: UInt64) -> Wait {
        switch livecap_share_wait(share, counter, 200) {
        case 1...: .arrived
        case 0: .timedOut
        default: .ended
        }
    }

    /// Ends a wait.
    func wake() {
        let word = UnsafeRawPointer(share.pointee.header!) + MemoryLayout<livecap_header>.offset(of: \.wake)!
        _ = lc_futex_wake_everywhere(word.assumingMemoryBound(to: UInt32.self))
    }

    /// Whether the host, whose ring has ended, has another one now. It says so, or hangs up, at once.
    var isReplaced: Bool {
        var polled = pollfd(fd: share.pointee.socket, events: Int16(POLLIN), revents: 0)
        return poll(&polled, 1, Self.patience) == 1 && Int32(polled.revents) & POLLHUP == 0
    }
}

extension livecap_frame {
    /// Whether everything read of it so far is right.
    var isIntact: Bool {
        var frame = self
        return livecap_share_is_intact(&frame) != 0
    }
}

extension SourceDescription {
    /// What a ring says of its source; nil if no frame could be like that.
    fileprivate init?(of share: livecap_share) {
        let header = share.header!
        let fields = header.pointee
        guard let byteCount = Int(exactly: fields.frame_bytes),
            let range = Colorimetry.Range(rawValue: fields.range),
            let matrix = Colorimetry.Matrix(rawValue: fields.matrix),
            let transfer = Colorimetry.Transfer(rawValue: fields.transfer),
            let primaries = Colorimetry.Primaries(rawValue: fields.primaries)
        else { return nil }
        let format = FrameFormat(
            pixelFormat: PixelFormat(fourCC: fields.pixel_format),
            size: FrameSize(width: Int(fields.width), height: Int(fields.height)),
            bytesPerLine: Int(fields.bytes_per_line), byteCount: byteCount,
            colorimetry: Colorimetry(range: range, matrix: matrix, transfer: transfer, primaries: primaries))
        guard format.problem == nil else { return nil }
        let hasIdentity = Int(share.slots_offset) >= MemoryLayout<livecap_header>.size
        let rate =
            fields.rate_numerator > 0 && fields.rate_denominator > 0
            ? FrameRate(fields.rate_numerator, per: fields.rate_denominator) : nil
        self.init(
            name: text(fields.name), identity: hasIdentity ? text(fields.identity) : "", format: format, rate: rate,
            clock: fields.clock == 0 ? .monotonic : .own)
    }
}

/// The characters before the terminating zero.
private func text(_ characters: some BitwiseCopyable) -> String {
    withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
}
