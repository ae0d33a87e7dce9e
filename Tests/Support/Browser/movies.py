#!/usr/bin/python3
# SPDX-License-Identifier: MIT
# Serves a folder of movies and a page that plays them to a browser, and compares what it saw with what ffprobe says.
# Usage: movies.py PAGE FOLDER. Prints its address, then a line per movie. Fails if one does not play to its end.
import http.server, json, os, subprocess, sys, threading

page, folder = sys.argv[1:]
movies = sorted(name for name in os.listdir(folder) if name.endswith((".mp4", ".webm", ".mkv")))
results, done = [], threading.Event()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        name = self.path.lstrip("/")
        if name == "":
            return self.answer(open(page, "rb").read(), "text/html")
        if name == "movies.json":
            return self.answer(json.dumps(movies).encode(), "application/json")
        if name not in movies:
            return self.send_error(404)
        data = open(f"{folder}/{name}", "rb").read()
        # Browsers seek by asking for ranges.
        wanted = self.headers.get("Range", "").removeprefix("bytes=").split(",")[0].partition("-")
        begin = int(wanted[0]) if wanted[0] else 0
        end = int(wanted[2]) if wanted[2] else len(data) - 1
        self.send_response(206 if self.headers.get("Range") else 200)
        self.send_header("Content-Type", {"mp4": "video/mp4"}.get(name.rpartition(".")[2], "video/webm"))
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Range", f"bytes {begin}-{end}/{len(data)}")
        self.send_header("Content-Length", str(end + 1 - begin))
        self.end_headers()
        try:
            self.wfile.write(data[begin:end + 1])
        except ConnectionError:
            pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        results.append(body) if self.path == "/seen" else done.set()
        self.answer(b"", "text/plain")

    def answer(self, body, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


def probe(name):
    fields = "stream=codec_type,codec_name,width,height:format=duration"
    command = ["ffprobe", "-v", "error", "-show_entries", fields, "-of", "json", f"{folder}/{name}"]
    facts = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    video = next(stream for stream in facts["streams"] if stream["codec_type"] == "video")
    codecs = "+".join(stream["codec_name"] for stream in facts["streams"])
    return codecs, video["width"], video["height"], float(facts["format"].get("duration", "nan"))


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(f"http://127.0.0.1:{server.server_port}/", flush=True)
isDone = done.wait(timeout=120)
failed = not isDone
for result in results:
    codecs, width, height, duration = probe(result["name"])
    faults = [result["error"]] if "error" in result else []
    if not faults:
        if (result["width"], result["height"]) != (width, height):
            faults.append(f"it is {result['width']}x{result['height']}, not {width}x{height}")
        if result["contrast"] < 20:
            faults.append("its picture is of one colour")
        # A movie that a killed program left may not say how long it is.
        if duration == duration and abs(result["end"] - duration) > 0.2:
            faults.append(f"it ended at {result['end']:.2f} s, not {duration:.2f} s")
        if result["end"] < 0.5:
            faults.append(f"it ended at {result['end']:.2f} s")
    end = f"played to {result['end']:.2f} s" if "end" in result else "not played"
    print(f"{result['name']}: {codecs}, {width}x{height}, {end}" + "".join(f"; FAULT: {fault}" for fault in faults))
    failed = failed or bool(faults)
if len(results) != len(movies):
    print(f"FAULT: {len(results)} of {len(movies)} movies were tried", file=sys.stderr)
    failed = True
sys.exit(1 if failed else 0)
