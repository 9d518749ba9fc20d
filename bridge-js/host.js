import { chatUrl, post } from "./api.js";
import { makeDebounce } from "./debounce.js";
import { guard, makeGate } from "./gate.js";
import { makeLine } from "./line.js";
import { makeLoad } from "./load.js";
import { counts } from "./messages.js";
import { makeSender } from "./sender.js";
import { follow } from "./stream.js";
import { readTheme, watchTheme } from "./theme.js";
import { draw } from "./view.js";

/** What `vh` resolves against while the content is first measured. */
const FIRST_VIEWPORT = 20;
const FILLING = 240;
const RESERVED = 64;
const WIDTH_CLASS = 160;
const TALLEST_KEPT = 4000;
const SHOW_MS = 600;
const HEIGHT_MS = 2000;
const ACTIVITY_MS = 10_000;
const CLOSE_MS = 5000;
const LOADS = 3;
const LOADS_MS = 10_000;
const SILENT_MS = 60_000;

const CLOSED = { person: "Closed by you.", agent: "Closed by the agent.", fork: "Closed: a copy from another chat." };

/** @type {import("./types.js").Present} */
const present = (host, view, base, chat, id) => {
	const url = `${chatUrl(base, chat)}/cards/${encodeURIComponent(id)}`;
	const line = makeLine(view.line);
	/** @type {import("./types.js").Presented} */
	const my = {
		settings: { debounceMs: 400, maxHeight: 480 },
		loadId: "",
		theme: "",
	};
	let unguard = () => {};
	let drawn = 0;
	let turn = 0;
	let states = 0;
	/** @type {number[]} */
	let again = [];
	let silentAt = -SILENT_MS;
	let activeAt = -ACTIVITY_MS;
	let content = 0;
	let all = false;
	let keeping = 0;

	const debounce = makeDebounce(
		(name, data) => sender.send(name, data, on.wait(name) === 0),
		(name) => on.wait(name),
	);
	const sender = makeSender({
		async post({ id, name, data }) {
			const before = states;
			const head = JSON.stringify({ id, load: my.loadId, name });
			const answer = await post(`${url}/events`, `${head.slice(0, -1)},"data":${data}}`);
			// The stream may be ahead.
			if (before !== states && answer.status < 300) answer.value = {};
			return answer;
		},
		waiting: (state) => line.say(state),
		settled({ status, value }) {
			if (!my.card?.open) return;
			if (status >= 300) line.say("refused", `Not sent: ${value.detail ?? value.title ?? status}`);
			else if (value.state) line.deliver(value.state, value.inMs);
		},
	});

	/** @type {import("./types.js").Presenting} */
	const on = {
		update(next) {
			const { card } = my;
			my.card = next;
			if (!next) return card && on.stop("removed");
			view.title.textContent = view.card.ariaLabel = next.title;
			view.id.textContent = id;
			view.stage.inert = view.close.hidden = view.enter.hidden = !next.open;
			view.card.className = next.open ? "" : "closed";
			if (!card || next.revision > drawn) on.draw();
			else on.describe();
			if (!next.open) {
				const dropped = [debounce.drop(), sender.drop()].includes(true) && card?.open;
				my.load?.post({ type: "closed" });
				const by = CLOSED[next.closedBy ?? "agent"];
				line.say("closed", dropped ? `${by} What was not sent yet was dropped.` : by);
			} else if (!card && next.state) line.deliver(next.state, next.inMs);
			else if (["", "asked"].includes(line.state)) on.rest();
			on.fit();
		},
		rest: () => line.say(my.card?.waiting?.length ? "asked" : ""),
		async close() {
			view.close.disabled = true;
			debounce.flush();
			await Promise.race([sender.idle(), new Promise((resolve) => setTimeout(resolve, CLOSE_MS))]);
			const { status, value } = await post(`${url}/close`, "{}");
			view.close.disabled = false;
			if (status === 200) on.update(value);
			else line.say("refused", `Not closed: ${value.detail ?? "the server was not reached."}`);
		},

		async draw() {
			const mine = ++turn;
			const height = my.load ? view.stage.clientHeight : Math.min(on.kept() ?? RESERVED, my.settings.maxHeight);
			view.stage.style.minHeight = `${height}px`;
			on.end();
			if (!view.action.hidden) on.rest();
			view.action.hidden = true;
			drawn = my.card?.revision ?? 0;
			const { theme } = my;
			const { status, value } = await post(`${url}/loads`, `{"theme":${theme}}`);
			if (mine !== turn) return;
			if (status !== 200) return on.stop("missing");
			my.loadId = value.load;
			drawn = value.card.revision;
			if (value.post) on.post(value.post.n, value.post.data);
			const frame = document.createElement("iframe");
			frame.setAttribute("sandbox", "allow-scripts allow-forms");
			frame.title = value.card.title;
			// The scheme it was made in: of another it would be opaque.
			frame.style.colorScheme = JSON.parse(theme).mode;
			frame.src = value.frame;
			my.gate = makeGate(on.emit, () => my.load?.post({ type: "open" }));
			my.load = makeLoad(frame, value.nonce, { ready: () => on.ready(theme), gone: on.gone, message: on.hear });
			view.stage.append(frame);
			unguard = guard(frame, my.gate, () => on.stop("thief"));
			if (my.card && my.card.revision > drawn) on.draw();
		},
		end() {
			unguard();
			my.load?.end();
			my.load = undefined;
			content = 0;
			debounce.drop();
			sender.drop();
		},
		ready(theme) {
			const { load } = my;
			on.describe();
			if (theme !== my.theme) load?.post({ type: "theme", ...JSON.parse(my.theme) });
			if (my.latest) load?.post({ type: "post", ...my.latest });
			if (!my.card?.open) load?.post({ type: "closed" });
			else if (my.gate?.isOpen) load?.post({ type: "open" });
			setTimeout(() => load === my.load && !content && on.measured(FIRST_VIEWPORT), SHOW_MS);
		},
		gone(why) {
			const now = performance.now();
			again = again.filter((at) => now - at < LOADS_MS);
			const often = again.length >= (why === "missing" ? 1 : LOADS);
			if (often || why === "noisy" || (why === "silent" && now - silentAt < SILENT_MS)) return on.stop(why);
			if (why === "silent") silentAt = now;
			again.push(now);
			on.draw();
		},
		stop(why) {
			on.end();
			line.say(why);
			view.action.textContent = why === "missing" ? "Reload card" : "Run again";
			view.action.hidden = why === "removed";
		},

		hear(message) {
			const now = performance.now();
			if (message.type === "height") on.measured(message.height);
			else if (message.type === "active" && my.card?.waiting?.length && now - activeAt > ACTIVITY_MS) {
				activeAt = now;
				post(`${url}/activity`, "{}");
			} else if (message.type === "pressed" && my.card?.open) my.gate?.open();
			else if (message.type === "emit" && !(my.card?.open && my.gate?.take(message))) counts.ignored++;
		},
		describe() {
			const { title = "", events = [] } = my.card ?? {};
			const named = events.filter((event) => !event.spent);
			my.load?.post({ type: "card", title, events: named.map(({ name }) => ({ name, action: !on.wait(name) })) });
		},
		post(n, data) {
			if (my.latest && n <= my.latest.n) return;
			my.latest = { n, data: JSON.stringify(data) };
			my.load?.post({ type: "post", ...my.latest });
		},
		emit({ name, data }) {
			if (!my.card?.events.some((event) => event.name === name)) return;
			debounce.push(name, data);
			if (document.hidden) debounce.flush();
		},
		wait: (name) => my.card?.events.find((event) => event.name === name)?.debounceMs ?? my.settings.debounceMs,
		paint() {
			const theme = readTheme(host, view.probe);
			const text = JSON.stringify(theme);
			if (text === my.theme) return;
			my.theme = text;
			view.card.style.colorScheme = theme.mode;
			for (const [name, color] of Object.entries(theme.colors)) view.card.style.setProperty(`--${name}`, color);
			my.load?.post({ type: "theme", ...theme });
		},

		measured(height) {
			content = !content && height === FIRST_VIEWPORT ? FILLING : height;
			on.fit();
			if (!keeping) keeping = setTimeout(on.keep, HEIGHT_MS);
		},
		fit() {
			const cap = my.settings.maxHeight;
			view.more.hidden = content <= cap;
			view.more.textContent = all ? "Show less" : "Show all";
			if (!my.load || !content) return;
			const height = all ? content : Math.min(content, cap);
			// Said before it is done, so that the bridge can tell its effect from the author's.
			my.load.post({ type: "sized", height });
			my.load.frame.style.height = `${height}px`;
			my.load.frame.className = "shown";
			view.stage.style.minHeight = "";
		},
		keep() {
			keeping = 0;
			const width = view.stage.clientWidth;
			const height = Math.min(content, TALLEST_KEPT);
			if (!my.card || !width || !height || on.kept() === height) return;
			my.card.heights = [[Math.ceil(width / WIDTH_CLASS), height], ...my.card.heights];
			post(`${url}/height`, JSON.stringify({ width, height }));
		},
		kept: () => my.card?.heights.find(([at]) => at === Math.ceil(view.stage.clientWidth / WIDTH_CLASS))?.[1],
	};

	view.enter.onclick = () => {
		my.gate?.open();
		my.load?.frame.focus();
	};
	view.more.onclick = () => {
		all = !all;
		on.fit();
	};
	view.close.onclick = on.close;
	view.action.onclick = () => {
		again = [];
		on.draw();
	};
	on.paint();
	const unwatch = watchTheme(host, on.paint);
	const unfollow = follow(base, chat, (news) => {
		if (news.type === "cards") {
			my.settings = news.settings;
			on.update(news.cards.find((card) => card.id === id));
		} else if (news.card !== id) return;
		else if (news.type === "posted") on.post(news.n, news.data);
		else if (my.card?.open) {
			states++;
			line.deliver(news.state, news.inMs);
		}
	});
	const life = new AbortController();
	const { signal } = life;
	const seen = () => (document.hidden ? debounce.flush() : sender.retry());
	const leave = () => {
		debounce.flush();
		sender.leave();
	};
	document.addEventListener("visibilitychange", seen, { signal });
	addEventListener("pagehide", leave, { signal });
	addEventListener("online", sender.retry, { signal });

	return () => {
		turn++;
		life.abort();
		unwatch();
		unfollow();
		leave();
		on.end();
	};
};

class InlineUiCard extends HTMLElement {
	static observedAttributes = ["base", "chat", "card"];
	#view = draw(this.attachShadow({ mode: "open" }));
	#stop = () => {};

	connectedCallback() {
		const [base, chat, id] = InlineUiCard.observedAttributes.map((name) => this.getAttribute(name));
		this.#stop();
		this.#stop = chat && id && base !== null ? present(this, this.#view, base, chat, id) : () => {};
	}
	disconnectedCallback() {
		this.#stop();
		this.#stop = () => {};
	}
	attributeChangedCallback() {
		if (this.isConnected) this.connectedCallback();
	}
}

/** @type {import("./types.js").WatchCards} */
export const watchCards = (base, chat, onCards) =>
	follow(base, chat, (news) => {
		if (news.type === "cards") onCards(news.cards);
	});

customElements.define("inline-ui-card", InlineUiCard);
