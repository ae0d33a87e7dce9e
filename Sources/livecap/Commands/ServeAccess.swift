// SPDX-License-Identifier: MIT
// Where a viewfinder listens, and what those who view must know.

import Glibc
import LivecapCommandTable
import LivecapFiles
import LivecapFrameFiles
import LivecapHTTP
import LivecapIntents
import LivecapServing
import LivecapThreads

/// The socket, the token and the certificate of a command line.
struct ServeAccess {
    let socket: Int32
    let address: HTTPAddress
    /// Nil if everybody who reaches the address may view.
    let token: String?
    let identity: HTTPServer.Identity?
    private let names: [String]
    private let tokenFile: String?

    /// Takes the socket that a service manager has opened, or listens: a port in use is found before the camera is
    /// opened.
    init(_ arguments: Arguments) throws(Failure) {
        guard let usual = HTTPAddress(ServeOptions.usualAddress) else { preconditionFailure("an address") }
        let handed = try attempt { () throws(HTTPError) in try HandedSocket.take() }
        let wished = handed.flatMap { HTTPAddress(of: $0) } ?? arguments[ServeOptions.listen] ?? usual
        if handed != nil, arguments.contains(ServeOptions.listen) {
            Console.note("note: --listen is not used, because a socket was handed over: \(wished)")
        }
        token = try Self.token(arguments, isNeeded: !wished.isLoopback)
        tokenFile = token == nil ? nil : arguments[ServeOptions.tokenFile]
        identity = try Self.identity(arguments)
        names = arguments.all(ServeOptions.name)
        if let handed { socket = handed } else { socket = try attempt { () throws(HTTPError) in try wished.listen() } }
        address = HTTPAddress(of: socket) ?? wished
    }

    private static func token(_ arguments: Arguments, isNeeded: Bool) throws(Failure) -> String? {
        if arguments[ServeOptions.open] { return nil }
        guard let path = arguments[ServeOptions.tokenFile] else { return isNeeded ? Gatekeeper.secret() : nil }
        if access(path, F_OK) == 0 { return try kept(at: path) }
        let token = Gatekeeper.secret()
        let isKept = try creating { () throws(FileError) in
            let before = umask(0o077)
            defer { umask(before) }
            var file = try TemporaryFile.holding(
                Array((token + "\n").utf8), in: path.folderPath, for: path, FileCalls())
            return try file.takeName(path, mayReplace: false)
        }
        // Another server may have been first.
        return isKept ? token : try kept(at: path)
    }

    /// The token that a file holds.
    private static func kept(at path: String) throws(Failure) -> String {
        var status = stat()
        // A pipe is nobody else's.
        if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
            guard status.st_mode & 0o066 == 0 else {
                throw .pictures(
                    "other users can read or write the token in \(path)",
                    hint:
                        "run 'chmod 600 \(path)'; if they may have read it, remove the file, and another token is made")
            }
            // Root, who may hand over a secret, reads everything anyway.
            guard [geteuid(), 0].contains(status.st_uid) else {
                throw .pictures(
                    "the token in \(path) belongs to another user, who can read it",
                    hint: "name a file of your own; one that is missing is made")
            }
        }
        let bytes = try attempt { () throws(FrameFileError) in try wholeFile(path, atMost: 4096) }
        let line = (bytes ?? []).split(whereSeparator: { [0x0A, 0x0D].contains($0) })
        let text = line.count == 1 ? String(decoding: line[0], as: UTF8.self) : ""
        guard text.utf8.count >= 16, text.utf8.allSatisfy({ Self.isPlain($0) }) else {
            throw .pictures(
                "\(path) holds no token of 16 letters and digits or more",
                hint: "remove it, and it is made again; or write a long random one into it")
        }
        return text
    }

    /// Whether a byte means itself in a URL and in a cookie.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            || [0x2D, 0x5F].contains(byte)
    }

    private static func identity(_ arguments: Arguments) throws(Failure) -> HTTPServer.Identity? {
        guard let certificate = arguments[ServeOptions.certificate], let key = arguments[ServeOptions.key] else {
            return nil
        }
        func text(_ path: String) throws(Failure) -> String {
            let bytes = try attempt { () throws(FrameFileError) in try wholeFile(path, atMost: 1 << 20) }
            return String(decoding: bytes ?? [], as: UTF8.self)
        }
        return HTTPServer.Identity(key: try text(key), certificate: try text(certificate))
    }

    /// The link that opens the page.
    var link: String { address(with: token.map { "?token=\($0)" } ?? "") }

    private func address(with query: String) -> String {
        // Phones seldom know the names of machines.
        let name = names.first ?? HTTPAddress.ofThisMachine ?? Gatekeeper.machineName
        let host = address.isEvery ? "\(name):\(address.port)" : "\(address)"
        return "\(identity == nil ? "http" : "https")://\(host)/\(query)"
    }

    /// Says where the page of a run is: as `announce` does, without the token in a journal.
    func note(_ page: ServedPage?, isService: Bool) {
        if isService, let tokenFile {
            let words = "to which '?token=' and the token of \(tokenFile) belong"
            return Console.note("browsers find it at \(address(with: "")), \(words)")
        }
        Console.note("browsers find it at \(link)")
        note(page)
    }

    /// Says what can be typed instead of the link's token.
    private func note(_ page: ServedPage?) {
        if let code = page?.viewfinder.gatekeeper.code {
            Console.note("or open \(address(with: "")) and enter \(code.words)")
        }
    }

    /// Says where the page is. What a service says goes into the journal, which more people read than may view: the
    /// token stays in its file.
    func announce(
        _ source: String, of page: ServedPage, isService: Bool, _ console: inout Console
    ) throws(Failure) {
        let file = isService ? tokenFile : nil
        let url = file == nil ? link : address(with: "")
        if console.writesJSON {
            try console.print(
                .object([
                    ("url", .string(url)), ("listen", .string("\(address)")),
                    ("token", JSON(file == nil ? token : nil)), ("source", .string(source)),
                ]))
        } else {
            try console.print(url)
        }
        try console.flush()
        if let file {
            return Console.note("\(source) is at the link above, to which '?token=' and the token of \(file) belong")
        }
        if !address.isLoopback { Console.show(LinkCode(link)) }
        Console.note("\(source) is at the link above; \(Interruption.howToEnd) ends it")
        note(page)
    }
}
