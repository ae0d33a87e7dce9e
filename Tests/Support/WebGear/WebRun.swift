// SPDX-License-Identifier: MIT
// What `scripts/test-web` gives to the tests that need a browser.

import Foundation

/// The run of tests with a browser.
package enum WebRun {
    /// The folder that keeps screenshots and logs; nil in other runs of the tests.
    package static var folder: String? { ProcessInfo.processInfo.environment["LIVECAP_WEB"] }

    /// Whether tests with a browser are to run, and can.
    package static var hasBrowser: Bool { folder != nil && ChromeDriver.isInstalled }

    /// Why a test with a browser is skipped.
    package static let noBrowser = "needs a browser: make test-web"

    /// Why the checks of accessibility are skipped.
    package static let noAxe = "needs axe-core, which make test-web could not get"

    /// The path of a file that is kept.
    package static func path(_ name: String) -> String {
        URL(filePath: folder ?? NSTemporaryDirectory()).appending(path: name).path
    }
}
