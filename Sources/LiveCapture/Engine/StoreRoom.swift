// SPDX-License-Identifier: MIT
// Writes photos to disk, on threads that may wait for it.

import Fusion
import LivecapDeveloping
import LivecapFiles
import LivecapFrames
import LivecapPhotoStorage
import LivecapThreads
import Synchronization

/// Writes photos that go to a file or library. The number in progress is bounded by that of the shots.
final class StoreRoom: Sendable {
    private struct Delivery: Sendable {
        let shot: Shot
        let photo: Photo
        let goods: Goods?
    }

    private let desk: Desk
    private let deliveries: Deliveries
    private let threads: Guarded<[SystemThread]>

    /// The photos waiting to be written. Separate from the store, so that its threads do not retain the store.
    private final class Deliveries: Sendable {
        let list = Guarded<[Delivery]>([])
        let count = Atomic<Int>(0)
        let isClosed = Atomic<Bool>(false)
        let bell = Doorbell(spinNanoseconds: 0)

        func take() -> Delivery? {
            list.withLock { list in
                guard !list.isEmpty else { return nil }
                count.wrappingSubtract(1, ordering: .relaxed)
                return list.removeFirst()
            }
        }
    }

    /// Two threads: one can wait for the disk to confirm a file while the other writes the next.
    init(_ desk: Desk) throws(SystemShortage) {
        let deliveries = Deliveries()
        self.desk = desk
        self.deliveries = deliveries
        threads = Guarded([])
        for number in 0..<2 {
            let thread = try SystemThread(name: "store \(number + 1)") {
                while true {
                    while let delivery = deliveries.take() { Self.store(delivery, desk) }
                    if deliveries.isClosed.load(ordering: .acquiring) { return }
                    deliveries.bell.wait {
                        deliveries.count.load(ordering: .acquiring) > 0
                            || deliveries.isClosed.load(ordering: .acquiring)
                    }
                }
            }
            threads.withLock { $0.append(thread) }
        }
    }

    /// What goes into a library beside the picture.
    struct Goods: Sendable {
        let request: PhotoRequest
        /// The kept frames, each claimed; if the picture is a proxy, they include those its final is to be made of.
        let kept: [KeptFrame]
        /// Whether the picture is a proxy for one that is made later.
        let isProxy: Bool

        /// Ends the claims to the kept frames.
        func release() { for frame in kept { frame.release() } }
    }

    /// Takes over a photo from its worker. A photo that is not stored anywhere is done.
    func take(_ shot: Shot, _ photo: Photo, _ goods: Goods? = nil) {
        desk.finishDeveloping(shot)
        guard shot.isStored else { return desk.finish(shot, .photo(photo)) }
        deliveries.list.withLock { $0.append(Delivery(shot: shot, photo: photo, goods: goods)) }
        // Pairs with the acquiring load in a store thread that is about to sleep.
        deliveries.count.wrappingAdd(1, ordering: .releasing)
        deliveries.bell.ring()
    }

    deinit { close() }

    /// Writes the remaining photos, and ends the threads.
    func close() {
        deliveries.isClosed.store(true, ordering: .releasing)
        deliveries.bell.ring()
        let left = threads.withLock { threads in
            defer { threads = [] }
            return threads
        }
        for thread in left { thread.join() }
    }

    private static func store(_ delivery: Delivery, _ desk: Desk) {
        if let archive = delivery.shot.archive { return put(delivery, into: archive, desk) }
        let (shot, begun) = (delivery.shot, Timestamp.now)
        var photo = delivery.photo
        guard let files = shot.files else { preconditionFailure("a photo without a place is stored") }
        do throws(FileError) {
            let written = try files.write(
                photo.bytes, beside: photo.plain, number: shot.number, at: photo.taken
            ) {
                shot.isCancelled.load(ordering: .acquiring)
            }
            guard let written else { return desk.finish(shot, .failed(.cancelled)) }
            photo.noteWritten(written)
            let stored = noteStored(&photo, shot, since: begun, desk)
            desk.finish(shot, .photo(photo), stored: stored)
        } catch {
            desk.finish(shot, .failed(.notStored(error)))
        }
    }

    private static func put(_ delivery: Delivery, into archive: Archive, _ desk: Desk) {
        let shot = delivery.shot
        guard let goods = delivery.goods else { preconditionFailure("nobody knows what the photo is made of") }
        // The last chance to cancel: a photo added to the library is announced.
        guard !shot.isCancelled.load(ordering: .acquiring) else {
            goods.release()
            return desk.finish(shot, .failed(.cancelled))
        }
        do throws(LibraryError) {
            try add(delivery.photo, of: shot, goods, to: archive, desk)
            goods.release()
        } catch {
            guard error.isFullDisk, !goods.kept.isEmpty else {
                goods.release()
                return desk.finish(shot, .failed(.notKept(error)))
            }
            shot.noteNotKept(error)
            putAlone(delivery, goods, into: archive, desk)
        }
    }

    /// Adds a photo to the library, and announces it.
    private static func add(
        _ made: Photo, of shot: Shot, _ goods: Goods, to archive: Archive, _ desk: Desk
    ) throws(LibraryError) {
        let begun = Timestamp.now
        var photo = made
        let added = try archive.add(&photo, goods.request, goods.kept, isProxy: goods.isProxy)
        let stored = noteStored(&photo, shot, since: begun, desk)
        if goods.isProxy { desk.finishing?.noteWork() }
        desk.finish(
            shot, goods.isProxy ? .proxy(DeferredPhotoProxy(id: added.id, photo: photo)) : .photo(photo),
            stored: stored)
    }

    /// The disk has no room for a picture and its frames. Makes the photo of the frames, frees their room, and adds the
    /// photo alone. It is made here, because the workers may be gone by now: on one thread, and with the memory of one
    /// worker more than planned.
    private static func putAlone(_ delivery: Delivery, _ goods: Goods, into archive: Archive, _ desk: Desk) {
        let shot = delivery.shot
        var request = goods.request
        request.remark = remark
        var photo: Photo
        do throws(PhotoError) {
            let development = KeptDevelopment(of: desk.description, makesThumbnail: true) {
                shot.isCancelled.load(ordering: .acquiring)
            }
            photo = try development.photo(of: request, goods.kept.map(\.unread), CallersThread())
        } catch {
            goods.release()
            return desk.finish(shot, .failed(error))
        }
        for stage in delivery.photo.stages where ["wait", "queue"].contains(stage.name) {
            photo.took(stage.time, in: stage.name)
        }
        goods.release()
        archive.cutBack()
        do throws(LibraryError) {
            try add(photo, of: shot, Goods(request: request, kept: [], isProxy: false), to: archive, desk)
        } catch {
            desk.finish(shot, .failed(.notKept(error)))
        }
    }

    /// The note of a photo that is stored without the frames that were to be kept.
    static let remark =
        "the library's disk has no room for the source frames: the picture was made at once, and they are not kept"

    /// Records how long storing a photo took, and returns it.
    private static func noteStored(_ photo: inout Photo, _ shot: Shot, since begun: Timestamp, _ desk: Desk) -> Duration
    {
        let stored = Timestamp.now
        photo.took(stored - begun, in: "store")
        desk.trace?.stage("store", of: shot.id.number, from: begun, to: stored)
        return stored - begun
    }
}

extension KeptFrame {
    /// The frame, read from the library's file when a photo needs it.
    var unread: UnreadFrame {
        UnreadFrame(metadata) { () throws(PhotoError) in
            do throws(LibraryError) { return try bytes() } catch { throw .notKept(error) }
        }
    }
}
