// SPDX-License-Identifier: MIT
// Makes photos of frames on disk: finals of proxies, and photos that are developed again.

import Fusion
import LivecapFrames
import LivecapJPEG
import LivecapThreads

/// Makes one photo of frames on disk, exactly as a session makes it of the same frames in memory.
package struct KeptDevelopment {
    let source: SourceDescription
    let level: KernelLevel?
    /// The maximum memory it may take, in bytes.
    var memory = ThreadPool.physicalMemory
    /// Whether a thumbnail is made, too.
    var makesThumbnail = false
    /// Waits while the processors are needed for more urgent work.
    var pause: () -> Void = {}
    /// Whether the work is to be abandoned.
    var isCancelled: () -> Bool = { false }

    /// Makes the photo. It takes the memory of one worker and of all frames prepared.
    package func photo(
        of request: PhotoRequest, _ frames: [UnreadFrame], _ pool: any FusionPool
    ) throws(PhotoError) -> Photo {
        try admit(request)
        let developer = try Developer(source, pool, level: level, links: FrameLinks())
        if makesThumbnail { developer.thumbnails = try ThumbnailEncoder() }
        return try photo(of: request, frames, with: developer)
    }

    /// The same with a developer that exists.
    package func photo(
        of request: PhotoRequest, _ frames: [UnreadFrame], with developer: Developer,
        stages before: [(name: String, time: Duration)] = [], _ watch: DevelopmentWatch? = nil
    ) throws(PhotoError) -> Photo {
        let own = try found(request.frames, among: frames), spares = try found(request.spares, among: frames)
        let form = source.format.form(for: request.quality, request.settings)
        let shape = form == .prepared ? try shape(of: own, spares, request) : nil
        var stages = before
        var read: [ReadFrame] = []
        for frame in own {
            pause()
            guard !isCancelled() else { throw .cancelled }
            let bytes = try frame.bytes()
            let content = developer.content(bytes.span.bytes, form: form, shape: shape, times: &stages)
            read.append(ReadFrame(metadata: frame.metadata, content: content))
        }
        var photo = try developer.photo(
            of: request, read, spares: spares, shape: shape, stages: stages,
            watch ?? DevelopmentWatch(isCancelled: isCancelled))
        photo.byteCount = photo.bytes.count
        return photo
    }

    /// The memory available to a photo that is made by `threads` new threads and those of the encoder: the machine's,
    /// or less if the address space is limited.
    static func memory(besideThreads threads: Int) -> Int {
        min(ThreadPool.physicalMemory, AddressSpace.room(besideThreads: threads + ThreadPool.processors))
    }

    /// Refuses a photo that cannot be encoded here, is too large or takes too much memory, before anything is read.
    func admit(_ request: PhotoRequest) throws(PhotoError) {
        if let lack = request.settings.format.lack { throw lack }
        if let problem = source.format.problem(for: request.settings.format) { throw problem }
        let needed = PhotoMemory.developing(request, of: source.format)
        guard needed <= memory else { throw .tooLittleMemory(needed: needed, there: memory) }
    }

    private func found(_ ids: [FrameID], among frames: [UnreadFrame]) throws(PhotoError) -> [UnreadFrame] {
        var found: [UnreadFrame] = []
        for id in ids {
            guard let frame = frames.first(where: { $0.metadata.id == id }) else {
                throw .undecodable("frame \(id) is gone")
            }
            found.append(frame)
        }
        return found
    }

    /// The shape to fuse the frames as, chosen as a session does: from the frame nearest to the moment first.
    private func shape(
        of frames: [UnreadFrame], _ spares: [UnreadFrame], _ request: PhotoRequest
    ) throws(PhotoError) -> FrameShape? {
        guard source.format.pixelFormat.isJPEG else { return FrameShape(raw: source.format) }
        let judge = try FrameJudge()
        let nearest = frames.firstIndex { $0.metadata.id == request.nearest } ?? 0
        let order = frames.indices.sorted { abs($0 - nearest) < abs($1 - nearest) }.map { frames[$0] }
        for frame in order + spares {
            let bytes = try frame.bytes()
            if let shape = judge.shape(of: bytes.span.bytes, in: source.format) { return shape }
        }
        return nil
    }
}

extension KeptDevelopment {
    /// Makes photos of a session's frames, with no more memory than there is.
    package init(of source: SourceDescription, makesThumbnail: Bool = false, isCancelled: @escaping () -> Bool) {
        self.init(
            source: source, level: nil, memory: Self.memory(besideThreads: 0), makesThumbnail: makesThumbnail,
            isCancelled: isCancelled)
    }
}
