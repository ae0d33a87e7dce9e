#!/usr/bin/python3
# SPDX-License-Identifier: MIT
# Gives a browser a page to show and the cameras of PipeWire, and keeps the pictures that the page takes of one.
#
# Browsers ask the desktop's portal for cameras (org.freedesktop.portal.Camera). This is one that always says yes.
# Usage: portal.py PAGE FOLDER, on a session bus of its own. Prints its address; then what the page saw, as JSON.
import base64, http.server, os, socket, sys, threading
import dbus, dbus.lowlevel, dbus.mainloop.glib, dbus.service
from gi.repository import GLib

CAMERA = "org.freedesktop.portal.Camera"
PROPERTIES = "org.freedesktop.DBus.Properties"
page, folder = sys.argv[1:]
loop = GLib.MainLoop()
status = 1


class Portal(dbus.service.Object):
    @dbus.service.method(CAMERA, in_signature="a{sv}", out_signature="o", sender_keyword="sender")
    def AccessCamera(self, options, sender):
        token = options.get("handle_token", "token")
        request = f"/org/freedesktop/portal/desktop/request/{sender[1:].replace('.', '_')}/{token}"

        def grant():
            answer = dbus.lowlevel.SignalMessage(request, "org.freedesktop.portal.Request", "Response")
            answer.set_destination(sender)
            answer.append(dbus.UInt32(0), dbus.Dictionary({}, signature="sv"), signature="ua{sv}")
            self.connection.send_message(answer)

        # Once the browser knows the request.
        GLib.timeout_add(50, grant)
        return dbus.ObjectPath(request)

    @dbus.service.method(CAMERA, in_signature="a{sv}", out_signature="h")
    def OpenPipeWireRemote(self, options):
        remote = socket.socket(socket.AF_UNIX)
        remote.connect(os.environ["XDG_RUNTIME_DIR"] + "/pipewire-0")
        return dbus.types.UnixFd(remote.detach())

    def properties(self, interface):
        known = {"version": dbus.UInt32(1)}
        return known | ({"IsCameraPresent": dbus.Boolean(True)} if interface == CAMERA else {})

    @dbus.service.method(PROPERTIES, in_signature="ss", out_signature="v")
    def Get(self, interface, name):
        return self.properties(interface)[name]

    @dbus.service.method(PROPERTIES, in_signature="s", out_signature="a{sv}")
    def GetAll(self, interface):
        return dbus.Dictionary(self.properties(interface), signature="sv")


class Page(http.server.BaseHTTPRequestHandler):
    def answer(self, code, body=b""):
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.answer(200, open(page, "rb").read()) if self.path.split("?")[0] == "/" else self.answer(404)

    def do_POST(self):
        global status
        name, body = self.path[1:], self.rfile.read(int(self.headers["Content-Length"]))
        # Only then answered: the page goes on, and the end ends everything.
        if name.endswith(".png"):
            with open(os.path.join(folder, os.path.basename(name)), "wb") as picture:
                picture.write(base64.b64decode(body))
            return self.answer(200)
        print(body.decode(), flush=True)
        self.answer(200)
        status = 0 if name == "done" else 1
        GLib.idle_add(loop.quit)

    def log_message(self, *_):
        pass


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
name = dbus.service.BusName("org.freedesktop.portal.Desktop", dbus.SessionBus())
portal = Portal(dbus.SessionBus(), "/org/freedesktop/portal/desktop")
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(f"http://127.0.0.1:{server.server_port}/", flush=True)
loop.run()
sys.exit(status)
