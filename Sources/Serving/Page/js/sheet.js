// SPDX-License-Identifier: MIT
// The options: how photos are made, how the view looks, which camera, and the camera's own controls.

import { $, icon, kept, make, segments, sentence } from "./dom.js";

const qualities = {
    single: ["Single", "The frame as it was, untouched."],
    speed: ["Fast", "One frame, cleaned a little."],
    balanced: ["Balanced", "Up to 8 frames, merged at once."],
    quality: ["Best", "Up to 16 frames. The photo follows when there is time."],
};

/// The sheet and what was chosen on it.
export class Sheet {
    #status = null;
    #controls = make("div");
    #cameras = make("div");
    #pending = new Map();
    quality = kept.get("quality", null);
    format = kept.get("format", null);
    grid = kept.get("grid", false);

    constructor(element, { server, viewfinder, shutter, say }) {
        Object.assign(this, { element, server, viewfinder, shutter, say });
        shutter.timer = kept.get("timer", 0);
        $("options").addEventListener("click", () => this.toggle());
        $("timer").addEventListener("click", () => this.setTimer({ 0: 3, 3: 10, 10: 0 }[shutter.timer] ?? 0));
        element.addEventListener("keydown", event => {
            if (event.key === "Escape") this.toggle(false);
        });
        this.#apply();
    }

    get isOpen() { return !this.element.hidden; }

    toggle(open = !this.isOpen) {
        if (open === this.isOpen) return;
        this.element.hidden = !open;
        document.body.classList.toggle("sheet", open);
        $("options").ariaExpanded = String(open);
        if (open) {
            this.build();
            this.element.querySelector("button").focus({ preventScroll: true });
        } else {
            $("options").focus({ preventScroll: true });
        }
        this.viewfinder.fit();
    }

    setTimer(timer) {
        this.shutter.timer = timer;
        kept.set("timer", timer);
        this.#apply();
        if (this.isOpen) this.build(false);
    }

    setGrid(grid) {
        this.grid = grid;
        kept.set("grid", grid);
        this.#apply();
        if (this.isOpen) this.build(false);
    }

    set status(status) {
        const other = this.#status?.camera?.id !== status.camera?.id;
        this.#status = status;
        if (!status.qualities?.includes(this.quality)) this.quality = null;
        if (!status.formats?.includes(this.format)) this.format = null;
        if (this.isOpen) this.build(other);
    }

    /// What every shot asks for.
    get wishes() {
        return { ...this.quality && { quality: this.quality }, ...this.format && { format: this.format } };
    }

