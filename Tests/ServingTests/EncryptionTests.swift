// SPDX-License-Identifier: MIT
// Which encryption a server offers, as OpenSSL sees it.

import Foundation
import LivecapHTTP
import LivecapProcesses
import LivecapWebGear
import Testing

@Suite struct EncryptionTests {
    private static func openssl(_ arguments: [String]) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = arguments
        let output = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.awaitEnd()
        return (process.terminationStatus, text)
    }

    /// A certificate of that kind of key, made by OpenSSL.
    private static func identity(_ kind: [String]) throws -> HTTPServer.Identity {
        let folder = FileManager.default.temporaryDirectory.appending(path: "livecap-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (key, certificate) = (folder.appending(path: "key"), folder.appending(path: "certificate"))
        let made = try openssl(
            ["req", "-x509", "-newkey"] + kind + [
                "-nodes", "-days", "2", "-subj", "/CN=livecap", "-keyout", key.path, "-out", certificate.path,
            ])
        try #require(made.status == 0)
        return HTTPServer.Identity(
            key: try String(contentsOf: key, encoding: .utf8),
            certificate: try String(contentsOf: certificate, encoding: .utf8))
    }

    /// What was agreed on, such as `TLSv1.3 TLS_AES_256_GCM_SHA384`; nil if nothing was.
    private static func agreement(_ port: UInt16, _ wishes: [String]) throws -> String? {
        let outcome = try openssl(["s_client", "-connect", "127.0.0.1:\(port)"] + wishes)
        let line = outcome.output.split(separator: "\n").first { $0.hasPrefix("New, ") } ?? ""
        guard outcome.status == 0, !line.contains("(NONE)") else { return nil }
        return String(line)
    }

    @Test("Only TLS 1.2 and 1.3 are offered, with ciphers that authenticate and keys that last for one connection")
    func onlySoundEncryptionIsOffered() throws {
        // What OpenSSL would otherwise not even ask for.
        let old = ["-cipher", "ALL:@SECLEVEL=0"]
        for kind in [["ec", "-pkeyopt", "ec_paramgen_curve:P-256"], ["rsa:2048"]] {
            let name = kind[0] == "ec" ? "ECDSA" : "RSA"
            guard let address = HTTPAddress("127.0.0.1:0") else { throw WireError.malformed("address") }
            let socket = try address.listen()
            let port = HTTPAddress(of: socket)?.port ?? 0
            let server = try HTTPServer(at: socket, identity: try Self.identity(kind)) { $1.send(HTTPResponse(204)) }
            defer { server.close() }
            for version in ["-tls1", "-tls1_1"] {
                #expect(try Self.agreement(port, [version] + old) == nil, "\(version)")
            }
            let refused = [
                "ECDHE-\(name)-AES128-SHA", "ECDHE-\(name)-AES256-SHA", "ECDHE-\(name)-AES128-SHA256",
                "ECDHE-\(name)-AES256-SHA384", "AES128-SHA", "AES128-GCM-SHA256", "CAMELLIA128-SHA", "DES-CBC3-SHA",
            ]
            for cipher in refused {
                #expect(try Self.agreement(port, ["-tls1_2", "-cipher", "\(cipher):@SECLEVEL=0"]) == nil, "\(cipher)")
            }
            for cipher in ["AES128-GCM-SHA256", "AES256-GCM-SHA384", "CHACHA20-POLY1305"] {
                let agreed = try Self.agreement(port, ["-tls1_2", "-cipher", "ECDHE-\(name)-\(cipher)"])
                #expect(agreed?.contains(cipher) == true, "\(cipher): \(agreed ?? "nothing")")
            }
            #expect(try Self.agreement(port, ["-tls1_3"])?.contains("TLSv1.3") == true)
        }
    }
}
