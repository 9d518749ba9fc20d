import { readBridge, readHello } from "./messages.js";

const HELLO_MS = 3000;
const TICK_MS = 1000;
const SILENT_TICKS = 4;
const LEFT_MS = 50;
const NOISE = 1000;

/** When a card of this page last kept a ping unanswered: cards share a process, and one that loops holds up all. */
let silentAt = -HELLO_MS;

/** @type {import("./types.js").MakeLoad} */
export const makeLoad = (frame, nonce, { ready, message, gone }) => {
	/** @type {MessagePort | undefined} */
	let port;
	let silent = 0;
	let noise = 0;
	let timer = setTimeout(() => {
		gone(performance.now() - silentAt < HELLO_MS ? "silent" : "missing");
	}, HELLO_MS);

	const left = () => frame.isConnected && gone("left");
	const hello = (/** @type {MessageEvent} */ event) => {
		const outer = frame.contentWindow;
		if (!outer?.length || event.source !== outer[0]) return;
		if (noise++ > NOISE) return gone("noisy");
		const offered = readHello(event, outer[0], nonce);
		if (!offered) return;
		// The document ran again by itself.
		if (port) return void left();
		port = offered;
		port.onmessage = ({ data }) => {
			const heard = readBridge(data);
			silent = 0;
			if (heard?.type === "left") setTimeout(left, LEFT_MS);
			else if (heard) message(heard);
		};
		clearTimeout(timer);
		timer = setInterval(() => {
			noise = 0;
			if (document.hidden) return;
			if (silent > 1) silentAt = performance.now();
			if (silent++ >= SILENT_TICKS) gone("silent");
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
