import { chatUrl } from "./api.js";

const RETRY_MS = 1000;
const RETRY_MAX_MS = 15_000;

const streams = new Map();

/** @type {import("./types.js").Follow} */
export const follow = (base, chat, listener) => {
	const url = chatUrl(base, chat);
	const stream = streams.get(url) ?? makeStream(url);
	streams.set(url, stream);
	stream.join(listener);
	return () => {
		if (stream.leave(listener)) streams.delete(url);
	};
};

/** @type {import("./types.js").MakeStream} */
const makeStream = (url) => {
	const listeners = new Set();
	let settings = { debounceMs: 400, maxHeight: 480 };
	const cards = new Map();
	let loaded = false;
	let closed = false;
	let after = "";
	let failures = 0;
	let timer = 0;
	/** @type {any} */
	let source;

	const list = () => ({ type: "cards", cards: [...cards.values()], settings });
	const tell = (news = /** @type {any} */ (list())) => {
		for (const listener of [...listeners]) listener(news);
	};
	/** For those who join later. @type {(type: string, news: any) => void} */
	const note = (type, { card, state, inMs, n }) => {
		const known = cards.get(card);
		if (known && type === "state") Object.assign(known, { state, inMs });
		else if (known) known.posts = n;
	};
	const hangUp = () => {
		clearTimeout(timer);
		source?.close();
		source = undefined;
	};
	const again = () => {
		hangUp();
		if (!closed) timer = setTimeout(connect, Math.min(RETRY_MS * 2 ** failures++, RETRY_MAX_MS));
	};
	const load = async () => {
		const response = await fetch(`${url}/cards`);
		const found = await response.json();
		cards.clear();
		for (const card of found.cards) cards.set(card.id, card);
		settings = found.settings;
		after = found.after;
		loaded = true;
		if (closed) return;
		tell();
		for (const { id, state, inMs } of found.cards) tell({ type: "state", card: id, state, inMs });
	};
	const connect = async () => {
		try {
			if (!loaded) await load();
		} catch {
			return again();
		}
		if (closed || source || document.hidden) return;
		source = new EventSource(`${url}/stream?after=${encodeURIComponent(after)}`);
		source.onopen = () => {
			failures = 0;
		};
		// Its own would ask from where the address says.
		source.onerror = again;
		for (const type of ["shown", "changed", "closed", "removed", "settings", "posted", "state", "resync"])
			source.addEventListener(type, (/** @type {MessageEvent} */ event) => {
				after = event.lastEventId || after;
				const news = JSON.parse(event.data);
				const { card } = news;
				if (type === "posted" || type === "state") {
					note(type, news);
					tell({ ...news, type });
				} else if (type === "resync") {
					loaded = false;
					seen();
				} else {
					if (type === "removed") cards.delete(card);
					else if (type === "settings") settings = news;
					else cards.set(card.id, card);
					tell();
				}
			});
	};
	const seen = () => {
		hangUp();
		connect();
	};
	document.addEventListener("visibilitychange", seen);
	connect();

	return {
		join(listener) {
			listeners.add(listener);
			if (loaded) listener(/** @type {any} */ (list()));
		},
		leave(listener) {
			if (!listeners.delete(listener) || listeners.size) return false;
			closed = true;
			document.removeEventListener("visibilitychange", seen);
			hangUp();
			return true;
		},
	};
};
