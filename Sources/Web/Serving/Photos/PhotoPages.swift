// SPDX-License-Identifier: MIT
// The photos of the library, as pages ask for them.

import Glibc
import LiveCapture
import LivecapDeveloping
import LivecapFrames
import LivecapHTTP
import LivecapIntents
import LivecapPhotoStorage
import LivecapThreads

/// Answers requests for photos. What waits for the disk, and what develops frames, has a queue each.
final class PhotoPages: Sendable {
    private let library: PhotoLibrary
    private let hub: EventHub
    private let usual: PhotoSettings
    private let reading = RequestQueue("photos", threads: 2, waiting: 100)
    /// One picture at a time: each takes the memory of its pixels.
    private let decoding = RequestQueue("decoding", threads: 1, waiting: 100)
    private let archiving = RequestQueue("archives", threads: 1, waiting: 1)
    /// One archive at a time: each takes room on the disk until it is sent.
    private let archives = PhotoArchive.Turn()
    /// One development at a time: each takes all processors, and the memory of its frames.
    private let developing = RequestQueue("developing", threads: 1, waiting: 16)

    /// The maximum number of photos in one answer.
    static let pageLimit = 200

    init(_ library: PhotoLibrary, _ hub: EventHub, _ usual: PhotoSettings) {
        self.library = library
        self.hub = hub
        self.usual = usual
    }

    /// `GET /photos`.
    func list(_ request: HTTPRequest, _ reply: HTTPReply) {
        let limit = request.argument("limit").map { Int($0) ?? 0 } ?? 50
        let (after, group) = (request.argument("after").map { PhotoID($0) }, request.argument("group"))
        guard (1...Self.pageLimit).contains(limit), after != .some(nil), group.map({ PhotoGroup.isID($0) }) ?? true
        else {
            return reply.send(
                .failure(
                    400, "limit is a number from 1 to \(Self.pageLimit), after the number of a photo, group an id",
                    code: "bad-request", hint: "leave them out for the newest photos"))
        }
        // One more than asked for, to know whether there are others.
        var wanted = LibraryPage(limit: limit + 1, after: after ?? nil)
        wanted.group = group
        answer(reply) { [library, wanted] () throws(LibraryError) in
            let photos = try library.photos(wanted)
            // A photo that is removed meanwhile has no account.
            let page = photos.prefix(limit).map { $0.object(try? library.account(of: $0.id)) }
            return .json(.object([("photos", .array(page)), ("more", .bool(photos.count > limit))]))
        }
    }

    /// `/photos/ID` and what is below.
    func photo(_ id: PhotoID, what: Substring?, request: HTTPRequest, reply: HTTPReply) {
        switch (request.method, what) {
        case ("GET", nil), ("HEAD", nil): describe(id, reply)
        case ("DELETE", nil): remove(id, reply)
        case ("POST", "develop"?): develop(id, request, reply)
        case ("POST", "restore"?): restore(id, reply)
        case ("GET", "explain"?): explain(id, reply)
        case ("GET", "frame"?): frame(id, reply)
        case ("GET", let what?), ("HEAD", let what?): show(id, what: String(what), request: request, reply: reply)
        default: reply.send(.wrongMethod)
        }
    }

    private func describe(_ id: PhotoID, _ reply: HTTPReply) {
        answer(reply) { [library] () throws(LibraryError) in
            .json(try library.presentPhoto(id).object(try library.account(of: id)))
        }
    }

    /// Moves a photo to the trash, from which it can be had back.
    private func remove(_ id: PhotoID, _ reply: HTTPReply) {
        answer(reply) { [library, hub] () throws(LibraryError) in
            guard try library.moveToTrash(id) else { throw .noSuchPhoto(id) }
            hub.tell("photo", .object([("id", .integer(id.number)), ("removed", .bool(true))]))
            return HTTPResponse(204)
        }
    }

    /// `POST /photos/ID/restore`: takes a photo out of the trash.
    private func restore(_ id: PhotoID, _ reply: HTTPReply) {
        answer(reply) { [library, hub] () throws(LibraryError) in
            try library.restore(id)
            let object = try library.photo(id).object(try library.account(of: id))
            hub.tell("photo", object)
            return .json(object)
        }
    }

    /// `GET /archive?photos=1-3,7`: their files in one.
    func archive(_ request: HTTPRequest, _ reply: HTTPReply) {
        guard let ids = request.argument("photos").flatMap({ PhotoArchive.ids($0) }) else {
            return reply.send(
                .failure(
                    400, "photos is a list of numbers of photos, at most \(PhotoArchive.maxCount)", code: "bad-request",
                    hint: "give photos=1-3,7"))
        }
        guard let turn = archives.take() else { return reply.send(.archiveIsSent) }
        answer(reply, in: archiving) { [library] () throws(LibraryError) in
            do throws(PhotoArchive.Problem) {
                let file = try PhotoArchive.make(ids, of: library, in: turn)
                // Never a part of it: each part would be of an archive of its own.
                return HTTPResponse(type: "application/zip", .file(file)).with("Cache-Control", "no-store")
                    .with("Content-Disposition", "attachment; filename=\"photos.zip\"")
            } catch {
                switch error {
                case .library(let error): throw error
                case .tooLarge:
                    return .failure(
                        413, "the photos are larger than \(PhotoArchive.maxBytes >> 30) GB", code: "too-large",
                        hint: "ask for fewer of them")
                case .disk(let errno):
                    return .failure(
                        507, "the file cannot be made: \(String(cString: strerror(errno)))", code: "no-space",
                        hint: "ask for fewer photos, or make room on the library's disk")
                }
            }
        }
    }

