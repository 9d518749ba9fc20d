// The card bridge: the first script of a card. Card code is hostile: natives are taken before any runs, and the port to
// the page stays in this closure.
(function (/** @type {import("./types.js").BridgeConfig} */ config) {
	"use strict";
	/** @typedef {any} Any */
	/** @typedef {(this: Any, ...rest: Any[]) => Any} Fn */
	const EVENT_BYTES = 32768;
	const EVENT_DEPTH = 64;
	const HELD_MS = 500;
	const BURST_MS = 16;
	const MEASURE_MS = 32;
	const QUIET_MS = 500;
	const MEASURED = 2000;

	/** @type {Any[]} */
	const [win, doc] = [window, document];
	/** @type {Fn} */
	const uncurry = Function.prototype.bind.bind(Function.prototype.call);
	/** Methods and getters. @type {Record<string, Fn>} */
	const pure = Object.create(null);
	/** @type {Fn} */
	const take = (owner, names) => {
		for (const name of names.split(" ")) {
			const { get, set, value } = /** @type {Any} */ (Object.getOwnPropertyDescriptor(owner, name));
			pure[name] = uncurry(get ?? value);
			if (set) pure[`${name}=`] = uncurry(set);
		}
	};
	/** @type {(owner: Any, names: string, make: (native: Any) => Fn) => void} */
	const replace = (owner, names, make) => {
		for (const name of names.split(" ")) if (Object.hasOwn(owner, name)) owner[name] = make(owner[name]);
	};

	const { create, defineProperty, freeze, keys } = Object;
	const { apply, deleteProperty } = Reflect;
	const { parse, stringify } = JSON;
	const { ceil } = Math;
	const decode = decodeURIComponent;
	const warn = console.warn.bind(console);
	const now = performance.now.bind(performance);
	const later = setTimeout.bind(win);
	const soon = queueMicrotask.bind(win);
	const report = reportError.bind(win);
	const styleOf = getComputedStyle.bind(win);
	const scroll = scrollTo.bind(win);
	const ThemeEvent = Event;
	take(win, "innerHeight innerWidth");
	for (const [owner, names] of [
		[CSSStyleDeclaration, "getPropertyValue"],
		[KeyboardEvent, "key"],
		[Document, "documentElement body readyState currentScript getElementById getAnimations adoptedStyleSheets"],
		[Document, "open write close querySelector"],
		[DOMRectReadOnly, "top bottom"],
		[Element, "matches getAttribute remove scrollIntoView clientHeight scrollHeight"],
		[Element, "querySelectorAll getBoundingClientRect"],
		[Event, "type defaultPrevented preventDefault composedPath"],
		[EventTarget, "addEventListener dispatchEvent"],
		[File, "name"],
		[FormData, "forEach"],
		[HTMLElement, "focus offsetParent"],
		[MessageEvent, "data"],
		[MutationRecord, "addedNodes target"],
		[Node, "nodeType parentElement nextSibling textContent"],
		[NodeList, "length"],
		[String, "charCodeAt indexOf slice"],
		[SubmitEvent, "submitter"],
	])
		take(/** @type {Any} */ (owner).prototype, names);

	doc.currentScript.remove();
	const { port1: port, port2 } = new MessageChannel();
	/** @type {(message: import("./types.js").FromBridge) => void} */
	const post = port.postMessage.bind(port);
	win.parent.parent.postMessage({ type: "inline-ui:hello", nonce: config.nonce }, "*", [port2]);

	let touched = false;
	let closed = !config.open;
	let lastKey = -1000;
	/** @type {Any} */
	let focused;
	let focusedAt = -1000;
	let card = config.card;
	let actions = create(null);
	let refusedAt = 0;
	let [names, theme, latest, refused] = /** @type {Any[]} */ ([]);
	const subscribers = create(null);
	let subscribed = 0;

	const encoder = new TextEncoder();
	const encode = encoder.encodeInto.bind(encoder);
	const room = new Uint8Array(EVENT_BYTES);
	/** @type {Fn} */
	const deeper = (value, depth) => {
		if (value === null || typeof value !== "object") return false;
		if (!depth) return true;
		for (const key in value) if (deeper(value[key], depth - 1)) return true;
		return false;
	};

	// A burst is gathered: thousands of emits a second cost the page little.
	let pending = create(null);
	let gathering = false;
	const flush = () => {
		const batch = pending;
		pending = create(null);
		gathering = false;
		if (!closed) for (const name in batch) post(batch[name]);
	};

	/** @type {Fn} */
	const emit = (name, data = null) => {
		let text;
		let why;
		try {
			text = stringify(data);
		} catch {}
		if (closed) why = "the card is closed";
		else if (typeof name !== "string" || !(name in actions)) why = "the card may not send it";
		else if (!touched && now() - lastKey > HELD_MS) why = "nobody has touched the card yet";
		else if (typeof text !== "string") why = "its data is not JSON";
		else if (encode(text, room).read < text.length) why = `its data is over ${EVENT_BYTES} bytes as JSON`;
		else if (deeper(parse(text), EVENT_DEPTH)) why = `its data is nested deeper than ${EVENT_DEPTH}`;
		if (why) {
			if (name !== refused || now() - refusedAt > 1000) {
				refused = name;
				refusedAt = now();
				warn("pithagoras.emit", name, `was not sent: ${why}`);
			}
			return false;
		}
		if (actions[name]) flush();
		deleteProperty(pending, name);
		pending[name] = { type: "emit", name, data: text, held: !touched };
		if (actions[name]) flush();
		else if (!gathering) {
			gathering = true;
			later(flush, BURST_MS);
		}
		return true;
	};

	/** @type {Fn} */
	const deliver = (subscriber) => {
		if (!latest || latest.n <= subscriber.n) return;
		subscriber.n = latest.n;
		try {
			subscriber.fn(parse(latest.data));
		} catch (error) {
			report(error);
		}
	};

	/** @type {Fn} */
	const onData = (fn) => {
		const key = subscribed++;
		subscribers[key] = { fn, n: -1 };
		soon(() => key in subscribers && deliver(subscribers[key]));
		return () => {
			deleteProperty(subscribers, key);
		};
	};

	/** What the page says over the port. @type {Record<string, Fn>} */
	const hear = {
		open() {
			touched = true;
			// The page may have taken the focus back before it heard of the press.
			if (now() - focusedAt < HELD_MS)
				try {
					pure.focus(focused);
				} catch {}
		},
		closed() {
			closed = true;
		},
		ping({ n }) {
			post({ type: "alive", n });
		},
		card({ title, events }) {
			card = freeze({ id: config.card.id, title });
			actions = create(null);
			for (let i = 0; i < events.length; i++) actions[events[i].name] = events[i].action;
			names = freeze(keys(actions));
		},
		post(message) {
			latest = message;
			for (const key in subscribers) deliver(subscribers[key]);
		},
		theme({ mode, colors }) {
			// The root keeps its frame's scheme: of another it would be opaque.
			themeText = `body{color-scheme:${mode}}:root{color-scheme:${config.theme.mode};`;
			for (const name in colors) {
				const hex = colors[name];
				themeText += `--${name}:${hex};--${name}-rgb:`;
				for (let i = 1; i < 7; i += 2) themeText += `${+`0x${pure.slice(hex, i, i + 2)}`} `;
				themeText += ";";
			}
			themeText += "}";
			theme = freeze({ mode, colors: freeze(colors) });
			if (sheets[0]) pure["textContent="](sheets[0], themeText);
			pure.dispatchEvent(win, new ThemeEvent("pithagoras:theme"));
		},
		sized({ height }) {
			const early = pure.innerHeight(win) !== height;
			before = early ? measure() : reported + echo;
			if (early) since = now();
			if (moving()) changedAt = now();
			awaited = height;
			tries = 0;
			settle();
		},
	};
	port.onmessage = (event) => {
		// Later: while it is handled, `window.event` leads card code to the port.
		const message = pure.data(event);
		later(() => hear[message.type](message));
	};
	/** Theme and base. @type {Any[]} */
	let sheets = [];
	let themeText = "";
	hear.card({ title: config.card.title, events: config.events });
	hear.theme(config.theme);

	defineProperty(win, "pithagoras", {
		enumerable: true,
		value: freeze({
			emit,
			onData,
			get theme() {
				return theme;
			},
			get card() {
				return card;
			},
			get events() {
				return names;
			},
		}),
	});

	/** What the page was told; what is the viewport's doing. */
	let reported = 0;
	let echo = 0;
	/** The announced viewport, while it is not here. */
	let awaited = 0;
	let known = 0;
	/** Full screen changes the width as well: what is the content's doing shows when the width is back. */
	let knownWidth = 0;
	const echoes = create(null);
	let tries = 0;
	let before = 0;
	let lastStep = 0;
	let changedAt = 0;
	let since = 0;
	let fills = false;
	let measuring = false;
	const frameSheet = new CSSStyleSheet();
	const setRules = frameSheet.replaceSync.bind(frameSheet);
	const NO_SCROLL = ":root:root{overflow-y:hidden!important}";
	setRules(NO_SCROLL);

	const measure = () => {
		const root = pure.documentElement(doc);
		const body = pure.body(doc);
		if (!body || !pure.innerWidth(win)) return 0;
		const overflows = pure.scrollHeight(root) > pure.clientHeight(root);
		const origin = pure.top(pure.getBoundingClientRect(root));
		let bottom = overflows ? pure.scrollHeight(root) : pure.bottom(pure.getBoundingClientRect(root)) - origin;
		let above = 0;
		/** @type {(selector: string, visit: Fn) => void} */
		const each = (selector, visit) => {
			const found = pure.querySelectorAll(root, selector);
			for (let i = 0; i < pure.length(found) && i < MEASURED; i++)
				visit(found[i], pure.getBoundingClientRect(found[i]));
		};
		/** @type {Fn} */
		const style = (node, name) => pure.getPropertyValue(styleOf(node), name);
		if (!overflows)
			each("body *:not(svg,svg *)", (node, box) => {
				const low = pure.bottom(box) - origin;
				if (low <= bottom || style(node, "position") !== "absolute") return;
				if ((pure.offsetParent(node) ?? body) === body) bottom = low;
			});
		// What is centred in too small a box sticks out at the top, out of reach.
		each("body>*,body>*>*", (node, box) => {
			const high = pure.top(box) - origin;
			if (high >= above || style(pure.parentElement(node), "overflow-y") !== "visible") return;
			const position = style(node, "position");
			if (position === "static" || position === "relative") above = high;
		});
		// A horizontal scrollbar takes its height from the viewport.
		return ceil(bottom - above) + pure.innerHeight(win) - pure.clientHeight(root);
	};

	const check = () => {
		measuring = false;
		const view = pure.innerHeight(win);
		// A viewport not announced yet is measured when it is.
		if (awaited || (reported && view !== known)) return;
		const height = measure() - echo;
		if (height <= 0 || height === reported) return;
		// As tall as the first viewport: it fills its frame, and the page gives it room.
		fills = !reported && height === view;
		reported = height;
		known = view;
		knownWidth = pure.innerWidth(win);
		since = now();
		post({ type: "height", height });
	};
	const moving = () => pure.getAnimations(doc).length > 0;
	/** @type {Fn} */
	const doubt = (step) => {
		if (moving() || now() - changedAt < QUIET_MS) later(doubt, QUIET_MS, step);
		else {
			echo -= step;
			check();
		}
	};
	const dirty = () => {
		changedAt = now();
		remeasure();
	};
	const remeasure = () => {
		if (!measuring) later(check, MEASURE_MS);
		measuring = true;
	};

	/** What the content does about an announced viewport is no news. */
	const settle = () => {
		if (!awaited) return;
		const view = pure.innerHeight(win);
		// Out of sight, a frame gets its viewport when it comes into sight.
		if ((view > awaited + 1 || view < awaited - 1) && (tries++ < 30 || view === known)) {
			if (tries < 30) later(settle, BURST_MS);
			return;
		}
		const after = measure();
		const width = pure.innerWidth(win);
		const isElsewhere = knownWidth && width !== knownWidth;
		if (isElsewhere) {
			echoes[knownWidth] = echo;
			knownWidth = width;
		}
		if (isElsewhere && width in echoes) echo = echoes[width];
		else if (fills) {
			reported = awaited;
			echo = after - awaited;
		} else if (after && reported) {
			const step = after - before;
			// While the author changes things, a step that repeats is an echo until it is quiet.
			if (changedAt < since && !moving()) echo += step;
			else if (step && step === lastStep) {
				echo += step;
				later(doubt, QUIET_MS, step);
			}
			lastStep = step;
		}
		fills = false;
		// An echo stays in the wheel's reach, without a bar.
		const rest = echo > 1 ? ":root:root{overflow-y:auto!important;scrollbar-width:none!important}" : NO_SCROLL;
		setRules(awaited < reported ? "" : rest);
		awaited = 0;
		known = view;
		check();
	};

	const ENDING = freeze({ __proto__: null, submit: 1, click: 1, auxclick: 1, mousedown: 1 });
	const UNWANTED = "iframe,frame,frameset,object,embed,fencedframe,link[rel*=pre i]";
	const WATCHED = { __proto__: null, subtree: true, childList: true, characterData: true, attributes: true };
	/** @type {Fn} */
	const strip = (node) => {
		if (pure.nodeType(node) !== 1) return;
		if (pure.matches(node, UNWANTED)) return pure.remove(node);
		if (!sheets[1] && pure.matches(node, "head>style")) sheets[sheets.length] = node;
		const found = pure.querySelectorAll(node, UNWANTED);
		for (let i = 0; i < pure.length(found); i++) pure.remove(found[i]);
	};
	const sizes = new ResizeObserver(remeasure);
	const watchSize = sizes.observe.bind(sizes);
	const observer = new MutationObserver((records) => {
		for (let i = 0; i < records.length; i++) {
			const added = pure.addedNodes(records[i]);
			for (let k = 0; k < pure.length(added); k++) strip(added[k]);
			if (!pure.length(added)) strip(pure.target(records[i]));
		}
		if (pure.documentElement(doc)) watchSize(pure.documentElement(doc));
		if (pure.body(doc)) watchSize(pure.body(doc));
		dirty();
	});
	const watch = observer.observe.bind(observer);
	for (const name of "RTCPeerConnection webkitRTCPeerConnection mozRTCPeerConnection".split(" "))
		deleteProperty(win, name);
	// They make shadow roots with frames in them, which the observer does not see.
	for (const type of [Element, DocumentFragment, ShadowRoot, Document, Range])
		for (const owner of [type, type.prototype])
			for (const name of Object.getOwnPropertyNames(owner)) if (/HTMLUnsafe/.test(name)) deleteProperty(owner, name);
	replace(
		Element.prototype,
		"attachShadow",
		(native) =>
			function (init) {
				const root = apply(native, this, [{ ...init, clonable: false }]);
				watch(root, WATCHED);
				// The window does not see what is pressed inside a closed one.
				for (const name in ENDING) pure.addEventListener(root, name, end, false);
				return root;
			},
	);

	// So does the parser. In the stream of what scripts write, each template gets `shadowrootmode` first with a value that
	// means nothing: a second one is ignored. The start of a name waits for its rest; what still waits when the script
	// ends is dropped, for the source behind the script would complete it.
	const TEMPLATE = "<template";
	const OFF = " shadowrootmode=off";
	let waiting = "";
	/** @type {Fn} */
	const shadowless = (text) => {
		let out = "";
		let copied = 0;
		for (let at = pure.indexOf(text, "<"); at >= 0; at = pure.indexOf(text, "<", at + 1)) {
			let end = at + 1;
			while (end - at < TEMPLATE.length && (pure.charCodeAt(text, end) | 32) === pure.charCodeAt(TEMPLATE, end - at))
				end++;
			if (end === text.length) {
				waiting = pure.slice(text, at);
				return out + pure.slice(text, copied, at);
			}
			if (end - at < TEMPLATE.length || pure.indexOf("\t\n\f\r />", text[end]) < 0) continue;
			out += pure.slice(text, copied, end) + OFF;
			copied = end;
		}
		return out + pure.slice(text, copied);
	};

	// A late document.open or write drops everything: styles and listeners are put back first.
	let reopened = false;
	const reopen = () => {
		waiting = "";
		const base = sheets[1] ? pure.textContent(sheets[1]) : "";
		pure.open(doc);
		arm();
		pure.write(doc, "<!doctype html><meta charset=utf-8><style></style><style></style>");
		reopened = true;
		const first = pure.querySelector(doc, "style");
		sheets = [first, pure.nextSibling(first)];
		pure["textContent="](first, themeText);
		pure["textContent="](sheets[1], base);
	};
	replace(Document.prototype, "open", () => () => {
		reopen();
		return doc;
	});
	/** @type {(end: string) => Fn} */
	const writer =
		(end) =>
		(...rest) => {
			let text = "";
			for (let i = 0; i < rest.length; i++) text += `${rest[i]}`;
			if (!reopened && (pure.readyState(doc) !== "loading" || !pure.currentScript(doc))) reopen();
			text = waiting + text + end;
			waiting = "";
			soon(() => {
				waiting = "";
			});
			pure.write(doc, shadowless(text));
		};
	replace(Document.prototype, "write", () => writer(""));
	replace(Document.prototype, "writeln", () => writer("\n"));
	replace(Document.prototype, "close", () => () => {
		reopened = false;
		pure.close(doc);
	});

	replace(HTMLFormElement.prototype, "submit", () => () => warn("submit() does nothing in a card"));

	// Until the person is in the card, nothing in it takes focus or scroll position.
	/** @type {(native: Any) => Fn} */
	const gated = (native) =>
		function (...rest) {
			if (touched) return apply(native, this, rest);
		};
	replace(win, "focus", gated);
	const TAKING =
		"focus select reportValidity requestSubmit show showModal showPopover scrollIntoView scrollIntoViewIfNeeded";
	for (const name of Object.getOwnPropertyNames(win))
		if (/^([A-Z].*)?Element$/.test(name)) replace(win[name].prototype, TAKING, gated);

	// A form that names a declared event is that event.
	const Fields = FormData;
	let composing = false;
	/** @type {Fn} */
	const submitted = (event) => {
		const form = pure.composedPath(event)[0];
		const name = pure.getAttribute(form, "data-event");
		if (composing || name === null) return;
		const fields = create(null);
		pure.forEach(new Fields(form, pure.submitter(event)), (/** @type {Any} */ value, /** @type {string} */ field) => {
			const text = typeof value === "string" ? value : pure.name(value);
			if (!(field in fields)) fields[field] = text;
			else if (typeof fields[field] === "string") fields[field] = [fields[field], text];
			else fields[field][fields[field].length] = text;
		});
		emit(name, fields);
	};

	// After the author's handlers no link leaves the card, not at its press either (Firefox connects), and no form.
	const LEADS_AWAY = ":is(a,area)[*|href]:not([href^='#'])";
	/** @type {Fn} */
	const end = (event, stopped) => {
		if (pure.defaultPrevented(event)) return;
		const type = pure.type(event);
		if (type === "submit") {
			pure.preventDefault(event);
			return submitted(event);
		}
		const pressed = type === "mousedown";
		const links = pressed ? LEADS_AWAY : touched ? "a,area" : "a,area,label";
		const path = pure.composedPath(event);
		for (let i = 0; i < path.length; i++) {
			const node = path[i];
			if (node === win || pure.nodeType(node) !== 1 || !pure.matches(node, links)) continue;
			pure.preventDefault(event);
			const href = pure.getAttribute(node, "href") ?? "";
			if (pressed || href[0] !== "#" || !touched || stopped === true) return;
			const id = decode(pure.slice(href, 1));
			const target = pure.getElementById(doc, id);
			if (target) pure.scrollIntoView(target);
			else if (!id || id === "top") scroll(0, 0);
			return;
		}
	};
	replace(
		Event.prototype,
		"stopPropagation stopImmediatePropagation",
		(native) =>
			function () {
				apply(native, this, []);
				if (pure.type(this) in ENDING) end(this, true);
			},
	);

	let lastActive = -1000;
	/** @type {Fn} */
	const active = (event) => {
		if (!event.isTrusted || !touched || now() - lastActive < 1000) return;
		lastActive = now();
		post({ type: "active" });
	};
	/** @type {Record<string, Fn>} */
	const CAPTURED = {
		...watchErrors(post, take, pure, config.author),
		pointerdown(event) {
			if (!event.isTrusted) return;
			touched = true;
			composing = false;
			post({ type: "pressed" });
			active(event);
		},
		keydown(event) {
			if (event.isTrusted) lastKey = now();
			if (event.isTrusted && pure.key(event) === "Escape") post({ type: "escape" });
			active(event);
		},
		compositionstart(event) {
			composing ||= event.isTrusted;
		},
		compositionend(event) {
			composing &&= !event.isTrusted;
		},
		focusin(event) {
			if (!event.isTrusted) return;
			focused = pure.composedPath(event)[0];
			focusedAt = now();
		},
		input: active,
		wheel: active,
		pagehide(event) {
			flush();
			if (event.isTrusted && !event.persisted) post({ type: "left" });
		},
		visibilitychange: flush,
		DOMContentLoaded: () => soon(check),
		load: remeasure,
		resize() {
			settle();
			remeasure();
		},
		transitionend: dirty,
	};
	// No option objects: Object.prototype is the author's.
	const arm = () => {
		for (const name in CAPTURED) pure.addEventListener(win, name, CAPTURED[name], true);
		for (const name in ENDING) pure.addEventListener(win, name, end, false);
		pure.addEventListener(doc, "load", remeasure, true);
		watch(doc, WATCHED);
		pure["adoptedStyleSheets="](doc, [frameSheet]);
	};
	arm();
})(__INLINE_UI_CONFIG__);
