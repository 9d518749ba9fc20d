import { readFileSync } from "node:fs";
import vm from "node:vm";

const read = (name) => readFileSync(new URL(`../${name}`, import.meta.url), "utf8");
const source = `(() => {\n${read("errors.js")}${read("card.js")}})();\n${read("standins.js")}`;

/** The classes and members that the bridge takes, as its own table has them. */
const taken = [...source.matchAll(/^\t\t\[(\w+), "([^"]+)"\],$/gm)].map(([, type, names]) => [type, names.split(" ")]);

/** Members of a class of events that answer with what a test says of the event. */
const told = (type) => {
	const [, names] = taken.find(([name]) => name === type);
	const member = (name) =>
		function () {
			if (!this.said) throw new TypeError("Illegal invocation");
			return this.said[name];
		};
	return Object.fromEntries(names.map((name) => [name, member(name)]));
};

const config = {
	nonce: "nonce",
	card: { id: "c1", title: "Card" },
	events: [
		{ name: "move", action: false },
		{ name: "go", action: true },
	],
	theme: { mode: "dark", colors: { canvas: "#102030" } },
	open: true,
	author: { line: 700, column: 7 },
};

/** A realm with as much of a browser in it as the bridge needs to start. Layout is a browser's business and not here. */
export function makeRealm() {
	const realm = {
		sent: [],
		warnings: [],
		reported: [],
		dispatched: [],
		written: "",
		scriptRemoved: false,
		hello: null,
	};
	const listeners = {};
	const timers = [];
	let now = 0;
	const port = { postMessage: (message) => realm.sent.push(JSON.parse(JSON.stringify(message))), onmessage: null };
	const observer = class {
		observe() {}
	};
	const globals = {
		console: { warn: (...words) => realm.warnings.push(words.map(String)) },
		performance: { now: () => now },
		setTimeout: (fn, ms) => timers.push({ at: now + (ms ?? 0), fn }),
		queueMicrotask,
		reportError: (error) => realm.reported.push(error),
		getComputedStyle: () => ({}),
		scrollTo() {},
		TextEncoder,
		Uint8Array,
		ResizeObserver: observer,
		MutationObserver: observer,
		CSSStyleSheet: class {
			replaceSync() {}
		},
		MessageChannel: class {
			port1 = port;
			port2 = {};
		},
		ShadowRoot: class {},
		DocumentFragment: class {},
		Range: class {
			stayed() {}
			appendHTMLUnsafe() {}
			static parseHTMLUnsafe() {}
		},
		HTMLFormElement: class {},
		location: { href: "about:srcdoc" },
		innerHeight: 20,
		innerWidth: 400,
	};
	// The document is loading, and a script of it runs.
	const members = {
		Document: {
			readyState: () => "loading",
			currentScript: () => ({}),
			write: (text) => {
				realm.written += text;
			},
		},
		Element: {
			getAttribute(name) {
				return this.attributes[name] ?? null;
			},
		},
		Event: {
			type() {
				return this.type;
			},
			defaultPrevented() {
				return this.prevented;
			},
			preventDefault() {
				this.prevented = true;
			},
			composedPath() {
				return this.path;
			},
		},
		...Object.fromEntries(
			["ErrorEvent", "PromiseRejectionEvent", "SecurityPolicyViolationEvent"].map((type) => [type, told(type)]),
		),
		FormData: {
			forEach(visit) {
				for (const [name, value] of this.name.entries) visit(value, name);
			},
		},
	};
	for (const [type, names] of taken) {
		if (type === "String") continue;
		globals[type] ??= class {
			constructor(name) {
				this.name = name;
			}
		};
		for (const name of names)
			if (!Object.hasOwn(globals[type].prototype, name))
				Object.defineProperty(globals[type].prototype, name, {
					value: members[type]?.[name] ?? (() => undefined),
					writable: true,
					configurable: true,
				});
	}
	globals.Document.prototype.writeln = () => undefined;
	globals.EventTarget.prototype.addEventListener = (name, fn) => {
		listeners[name] ??= [];
		listeners[name].push(fn);
	};
	globals.EventTarget.prototype.dispatchEvent = ({ name }) => realm.dispatched.push(name);
	Object.defineProperty(globals.MessageEvent.prototype, "data", {
		get() {
			return this.payload;
		},
	});
	for (const name of ["adoptedStyleSheets", "textContent"]) {
		const owner = name === "textContent" ? globals.Node : globals.Document;
		Object.defineProperty(owner.prototype, name, { get() {}, set() {} });
	}
	globals.document = {
		currentScript: {
			remove() {
				realm.scriptRemoved = true;
			},
		},
	};
	const context = vm.createContext(globals);
	context.window = context;
	context.parent = {
		parent: {
			postMessage(message, target, ports) {
				realm.hello = { message: JSON.parse(JSON.stringify(message)), target, ports: ports.length };
			},
		},
	};
	vm.runInContext(source.replace("__INLINE_UI_CONFIG__", JSON.stringify(config)), context);
	return Object.assign(realm, {
		pithagoras: context.pithagoras,
		run: (code) => vm.runInContext(code, context),
		/** What the page says over the port. */
		say(message) {
			const event = Object.create(globals.MessageEvent.prototype);
			event.payload = message;
			event.target = port;
			context.event = event;
			port.onmessage(event);
			context.event = undefined;
			realm.tick(0);
		},
		fire(name, event) {
			for (const fn of listeners[name] ?? []) fn(event);
		},
		tick(ms) {
			now += ms;
			for (const timer of timers.splice(0))
				if (timer.at <= now) timer.fn();
				else timers.push(timer);
		},
	});
}
