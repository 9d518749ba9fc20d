import { clock } from "./debounce.js";

const HELD_MS = 500;
const TAB_MS = 400;
const POLL_MS = 10;
const BOUNCES = 6;

/** @type {import("./types.js").MakeGate} */
export const makeGate = (deliver, opened, time = clock) => {
	const held = new Set();
	/** @type {import("./types.js").Gate} */
	const gate = {
		isOpen: false,
		bouncedAt: -HELD_MS,
		open() {
			if (gate.isOpen) return;
			gate.isOpen = true;
			opened(time.now() - gate.bouncedAt < HELD_MS);
			for (const emit of held) deliver(emit);
			held.clear();
		},
		take(emit) {
			if (gate.isOpen) deliver(emit);
			else if (emit.held) {
				held.add(emit);
				time.setTimeout(() => held.delete(emit), HELD_MS);
			}
			return gate.isOpen || emit.held;
		},
	};
	return gate;
};

const watched = new Map();
const positions = new Map();
/** @type {any} */
let last;
let lastTab = -TAB_MS;
let poll = 0;

/** @type {import("./types.js").Guard} */
export const guard = (frame, gate, suspend) => {
	if (!watched.size) {
		poll = setInterval(look, POLL_MS);
		addEventListener("keydown", sawKey, true);
		addEventListener("focusin", sawFocus, true);
	}
	const scrollers = new Set();
	for (let node = parentOf(frame); node; node = parentOf(node)) scrollers.add(node);
	watched.set(frame, { gate, suspend, scrollers, bounces: 0 });
	return () => {
		watched.delete(frame);
		if (watched.size) return;
		clearInterval(poll);
		removeEventListener("keydown", sawKey, true);
		removeEventListener("focusin", sawFocus, true);
		positions.clear();
	};
};

/** @type {(event: KeyboardEvent) => void} */
const sawKey = (event) => {
	if (!event.isTrusted || event.key !== "Tab") return;
	lastTab = clock.now();
	setTimeout(() => event.defaultPrevented && sawFocus());
};

/** A Tab that moved focus inside the page is spent. */
const sawFocus = () => {
	const active = focusIn(document);
	// A press on a frame that is not there yet focuses its element.
	if (watched.has(active)) return;
	lastTab = -TAB_MS;
	last = active;
};

/** @type {(from: any) => void} */
const giveBack = (from) => {
	from?.blur();
	window.focus();
	last?.focus({ preventScroll: true });
};

/** @type {(root: any) => any} */
const focusIn = ({ activeElement: active }) =>
	active?.shadowRoot?.activeElement ? focusIn(active.shadowRoot) : active;

const look = () => {
	const active = focusIn(document);
	const entry = watched.get(active);
	if (!entry || entry.gate.isOpen) {
		last = active;
		for (const { gate, scrollers } of watched.values())
			if (!gate.isOpen) for (const node of scrollers) positions.set(node, [node.scrollLeft, node.scrollTop]);
	} else if (clock.now() - lastTab <= TAB_MS) entry.gate.open();
	else {
		entry.gate.bouncedAt = clock.now();
		giveBack(active);
		for (const [node, [left, top]] of positions) node.scrollTo({ left, top, behavior: "instant" });
		if (++entry.bounces < BOUNCES) return;
		entry.suspend();
		giveBack(last);
	}
};

/** @type {(node: any) => Element | null} */
export const parentOf = (node) => node.assignedSlot ?? node.parentElement ?? node.parentNode?.host;