    private func show(_ id: PhotoID, what: String, request: HTTPRequest, reply: HTTPReply) {
        answer(reply) { [library] () throws(LibraryError) in
            _ = try library.presentPhoto(id)
            switch what {
            case "thumbnail":
                guard let bytes = try library.thumbnail(of: id) else { return .missing("thumbnail") }
                return .jpeg(bytes)
            case "mask":
                guard let bytes = try library.mask(of: id) else { throw .noMask(id) }
                return HTTPResponse(type: StillFormat.png.mediaType, .bytes(bytes))
            case "provenance":
                let account = try library.account(of: id).shownProvenance
                return HTTPResponse(type: "application/json", .bytes(Array(account.utf8)))
            case "proxy":
                return try library.photo(id).isProxy ? self.file(of: id, request) : .missing("proxy")
            case "final":
                let photo = try library.photo(id)
                guard !photo.isProxy else { return .missing("final") }
                guard let text = request.argument("format"), text != photo.format?.rawValue else {
                    return try self.file(of: id, request)
                }
                self.convert(id, to: text, reply)
                return nil
            case "image":
                if request.argument("size") != nil || request.argument("mode") != nil {
                    self.scale(id, request, reply)
                    return nil
                }
                let photo = try library.photo(id)
                if photo.isProxy || photo.format != .heic { return try self.file(of: id, request) }
                // Browsers do not show HEIC.
                let whole = ImageSettings(size: photo.size, format: .jpeg(quality: 95))
                self.decode(id, whole, request, orElse: try library.thumbnail(of: id), reply: reply)
                return nil
            default: return .notFound
            }
        }
    }

    /// The photo's current file. It is compared with the catalogue before all of it is sent; for a part of it, reading
    /// the whole would take longer than sending.
    private func file(of id: PhotoID, _ request: HTTPRequest) throws(LibraryError) -> HTTPResponse {
        let isWhole = !request.isHead && request.header("range") == nil
        let (photo, descriptor) = try library.openFile(of: id, compared: isWhole)
        guard let file = HTTPFile(taking: descriptor) else { throw .missing(photo.path) }
        let type = photo.isProxy ? StillFormat.jpeg.mediaType : photo.format?.mediaType ?? "application/octet-stream"
        let response = file.response(to: request, type: type).with("Cache-Control", "no-cache")
        guard request.argument("download") != nil else { return response }
        return response.with("Content-Disposition", "attachment; filename=\"\(photo.name.inGallery)\"")
    }

    /// `image?size=WxH&mode=fill`: the best picture that there is now, in a size.
    private func scale(_ id: PhotoID, _ request: HTTPRequest, _ reply: HTTPReply) {
        guard let size = request.argument("size").flatMap({ FrameSize($0) }),
            let mode = ContentMode(rawValue: request.argument("mode") ?? ContentMode.fit.rawValue)
        else {
            return reply.send(
                .failure(
                    400, "a size is needed, such as 640x480, and mode is fit or fill", code: "bad-request",
                    hint: "leave both out for the picture in its own size"))
        }
        decode(id, ImageSettings(size: size, mode: mode), request, reply: reply)
    }

    /// Sends a picture made of the photo's file, or another one if that is impossible.
    private func decode(
        _ id: PhotoID, _ settings: ImageSettings, _ request: HTTPRequest, orElse other: [UInt8]? = nil,
        reply: HTTPReply
    ) {
        answer(reply, in: decoding) { [library] () throws(LibraryError) in
            do throws(PhotoError) {
                let response = HTTPResponse.jpeg(try library.image(of: id, settings).bytes)
                guard request.argument("download") != nil else { return response }
                return response.with("Content-Disposition", "attachment; filename=\"photo-\(id).jpg\"")
            } catch { return other.map { .jpeg($0) } ?? .failure(error) }
        }
    }

    /// The photo in another format: developed again from its frames, which gives the same picture.
    private func convert(_ id: PhotoID, to text: String, _ reply: HTTPReply) {
        guard let format = StillFormat(rawValue: text) else {
            return reply.send(
                .failure(
                    400, "'\(text)' is no format of photos", code: "bad-request", hint: "ask for jpeg, heic or png"))
        }
        answer(reply, in: developing) {
            do throws(PhotoError) {
                let photo = try self.made(id) { $0.format = format }.photo
                return HTTPResponse(type: format.mediaType, .bytes(photo.bytes))
                    .with("Content-Disposition", "attachment; filename=\"photo-\(id).\(format.rawValue)\"")
            } catch { return .failure(error) }
        }
    }

