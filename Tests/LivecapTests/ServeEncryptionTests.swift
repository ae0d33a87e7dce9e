// SPDX-License-Identifier: MIT
// `livecap serve` with a certificate.

import Foundation
import Glibc
import LivecapPatience
import Testing

@testable import livecap

@Suite struct ServeEncryptionTests {
    private let files: Scratch

    init() throws { files = try Scratch() }

    /// Makes a certificate of 127.0.0.1 and its key, as `NAME.crt` and `NAME.key`.
    private func makeIdentity(_ name: String) throws {
        let status = try run(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                "-subj", "/CN=livecap", "-addext", "subjectAltName=IP:127.0.0.1",
                "-keyout", files.path("\(name).key"), "-out", files.path("\(name).crt"),
            ])
        try #require(status == 0)
    }

    private func serve(_ certificate: String, _ key: String) throws -> RunningLivecap {
        try RunningLivecap([
            "serve", "--synthetic", "tripod:prerender=2", "--size", "64x48", "--format", "MJPG", "--listen", "0",
            "--library", files.path("library"), "--certificate", files.path(certificate), "--key", files.path(key),
            "--token-file", files.path("token"), "--json", "--always-on",
        ])
    }

    /// A client that trusts this certificate alone: it watches frames, takes one, and keeps the token as a cookie.
    private static let client = """
        import http.client, json, ssl, struct, sys
        address, token = sys.argv[2].rsplit(':', 1), sys.argv[3]
        trust = ssl.create_default_context(cafile=sys.argv[1])
        def ask(method, target, body=None, **headers):
            connection = http.client.HTTPSConnection(address[0], int(address[1]), timeout=60, context=trust)
            connection.request(method, target, body, headers)
            return connection.getresponse()
        assert ask('GET', '/status').status == 401
        link = ask('GET', '/?token=' + token)
        assert link.status == 303 and link.headers['Set-Cookie'].endswith('; Secure'), link.headers
        cookie = link.headers['Set-Cookie'].split(';')[0]
        status = ask('GET', '/status', Cookie=cookie)
        assert status.status == 200
        frames = ask('GET', '/frames', Cookie=cookie)
        seen = []
        while len(seen) < 20:
            magic, epoch, counter, time, count, *size = struct.unpack('<4sIQqIHHI', frames.read(36))
            assert magic == b'LCF1', magic
            picture = frames.read(count)
            if count:
                assert picture[:2] + picture[-2:] == b'\\xff\\xd8\\xff\\xd9'
                seen.append(counter)
        assert seen == sorted(set(seen)), seen
        body = json.dumps({'frame': '%d:%d' % (epoch, counter), 'quality': 'single'})
        shot = ask('POST', '/shots', body, Cookie=cookie,
                   **{'Livecap-Proof': json.load(status)['proof'], 'Content-Type': 'application/json'})
        assert shot.status == 202, shot.read()
        """

    @Test func framesAndShotsAreEncrypted() throws {
        try makeIdentity("good")
        chmod(try files.write(Array("a-token-of-25-characters-".utf8), to: "token"), 0o600)
        let program = try serve("good.crt", "good.key")
        try eventually("the address") { program.output.hasSuffix("\n") }
        let object = try JSONSerialization.jsonObject(with: Data(program.output.utf8)) as? [String: Any]
        let (address, token) = (object?["listen"] as? String, object?["token"] as? String)
        let script = try files.write(Array(Self.client.utf8), to: "client.py")
        let arguments = [script, files.path("good.crt"), try #require(address), try #require(token)]
        let command = "exec /usr/bin/python3 \"$@\" 2>'\(files.path("errors"))'"
        #expect(try run("/bin/sh", ["-c", command, "sh"] + arguments) == 0, "\(files.text("errors"))")
        program.signal(SIGINT)
        #expect(program.finish().status == 0)
    }

    @Test(arguments: [("good.crt", "other.key"), ("nonsense", "good.key"), ("good.crt", "nonsense")])
    func whatDoesNotFitIsRefused(_ certificate: String, _ key: String) throws {
        try makeIdentity("good")
        try makeIdentity("other")
        _ = try files.write(Array("no certificate".utf8), to: "nonsense")
        let outcome = try serve(certificate, key).finish()
        #expect(outcome.status == 65)
        let object = try outcome.object
        #expect(object["code"] as? String == "bad-certificate")
        #expect(object["listen"] == nil)
    }
}
