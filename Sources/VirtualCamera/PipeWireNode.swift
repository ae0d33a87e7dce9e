// SPDX-License-Identifier: MIT
// A camera among PipeWire's.

import Camera
import LivecapCPipeWire
import LivecapFrames
import LivecapThreads

/// A node of class Video/Source. libpipewire is loaded when the first one is made.
final class PipeWireNode: PictureSink {
    // Safe: it never changes, and its functions are for one thread at a time or for all.
    nonisolated(unsafe) private let node: OpaquePointer
    private let isOnThisClock: Bool
    private let news: News

    /// Whom PipeWire's thread tells of changes.
    private final class News: Sendable {
        let body = Guarded<(@Sendable () -> Void)?>(nil)
    }

    init(_ source: SourceDescription, _ size: FrameSize) throws(VirtualCameraError) {
        let rate = source.rate ?? FrameRate(30)
        let news = News()
        var node: OpaquePointer?
        var why = [CChar](repeating: 0, count: 256)
        let result = "libpipewire-0.3.so.0".withCString { library in
            // Browsers tell cameras apart by their nodes' names, and remember them.
            "livecap.\(source.identity.asIdentity.replacing(":", with: "-"))".withCString { name in
                source.name.withCString { description in
                    var settings = lc_pipewire_settings(
                        library: library, name: name, description: description, width: UInt32(size.width),
                        height: UInt32(size.height), rate_numerator: rate.numerator,
                        rate_denominator: rate.denominator,
                        changed: { owner in
                            let news = Unmanaged<News>.fromOpaque(owner!).takeUnretainedValue()
                            news.body.withLock { $0 }?()
                        }, owner: Unmanaged.passUnretained(news).toOpaque())
                    return lc_pipewire_open(&settings, &node, &why, why.count)
                }
            }
        }
        let detail = why.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        guard result == LC_PIPEWIRE_OK, let node else {
            throw result == LC_PIPEWIRE_NO_LIBRARY ? .noPipeWire(detail: detail) : .notRunning(detail: detail)
        }
        (self.node, self.news) = (node, news)
        isOnThisClock = source.clock == .monotonic
    }

    deinit { lc_pipewire_close(node) }

    // Also when PipeWire has gone, so that `show` reports it.
    var isWatched: Bool { lc_pipewire_is_watched(node) || lc_pipewire_has_failed(node) }

    func onChange(_ body: @escaping @Sendable () -> Void) { news.body.withLock { $0 = body } }

    func show(_ pixels: UnsafeRawBufferPointer, at time: Timestamp) throws(VirtualCameraError) {
        if lc_pipewire_has_failed(node) { throw .gone("PipeWire") }
        lc_pipewire_put(node, pixels.baseAddress, (isOnThisClock ? time : .now).nanoseconds)
    }
}