    private func explain(_ id: PhotoID, _ reply: HTTPReply) {
        answer(reply, in: developing) { [library] () throws(LibraryError) in
            guard try !library.account(of: id).hidesRoom else { return .hiddenInPhoto }
            do throws(PhotoError) {
                let photo = try self.made(id) { $0.includesExplanation = true }.photo
                return photo.explanation.map { .jpeg($0) } ?? .missing("explanation")
            } catch { return .failure(error) }
        }
    }

    /// The one frame whose moment the photo shows, as it came.
    private func frame(_ id: PhotoID, _ reply: HTTPReply) {
        answer(reply, in: developing) { [library] () throws(LibraryError) in
            guard try !library.account(of: id).hidesRoom else { return .hiddenInPhoto }
            do throws(PhotoError) {
                let photo = try self.made(id) { settings in
                    settings.effects = nil
                    settings.date = nil
                    // A frame as it came cannot be a part of it.
                    settings.quality = settings.zoom == nil ? .single : .speed
                    (settings.frames, settings.laterFrames, settings.format) = (nil, 0, .jpeg)
                }.photo
                return .jpeg(photo.bytes)
            } catch { return .failure(error) }
        }
    }

    /// `POST /photos/ID/develop`: another photo of the same frames.
    private func develop(_ id: PhotoID, _ request: HTTPRequest, _ reply: HTTPReply) {
        let intent: DevelopIntent
        do throws(IntentFault) { intent = try DevelopIntent(body: request.body) } catch {
            return reply.send(.failure(error))
        }
        answer(reply, in: developing) { [library, hub] () throws(LibraryError) in
            let before = try library.photo(id)
            let (photo, request): (Photo, PhotoRequest)
            do throws(PhotoError) {
                (photo, request) = try self.made(id, movedBy: intent.shift ?? 0) { $0 = $0.changed(by: intent) }
            } catch { return .failure(error) }
            var new = NewPhoto(
                tap: before.tap, reference: photo.reference.time,
                taken: before.taken.advanced(by: photo.reference.time - before.reference), format: photo.format,
                size: before.size, qualityAsked: photo.qualityAsked, qualityGiven: photo.qualityGiven,
                request: request.text, provenance: photo.provenance ?? "{}", thumbnail: photo.thumbnail)
            new.mask = photo.mask
            // It can be developed again as well, from the same frames.
            new.sharesFramesOf = id
            let added = try library.addFinished(new, photo.bytes)
            let object = added.object(
                frame: photo.reference.id, framesUsed: photo.used.count,
                hidesRoom: try library.account(of: added.id).hidesRoom)
            hub.tell("photo", object)
            return .json(object, status: 201)
        }
    }

    private func made(
        _ id: PhotoID, movedBy steps: Int = 0, _ change: (inout PhotoSettings) -> Void
    ) throws(PhotoError) -> (photo: Photo, request: PhotoRequest) {
        let burst = try KeptBurst(of: id, in: library)
        var settings = burst.request?.settings ?? usual
        change(&settings)
        if let problem = settings.problem ?? settings.format.lack { throw problem }
        return try burst.made(settings, movedBy: steps, makesThumbnail: true)
    }

    /// Answers with what `body` makes once its turn has come.
    private func answer(
        _ reply: HTTPReply, in queue: RequestQueue? = nil,
        _ body: @escaping @Sendable () throws(LibraryError) -> HTTPResponse?
    ) {
        (queue ?? reading).answer(reply) {
            do throws(LibraryError) { return try body() } catch {
                return .failure(error.isMissing ? 404 : 500, error, code: error.code)
            }
        }
    }
}

extension PhotoLibrary {
    /// A photo that is not in the trash.
    fileprivate func presentPhoto(_ id: PhotoID) throws(LibraryError) -> LibraryPhoto {
        let photo = try photo(id)
        guard photo.removed == nil else { throw .noSuchPhoto(id) }
        return photo
    }
}

extension LibraryError {
    /// Whether there is no such photo, or not this of it.
    fileprivate var isMissing: Bool {
        switch self {
        case .noSuchPhoto, .noMask: true
        default: false
        }
    }
}

extension HTTPResponse {
    fileprivate static func missing(_ what: String) -> HTTPResponse {
        failure(
            404, "the photo has no \(what)", code: "no-\(what)", hint: "ask for its image, which is the best there is")
    }

    fileprivate static let archiveIsSent = failure(
        503, "another archive is being sent", code: "too-busy", hint: "ask again when it has arrived"
    ).with("Retry-After", "5")

    fileprivate static let hiddenInPhoto = failure(
        409, "what is behind people is hidden in this photo: the frames that it is made of are not shown",
        code: "hidden-in-photo", hint: "ask for its image")

    /// Why a photo cannot be made.
    static func failure(_ error: PhotoError) -> HTTPResponse {
        if case .notKept(let library) = error {
            return failure(library.isMissing ? 404 : 500, library, code: library.code)
        }
        return failure(409, error, code: error.code)
    }

    static let wrongMethod = failure(405, "that cannot be done here", code: "wrong-method", hint: "see /openapi.json")
}

extension StillFormat {
    /// Such as `image/jpeg`.
    var mediaType: String { "image/\(rawValue)" }
}