    #apply() {
        const { timer } = this.shutter, button = $("timer");
        button.querySelector("b").textContent = timer || "";
        button.ariaPressed = String(timer > 0);
        button.ariaLabel = timer ? `Self timer: ${timer} seconds` : "Self timer: off";
        $("picture").classList.toggle("grid", this.grid);
    }

    build(isFresh = true) {
        const status = this.#status ?? {}, { viewfinder } = this;
        const focused = document.activeElement?.closest?.("#sheet") && document.activeElement.name && [document.activeElement.name, document.activeElement.value];
        const chosen = this.quality ?? status.quality, note = make("p", { className: "note" }, qualities[chosen]?.[1] ?? "");
        const toggle = (words, checked, change) => make("label", { className: "row" }, make("span", {}, words),
            make("input", { type: "checkbox", role: "switch", name: words, checked, onchange: event => change(event.target.checked) }));
        const zoom = make("input", { type: "range", name: "zoom", min: 0, max: 3, step: 0.01, value: Math.log2(viewfinder.zoom.factor), ariaLabel: "Zoom" });
        zoom.oninput = () => viewfinder.set({ ...viewfinder.zoom, factor: 2 ** zoom.value });
        this.zoom = zoom;
        this.element.replaceChildren(
            make("header", {}, make("h2", {}, "Options"), make("button", { className: "round", ariaLabel: "Close the options", onclick: () => this.toggle(false) }, icon("close"))),
            segments("Quality", status.qualities ?? [], chosen, value => {
                this.quality = value;
                kept.set("quality", value);
                note.textContent = qualities[value]?.[1] ?? "";
            }, value => qualities[value]?.[0] ?? value), note,
            segments("Format", status.formats ?? [], this.format ?? status.formats?.[0], value => {
                this.format = value;
                kept.set("format", value);
            }, value => value.toUpperCase()),
            segments("Self timer", [0, 3, 10], this.shutter.timer, value => {
                this.shutter.timer = value;
                kept.set("timer", value);
                this.#apply();
            }, value => value ? `${value} s` : "Off"),
            make("label", { className: "row slide" }, make("span", {}, "Zoom"), zoom),
            segments("Turn the view", [0, 90, 180, 270], viewfinder.view.angle, angle => viewfinder.turn({ ...viewfinder.view, angle }), value => `${value}°`),
            toggle("Mirror the view", viewfinder.view.mirrored, mirrored => viewfinder.turn({ ...viewfinder.view, mirrored })),
            toggle("Grid", this.grid, grid => {
                this.grid = grid;
                kept.set("grid", grid);
                this.#apply();
            }),
            this.#cameras, this.#controls,
            make("p", { className: "note" }, "Keys: space takes a photo, ← and → go back and forth in time, L live, + and − zoom, T timer, G grid, P photos, O options."),
            make("p", { className: "note" }, [status.name && `${status.name} ${status.version}`, status.library && `Photos are kept in ${status.library}`].filter(Boolean).join(" · ")));
        if (isFresh) Promise.all([this.#buildCameras(), this.#buildControls()]);
        if (focused) [...this.element.querySelectorAll("input")].find(input => input.name === focused[0] && input.value === focused[1])?.focus();
    }

    async #buildCameras() {
        const status = this.#status ?? {};
        const { cameras = [] } = await this.server.get("/cameras").catch(() => ({}));
        const inUse = cameras.find(camera => camera.id === status.camera?.id) ?? cameras.find(camera => camera.inUse);
        const option = (value, words, selected) => make("option", { value, selected }, words);
        const row = (words, options, change) => make("label", { className: "row" }, make("span", {}, words),
            make("select", { disabled: !status.canSwitch, onchange: event => change(event.target.value) }, ...options));
        const rows = [make("h3", {}, "Camera")];
        if (!cameras.length || !status.canSwitch) {
            const { format = {} } = status;
            rows.push(make("p", { className: "note" }, `${status.camera?.name ?? "No camera"}, ${format.width} × ${format.height}, ${Math.round(format.fps)} per second`));
        } else {
            const others = inUse ? [] : [option("", status.camera?.name ?? "Choose …", true)];
            rows.push(row("Camera", [...others, ...cameras.map(camera => option(camera.id, camera.name, camera === inUse))], id => id && this.#switch({ id })));
            const formats = (inUse?.formats ?? []).flatMap(({ fps = [], ...format }) => fps.map(fps => ({ ...format, fps })));
            if (formats.length) {
                const is = ({ format, width, height, fps }) => format === status.format?.pixelFormat && width === status.format.width
                    && height === status.format.height && Math.abs(fps - status.format.fps) < 0.5;
                const known = formats.some(is) ? [] : [option("", "As it is", true)];
                rows.push(row("Picture", [...known, ...formats.map((format, index) =>
                    option(index, `${format.width} × ${format.height}, ${Math.round(format.fps)}/s, ${format.format}`, is(format)))],
                value => value !== "" && this.#switch({ id: inUse.id, ...formats[value] })));
            }
        }
        this.#cameras.replaceChildren(...rows);
    }

    async #switch(choice) {
        this.say("Switching the camera");
        try {
            await this.server.send("/cameras", choice);
        } catch (error) {
            this.say(sentence(error));
            this.#buildCameras();
        }
    }

    async #buildControls() {
        const { controls = [] } = await this.server.get("/controls").catch(() => ({}));
        const focused = this.#controls.contains(document.activeElement) ? document.activeElement.name : null;
        const isSettable = control => control.kind !== "button" && !control.inactive;
        const isChanged = control => isSettable(control) && control.default != null && control.value !== control.default;
        this.#controls.replaceChildren(...controls.length ? [
            make("h3", {}, "Controls", make("button", {
                className: "link", disabled: !controls.some(isChanged),
                onclick: async () => {
                    for (const control of controls.filter(isChanged)) await this.#set(control.key, control.default, false);
                    this.#buildControls();
                },
            }, "Reset all")),
            ...controls.map(control => this.#control(control, isChanged(control))),
        ] : []);
        if (focused) this.#controls.querySelector(`[name="${CSS.escape(focused)}"]`)?.focus();
    }

    #control({ key, name, kind, minimum, maximum, step, value, default: usual, inactive, items = {} }, isChanged) {
        const output = make("output", {}, kind === "integer" ? String(value) : "");
        const set = value => this.#set(key, value, kind !== "integer");
        const shared = { name: key, disabled: inactive };
        const input = {
            integer: () => make("input", {
                ...shared, type: "range", min: minimum, max: maximum, step: step || 1, value,
                oninput: event => { output.textContent = event.target.value; set(Number(event.target.value)); },
                onchange: () => this.#buildControls(),
            }),
            boolean: () => make("input", { ...shared, type: "checkbox", role: "switch", checked: Boolean(value), onchange: event => set(event.target.checked ? 1 : 0) }),
            menu: () => make("select", { ...shared, onchange: event => set(Number(event.target.value)) },
                ...Object.entries(items).map(([index, words]) => make("option", { value: index, selected: Number(index) === value }, words))),
            button: () => make("button", { ...shared, className: "plain", onclick: () => set(1), ariaLabel: name }, "Do it"),
        }[kind]?.();
        if (!input) return "";
        const reset = make("button", {
            className: "reset", ariaLabel: `Reset ${name}`, title: "Reset", disabled: !isChanged,
            onclick: () => this.#set(key, usual, true),
        }, icon("reset"));
        return make("div", { className: `row ${kind === "integer" ? "slide" : ""}` },
            make("label", {}, make("span", {}, name, " ", output), input), kind === "button" ? "" : reset);
    }

    // While one value is on its way, only the last of those that follow is kept.
    async #set(key, value, rebuild) {
        const isSending = this.#pending.has(key);
        this.#pending.set(key, value);
        if (isSending) return;
        try {
            for (let sent; sent !== this.#pending.get(key);) {
                sent = this.#pending.get(key);
                await this.server.send("/controls", { key, value: sent });
            }
        } catch (error) {
            this.say(sentence(error));
            rebuild = true;
        }
        this.#pending.delete(key);
        if (rebuild) this.#buildControls();
    }
}
