// SPDX-License-Identifier: MIT
// A V4L2 camera as a source: negotiation, and the lifetime of its stream.

import FrameRing
import Glibc
import LivecapCV4L2
import LivecapFrames
import LivecapThreads

/// Any V4L2 capture device, above all UVC webcams.
///
/// The driver writes raw formats straight into the ring if it can. JPEG is copied into compact slots. Formats that
/// livecap does not read are converted by libv4lconvert.
public final class V4L2Camera: FrameSource {
    /// The camera and the format it was set to.
    public private(set) var description: SourceDescription
    /// How frames get into the ring. Known once the ring has been created.
    public internal(set) var transport: Transport?

    /// How it is mounted and held; nil if it was opened by its path alone.
    package internal(set) var rotation: RotationCoordinator?
    /// What its profile says, but the camera does not accept.
    package let settingsLeftOut: [ControlSetting]
    /// What it failed to be set to, although it was asked several times.
    package let settingsFailed: [ControlSetting]
    /// Whether its privacy switch was closed when it was opened.
    package let isSuspended: Bool

    let device: V4L2Device
    let converter: FrameConverter?
    let wake: WakeEvent
    /// The number of frames queued at the driver or about to be: the ring's reserve.
    let depth: Int
    var queue = DriverQueue.none
    var tracker: SequenceTracker
    var judge = TimestampJudge()
    var watchdog = StallWatchdog(now: .zero)
    var unqueued = SlotStack()
    /// The errno of the driver's last refusal of a buffer; 0 if it never refused one.
    var queueingErrno: Int32 = 0
    /// Whether the kernel has not answered the last call, and the device can only be closed.
    var isAbandoned = false
    /// Whether frames are JPEG pictures, looked up once.
    let isJPEG: Bool
    /// The minimum size of a frame; 0 for formats whose size only the frame itself reveals.
    let leastByteCount: Int
    /// How it is set, for its return.
    let controls: ControlMemory
    /// What is set by hand for the frames that come now.
    var manual: ManualSettings
    let polled: UnsafeMutablePointer<pollfd>
    let forcedTransport: Transport?

    /// Opens the camera at `path` and sets the format nearest the request. `transport` is for tests (default: the best
    /// the driver supports).
    /// - Throws: `noSuchDevice`, `notACamera`, `permissionDenied`, `busy`, `unsupported` if no offer matches the
    ///   request, `noSignal`, and what the driver refuses.
    public convenience init(
        path: String, identity: String? = nil, request: FormatRequest = FormatRequest(), transport: Transport? = nil
    ) throws(CameraError) {
        try self.init(
            path: path, identity: identity, request: request, transport: transport, controls: ControlMemory())
    }

    /// The same for a camera that is set as before, if `controls` remember it.
    init(
        path: String, identity: String?, request: FormatRequest, transport: Transport?, controls: ControlMemory
    ) throws(CameraError) {
        wake = try CameraError.wrapping { () throws(SystemShortage) in try WakeEvent() }
        device = try V4L2Device(path: path)
        let capabilities = try device.capabilities()
        try device.requireCamera(capabilities)
        try device.requireSignal()
        let negotiated = try device.negotiate(request)
        converter = negotiated.converter
        forcedTransport = transport
        let rate = negotiated.rate
        let isWhole = negotiated.converter == nil && !negotiated.format.pixelFormat.isCompressed
        isJPEG = negotiated.format.pixelFormat.isJPEG
        leastByteCount = isWhole ? negotiated.format.neededBytes : 0
        // A tenth of a second of buffers tolerates a late wake-up.
        depth = min(max(4, Int((rate?.framesPerSecond ?? 30) / 10)), 8)
        // Before the first frame.
        let shortfall = try controls.meet(device)
        settingsLeftOut = shortfall.refused
        settingsFailed = shortfall.failed
        isSuspended = device.value(of: .privacy) == 1
        description = SourceDescription(
            name: capabilities.card, identity: identity ?? path, format: negotiated.format, rate: rate,
            clock: .monotonic, reserve: depth)
        let interval = rate?.interval ?? .milliseconds(33)
        tracker = SequenceTracker(interval: interval)
        polled = .allocate(capacity: 2)
        polled[0] = pollfd(fd: device.descriptor, events: Int16(POLLIN | POLLPRI), revents: 0)
        polled[1] = pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0)
        self.controls = controls
        manual = controls.manual
        device.watchInput()
        device.watch(controls: controls.ids)
    }

    deinit { polled.deallocate() }

    /// Makes a waiting `step` return.
    public var interrupt: @Sendable () -> Void {
        let wake = wake
        return { wake.raise() }
    }

    /// Creates the ring. If possible, the driver's buffers and the ring's slots share memory.
    /// - Throws: `noMemory`, `tooLittleMemory` if `capacity` allows less than the least ring, and what the driver
    ///   refuses.
    public func makeRing(_ capacity: RingCapacity) throws(CameraError) -> (ring: Ring, granted: GrantedCapacity) {
        let plan = TransportPlan(
            format: description.format, rate: description.rate, capacity: capacity, depth: depth,
            isCopied: description.format.pixelFormat.isCompressed || converter != nil, forced: forcedTransport)
        let made = try plan.make(on: device)
        let (ring, granted) = (made.ring, made.granted)
        queue = made.queue
        transport = queue.transport
        return (ring, granted)
    }

    /// Queues buffers and starts the stream.
    /// - Throws: `noBandwidth`, `disconnected`, and what the driver refuses.
    public func start(_ producer: inout RingProducer) throws(CameraError) {
        watchdog = StallWatchdog(now: .now)
        try begin(&producer, isRestart: false)
    }

    /// Ends the stream and releases the driver's buffers. Mapped buffers live on, orphaned, while they are leased.
    ///
    /// A camera that answers nothing is abandoned after a second. The kernel goes on trying to reach it for some
    /// seconds, and nobody can use it meanwhile.
    public func stop() {
        if !isAbandoned { _ = stream(false, isLast: true) }
        // The kernel's call under way would block any other.
        if isAbandoned {
            queue = .none
            return
        }
        let memory = queue.transport == .userPointer ? V4L2_MEMORY_USERPTR : V4L2_MEMORY_MMAP
        queue = .none
        _ = try? device.requestBuffers(0, memory)
    }
}
