// SPDX-License-Identifier: MIT
// A burst on disk that can be developed again, with other settings or for a slightly earlier or later moment.

import Fusion
import LivecapFiles
import LivecapFrameFiles
import LivecapFrames
import LivecapPhotoStorage
import LivecapStills

/// Frames on disk from which photos can be made again and again: the same frames and settings give the same pixels.
package struct KeptBurst {
    /// The source that delivered the frames, and their format.
    package let source: SourceDescription
    /// The metadata of the frames, oldest first.
    package let frames: [FrameMetadata]
    /// The request of the photo they were kept for; nil for frames of a recording.
    package let request: PhotoRequest?
    private let disk: [UnreadFrame]

    /// Selects the frame whose moment a photo shows.
    package enum Reference: Hashable, Sendable {
        /// For a photo's kept frames, the frame nearest its tap; for other frames, the last.
        case usual
        /// The frame nearest to a time relative to the photo's own frame, or, for other frames, relative to the first
        /// frame. A negative span is earlier.
        case at(Duration)
        /// The given frame.
        case frame(FrameID)
    }

    /// Opens the frames kept for a photo of a library.
    package init(of id: PhotoID, in library: PhotoLibrary) throws(PhotoError) {
        let account: PhotoAccount
        do throws(LibraryError) {
            account = try library.account(of: id)
            guard try library.photo(id).keptFrames > 0 else { throw .noKeptFrames(id) }
        } catch { throw .notKept(error) }
        do throws(PhotoRequestFault) { request = try PhotoRequest(account.request) } catch {
            throw .notKept(
                .damagedCatalogue(
                    library.path, detail: "what is kept of photo \(id)'s settings cannot be used: \(error.reason)"))
        }
        let (source, frames) = try library.diskFrames(of: id, manual: request?.manual)
        self.source = source
        disk = frames.sorted { $0.metadata.id < $1.metadata.id }
        self.frames = disk.map(\.metadata)
    }

    /// Opens the frames of a recording, or of another file of frames.
    package init(_ file: any FrameFile) {
        source = file.description
        request = nil
        disk = (0..<file.frameCount).map { index in
            UnreadFrame(file.metadata(index)) { () throws(PhotoError) in try file.bytes(index) }
        }
        frames = disk.map(\.metadata)
    }

    /// Takes frames of a source, oldest first.
    init(_ source: SourceDescription, _ frames: [UnreadFrame]) {
        self.source = source
        request = nil
        disk = frames
        self.frames = frames.map(\.metadata)
    }

    /// Makes a photo as `made` does, and returns it alone.
    package func photo(
        _ settings: PhotoSettings, of reference: Reference = .usual, movedBy steps: Int = 0,
        threads: Int = ThreadPool.processors, level: KernelLevel? = nil, memory: Int = .max
    ) throws(PhotoError) -> Photo {
        try made(settings, of: reference, movedBy: steps, threads: threads, level: level, memory: memory).photo
    }

    /// Makes a photo and returns it without writing it anywhere, with the request that makes it again of these frames.
    ///
    /// `steps` moves the reference by that many usable frames, back if negative. The photo uses as many earlier frames
    /// as there are, and as many later ones as `settings.laterFrames` allows; for a photo's kept frames, later frames
    /// replace missing earlier ones.
    ///
    /// - Throws: `tooLittleMemory`, before the work begins, if it would take more than `memory` bytes, or more than the
    ///   machine and a limit on the address space leave.
    package func made(
        _ settings: PhotoSettings, of reference: Reference = .usual, movedBy steps: Int = 0,
        threads: Int = ThreadPool.processors, level: KernelLevel? = nil, memory: Int = .max,
        makesThumbnail: Bool = false
    ) throws(PhotoError) -> (photo: Photo, request: PhotoRequest) {
        if let problem = settings.problem { throw problem }
        let asked = try index(of: reference)
        var damaged: [FrameID: Damage] = [:]
        for frame in frames where !frame.isUsable { damaged[frame.id] = frame.damage }
        let development = KeptDevelopment(
            source: source, level: level, memory: min(memory, KeptDevelopment.memory(besideThreads: threads)),
            makesThumbnail: makesThumbnail)
        let pool = ThreadPool(threads: threads)
        // Only reading a frame reveals that it differs from what was recorded; it is then left out like a damaged one.
        while true {
            let request = try request(settings, asked: asked, steps: steps, damaged: damaged)
            try development.admit(request)
            let found = disk.filter { (request.frames + request.spares).contains($0.metadata.id) }
            let own = found.filter { request.frames.contains($0.metadata.id) }
            do throws(DamagedOnDisk) { try check(own) } catch {
                damaged[error.id] = error.damage
                continue
            }
            return (try development.photo(of: request, found, pool), request)
        }
    }

    /// A frame that differs from what was recorded.
    private struct DamagedOnDisk: Error {
        let id: FrameID
        let damage: Damage
    }

    private func check(_ frames: [UnreadFrame]) throws(DamagedOnDisk) {
        // A library's frames are checked against its catalogue, where a difference is an error.
        guard request == nil else { return }
        for frame in frames {
            do throws(PhotoError) { _ = try frame.bytes() } catch .undecodable {
                throw DamagedOnDisk(id: frame.metadata.id, damage: .checksum)
            } catch {
                // A system error is reported when the frame is read again to be developed.
            }
        }
    }

    /// The index of the frame whose moment is wanted.
    private func index(of reference: Reference) throws(PhotoError) -> Int {
        let usual = request.flatMap { request in frames.firstIndex { $0.id == request.nearest } }
        guard let first = frames.first else { throw .noFrame(at: .zero, distance: nil) }
        switch reference {
        case .usual: return usual ?? frames.count - 1
        case .frame(let id):
            guard let index = frames.firstIndex(where: { $0.id == id }) else { throw .noSuchFrame(id) }
            return index
        case .at(let span):
            let moment = (usual.map { frames[$0].time } ?? first.time) + span
            let index = frames.indices.min {
                (frames[$0].time - moment).magnitude < (frames[$1].time - moment).magnitude
            }
            let nearest = index ?? 0
            let distance = (frames[nearest].time - moment).magnitude
            guard distance <= source.interval + .nanoseconds(2) else {
                throw .noFrame(at: moment, distance: distance)
            }
            return nearest
        }
    }

    /// The request for a photo of usable frames of one epoch, around the frame asked for or, if that is damaged, the
    /// nearest.
    func request(
        _ settings: PhotoSettings, asked: Int, steps: Int = 0, damaged: [FrameID: Damage] = [:]
    ) throws(PhotoError) -> PhotoRequest {
        let moment = frames[asked].time
        let usable = frames.indices.filter {
            damaged[frames[$0].id] == nil && frames[$0].id.epoch == frames[asked].id.epoch
        }
        let start = usable.indices.min {
            (frames[usable[$0]].time - moment).magnitude < (frames[usable[$1]].time - moment).magnitude
        }
        guard let start else { throw .noFrame(at: moment, distance: nil) }
        let shown = frames[usable[start]]
        // As a starting point to count from, a frame may be anywhere; as the photo, it has to be that of the moment.
        guard steps != 0 || shown.mayStandIn(for: frames[asked], at: moment, source.interval) else {
            throw .noFrame(at: moment, distance: (shown.time - moment).magnitude)
        }
        let (place, isTooFar) = start.addingReportingOverflow(steps)
        guard !isTooFar, usable.indices.contains(place) else {
            throw .badSettings(
                "not enough frames \(steps < 0 ? "before" : "after") it",
                hint: "there are \(start) before and \(usable.count - 1 - start) after it")
        }
        let demand = settings.demand, count = demand.count
        let maxLater = request == nil ? demand.after : count
        var later = min(demand.after, usable.count - 1 - place)
        let earlier = min(count - 1 - later, place)
        later = min(max(later, count - 1 - earlier), min(maxLater, usable.count - 1 - place))
        let chosen = usable[(place - earlier)...(place + later)].map { frames[$0].id }
        // The file may come from anywhere: its frames need not be in the order of their numbers.
        let counters = chosen.map(\.counter)
        let among = counters.reduce(counters[0], min)...counters.reduce(counters[0], max)
        let reference = frames[usable[place]]
        let isMoved = request?.nearest != reference.id
        let tap = isMoved ? (steps == 0 ? moment : reference.time) : request?.tap ?? moment
        let wall =
            request.map { request in
                request.wallTime.map {
                    $0.advanced(by: tap - request.tap)
                }
            } ?? source.wallTime(of: tap)
        return PhotoRequest(
            shot: request?.shot ?? ShotID(number: 1), settings: settings, tap: tap,
            tapError: isMoved ? .zero : request?.tapError ?? .zero, tapFrame: isMoved ? nil : request?.tapFrame,
            quality: settings.quality, isPrioritized: false, frames: chosen, nearest: reference.id,
            spares: [place - earlier - 1, place + later + 1].filter(usable.indices.contains)
                .map { frames[usable[$0]].id },
            damaged: damaged.filter { among.contains($0.key.counter) }.sorted { $0.key < $1.key }
                .map { PhotoRequest.DamagedFrame(id: $0.key, damage: $0.value) },
            shortage: chosen.count < count
                ? FrameShortage(asked: count, missing: count - chosen.count, reason: .kept) : nil,
            isExposureSettled: request?.isExposureSettled ?? true, manual: reference.manual, wallTime: wall)
    }
}

extension FrameFile {
    /// A frame's bytes. Throws `undecodable` if they differ from what was recorded.
    fileprivate func bytes(_ index: Int) throws(PhotoError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: metadata(index).byteCount)
        let found: FrameMetadata
        do throws(FrameFileError) {
            found = try bytes.withUnsafeMutableBufferPointer { (buffer) throws(FrameFileError) in
                try read(index, into: UnsafeMutableRawBufferPointer(buffer))
            }
        } catch { throw .unreadable(error) }
        guard found.isUsable else { throw .undecodable("it is damaged: \(found.damage.name)") }
        return bytes
    }
}

extension Photo {
    /// Writes the photo to a file, and returns the photo with the file's path in place of its bytes.
    package func written(to files: PhotoFiles) throws(FileError) -> Photo {
        var photo = self
        let written = try files.write(bytes, beside: plain, number: 1, at: taken, unless: { false })
        photo.noteWritten(written)
        return photo
    }
}
