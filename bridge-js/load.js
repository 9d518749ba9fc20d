import { readBridge, readHello } from "./messages.js";

const HELLO_MS = 3000;
const TICK_MS = 1000;
const SILENT_TICKS = 4;
/** One that is slow while others answer is in a busy process, and not in a dead one. */
const SLOW_TICKS = 30;
const LEFT_MS = 50;
const DEAD_MS = 10_000;
/** A loop began with what a card did last: as it loaded, or when somebody used it. */
const STIRRED_MS = 3000;
const NOISE = 1000;

/** When any card of this page last said anything: they share a process, and one that loops holds up all. */
let heardAt = 0;
/** When there last was nothing to hear from cards that were asked. */
let deadAt = -1;

/** When any card last had something to do, and said so. */
let stirredAt = 0;

/** @type {import("./types.js").MakeLoad} */
export const makeLoad = (frame, nonce, { ready, message, gone }) => {
	/** @type {MessagePort | undefined} */
	let port;
	let silent = 0;
	let noise = 0;
	let mineAt = 0;
	/** Nothing was heard since, and not long ago. */
	const isDead = () => deadAt > heardAt && performance.now() - deadAt < DEAD_MS;
	let timer = setTimeout(() => gone("missing", isDead()), HELLO_MS);

	const stir = () => {
		mineAt = stirredAt = performance.now();
	};
	const left = () => frame.isConnected && gone("left");
	/** Where none stirred shortly before the silence, it may be any of them. */
	const isSuspect = () => mineAt >= heardAt - STIRRED_MS || stirredAt < heardAt - STIRRED_MS;
	const hello = (/** @type {MessageEvent} */ event) => {
		const outer = frame.contentWindow;
		if (!outer?.length || event.source !== outer[0]) return;
		if (noise++ > NOISE) return gone("noisy");
		const offered = readHello(event, outer[0], nonce);
		if (!offered) return;
		// The document ran again by itself.
		if (port) return void left();
		port = offered;
		heardAt = performance.now();
		stir();
		port.onmessage = ({ data }) => {
			const heard = readBridge(data);
			silent = 0;
			heardAt = performance.now();
			if (heard?.type === "pressed" || heard?.type === "active") stir();
			if (heard?.type === "left") setTimeout(left, LEFT_MS);
			else if (heard) message(heard);
		};
		clearTimeout(timer);
		timer = setInterval(() => {
			noise = 0;
			if (document.hidden) return;
			const now = performance.now();
			const dead = silent > 1 && now - heardAt > silent * TICK_MS - TICK_MS / 2;
			if (dead) deadAt = now;
			if (silent++ >= (dead ? SILENT_TICKS : SLOW_TICKS)) gone("silent", dead, !dead || isSuspect());
			else if (silent % 2) port?.postMessage({ type: "ping", n: silent });
		}, TICK_MS);
		ready();
	};
	addEventListener("message", hello);

	return {
		frame,
		post: (said) => port?.postMessage(said),
		end() {
			clearTimeout(timer);
			removeEventListener("message", hello);
			port?.close();
			frame.remove();
		},
	};
};
