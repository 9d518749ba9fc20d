import { announce } from "./announce.js";
import { chatUrl, post } from "./api.js";
import { makeDebounce } from "./debounce.js";
import { makeFailures } from "./failures.js";
import { makeFull } from "./full.js";
import { guard, makeGate } from "./gate.js";
import { FIRST_VIEWPORT, makeHeight } from "./height.js";
import { makeLine, reasonOf, unsentText } from "./line.js";
import { makeLive } from "./live.js";
import { makeLoad } from "./load.js";
import { counts } from "./messages.js";
import { makeSender } from "./sender.js";
import { follow } from "./stream.js";
import { readTheme, watchTheme } from "./theme.js";
import { takeTurn } from "./turns.js";
import { makeUnsent } from "./unsent.js";

const SHOW_MS = 600;
const SLOW_MS = 300;
const ACTIVITY_MS = 10_000;
const CLOSE_MS = 5000;
const LOADS = 3;
const LOADS_MS = 10_000;
const UNKNOWN_MS = 1000;
const WELL_MS = 10_000;

const CLOSED = { person: "Closed by you.", agent: "Closed by the agent.", fork: "Closed: a copy from another chat." };
/** What the agent is told of a card that was stopped for what it does. @type {Record<string, string>} */
const STOPPED = {
	left: "the card kept leaving its page and was stopped",
	noisy: "the card kept sending messages and was stopped",
	thief: "the card kept taking the keyboard and was stopped",
};
const DROPPED = "What was not sent yet was dropped.";

/** @type {import("./types.js").Present} */
export const present = (host, view, base, chat, id) => {
	const url = `${chatUrl(base, chat)}/cards/${encodeURIComponent(id)}`;
	const line = makeLine(view.line, (text) => announce(view.said, text));
	/** @type {import("./types.js").Presented} */
	const my = {
		settings: { debounceMs: 400, maxHeight: 480 },
		loadId: "",
		anyway: false,
		theme: "",
	};
	let unguard = () => {};
	let drawn = 0;
	let turn = 0;
	let states = 0;
	/** @type {number[]} */
	let again = [];
	let activeAt = -ACTIVITY_MS;
	let catchingUp = false;
	let follows = false;
	let slow = 0;

	const height = makeHeight(view, my, (size) => post(`${url}/height`, JSON.stringify(size)));
	const failures = makeFailures(view.failed, url);
	const live = makeLive(view.card, {
		run: () => on.draw(),
		rest: () => on.rest(),
		stays: () => my.gate?.isOpen || view.card.matches(".full"),
	});
	const full = makeFull(host, view, height.fit);
	const debounce = makeDebounce(
		(name, data) => sender.send({ load: my.loadId, name, data, action: on.wait(name) === 0 }),
		(name) => on.wait(name),
	);
	const sender = makeSender({
		unsent: makeUnsent(`inline-ui ${url}`),
		async post({ id, load, name, data }) {
			const before = states;
			const head = JSON.stringify({ id, load, name });
			const answer = await post(`${url}/events`, `${head.slice(0, -1)},"data":${data}}`);
			// The stream may be ahead.
			if (before !== states && answer.status < 300) answer.value = {};
			return answer;
		},
		waiting(state, kept, status) {
			clearTimeout(slow);
			// What became of the last one is read better than a flicker.
			const say = () => line.unsent(state, unsentText(state, kept, status));
			if (follows && state === "sending") slow = setTimeout(say, SLOW_MS);
			else say();
			follows = false;
		},
		settled(answer, left) {
			const { status, value } = answer;
			if (status < 300) {
				if (value.state) line.deliver(value.state, value.inMs);
				line.took();
			} else if (my.card?.open === false) on.over(true);
			else line.refuse(reasonOf(answer));
			clearTimeout(slow);
			line.unsent("");
			follows = left > 0;
		},
	});

	/** @type {import("./types.js").Presenting} */
	const on = {
		update(next) {
			const { card } = my;
			if (!next) {
				if (card) on.removed();
				else setTimeout(() => my.card || on.removed(), UNKNOWN_MS);
				return;
			}
			my.card = next;
			view.title.textContent = next.title;
			// Cards of one title are told apart.
			view.card.ariaLabel = `${next.title}, ${id}`;
			view.id.textContent = id;
			view.stage.inert = view.close.hidden = view.enter.hidden = !next.open;
			view.card.classList.toggle("closed", !next.open);
			if (!card) line.deliver(next.state, next.inMs);
			line.ask(next.waiting?.length ? "asked" : next.unanswered ? "unanswered" : "");
			view.fallback.hidden = !next.fallback;
			view.words.textContent = next.fallback ?? "";
			if (card && next.revision <= drawn) on.describe();
			else if (next.stuck && next.open && !my.anyway) {
				drawn = next.revision;
				on.stop("stuck");
			} else {
				if (!view.stage.style.minHeight) height.reserve();
				live.want();
			}
			if (!next.open) {
				my.load?.post({ type: "closed" });
				const dropped = on.drop();
				if (!card || card.open) on.over(dropped);
			}
			on.catchUp();
			height.fit();
		},
		drop: () => [debounce.drop(), sender.drop()].includes(true),
		over(dropped) {
			const text = CLOSED[my.card?.closedBy ?? "agent"];
			line.end("closed", dropped ? `${text} ${DROPPED}` : text);
		},
		removed() {
			if (line.state === "removed") return;
			const dropped = on.drop();
			turn++;
			my.card = undefined;
			full.leave();
			on.end();
			live.ended();
			view.id.textContent = id;
			view.card.classList.add("closed");
			view.stage.style.minHeight = "";
			for (const button of [view.action, view.close, view.enter, view.more, view.full]) button.hidden = true;
			line.end("removed", dropped ? `This card is not kept any more. ${DROPPED}` : undefined);
		},
		async close() {
			view.close.disabled = true;
			debounce.flush();
			await Promise.race([sender.idle(), new Promise((resolve) => setTimeout(resolve, CLOSE_MS))]);
			const { status, value } = await post(`${url}/close`, "{}");
			view.close.disabled = false;
			if (status === 200) on.update(value);
			else line.unsent("refused", `Not closed: ${value.detail ?? "the portal does not answer."}`);
		},

		async draw() {
			const mine = ++turn;
			// One that rested has its room.
			if (my.load || !view.stage.style.minHeight) height.reserve();
			on.end();
			if (my.card?.open) line.end("");
			view.action.hidden = true;
			drawn = my.card?.revision ?? 0;
			const turnOver = await takeTurn(view.card);
			if (mine !== turn) return turnOver();
			my.turnOver = turnOver;
			const { theme } = my;
			const { status, value } = await post(`${url}/loads`, `{"theme":${theme}}`);
			if (mine !== turn) return;
			if (status !== 200) return on.stop("missing");
			my.loadId = value.load;
			failures.begin(my.loadId);
			drawn = value.card.revision;
			if (value.post) on.post(value.post.n, value.post.data);
			const frame = document.createElement("iframe");
			frame.setAttribute("sandbox", "allow-scripts allow-forms");
			frame.title = value.card.title;
			// The scheme it was made in: of another it would be opaque.
			frame.style.colorScheme = JSON.parse(theme).mode;
			frame.src = value.frame;
			my.gate = makeGate(on.emit, (bounced) => {
				if (bounced) my.load?.frame.focus();
				my.load?.post({ type: "open" });
			});
			my.load = makeLoad(frame, value.nonce, { ready: () => on.ready(theme), gone: on.gone, message: on.hear });
			view.stage.append(frame);
			unguard = guard(frame, my.gate, () => on.stop("thief"));
			if (my.card && my.card.revision > drawn) on.draw();
			else on.catchUp();
		},
		rest() {
			turn++;
			height.reserve();
			on.end();
		},
		end() {
			unguard();
			// What the person did stays theirs: the server half says whether it still counts.
			debounce.flush();
			my.turnOver?.();
			my.load?.end();
			my.load = undefined;
			height.forget();
		},
		ready(theme) {
			const { load } = my;
			my.turnOver?.();
			on.describe();
			if (theme !== my.theme) load?.post({ type: "theme", ...JSON.parse(my.theme) });
			if (my.latest) load?.post({ type: "post", ...my.latest });
			if (!my.card?.open) load?.post({ type: "closed" });
			else if (my.gate?.isOpen) load?.post({ type: "open" });
			// It answered for longer than one that does not is given.
			setTimeout(() => load === my.load && my.card?.stuck && !document.hidden && failures.stuck(false), WELL_MS);
			setTimeout(() => load === my.load && !height.isKnown() && height.measured(FIRST_VIEWPORT), SHOW_MS);
		},
		gone(why, dead, suspect) {
			const now = performance.now();
			again = again.filter((at) => now - at < LOADS_MS);
			const often = again.length >= (why === "missing" ? 1 : LOADS);
			// One that does not answer was used, or loops: it runs again when the person says so.
			if (why === "silent" && suspect && my.card?.open) failures.stuck(true);
			if (often || why === "noisy" || why === "silent") return on.stop(dead ? "silent" : why);
			again.push(now);
			on.draw();
		},
		stop(why) {
			on.end();
			live.ended();
			view.stage.style.minHeight = "";
			if (my.card?.open !== false) line.end(why);
			const actions = /** @type {Record<string, string>} */ ({ missing: "Reload card", stuck: "Run anyway" });
			view.action.textContent = actions[why] ?? "Run again";
			if (why === "missing") view.fallback.open = true;
			if (STOPPED[why]) failures.stopped(STOPPED[why]);
			view.action.hidden = false;
		},

		hear(message) {
			const now = performance.now();
			if (message.type === "height") height.measured(message.height);
			else if (message.type === "active" && my.card?.waiting?.length && now - activeAt > ACTIVITY_MS) {
				activeAt = now;
				post(`${url}/activity`, "{}");
			} else if (message.type === "pressed" && my.card?.open) my.gate?.open();
			else if (message.type === "error") failures.heard(message);
			else if (message.type === "escape") full.escaped();
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
		async catchUp() {
			const behind = (my.card?.posts ?? 0) > (my.latest?.n ?? 0);
			if (!behind || !my.load || catchingUp) return;
			catchingUp = true;
			const { value } = await post(`${url}/loads`, `{"theme":${my.theme}}`);
			catchingUp = false;
			if (value.post) on.post(value.post.n, value.post.data);
		},
		emit({ name, data }) {
			if (!my.card?.events.some((event) => event.name === name)) return;
			line.refuse("");
			// What it threw goes first: a call that this answers is to have it.
			failures.retry();
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
	};

	view.enter.onclick = () => {
		my.gate?.open();
		my.load?.frame.focus();
	};
	view.close.onclick = on.close;
	view.action.onclick = () => {
		again = [];
		my.anyway = true;
		live.want();
	};
	on.paint();
	sender.restore();
	const unwatch = watchTheme(host, on.paint);
	const unfollow = follow(base, chat, (news) => {
		if (news.type === "cards") {
			// The portal answers.
			sender.retry();
			failures.retry();
			const next = news.cards.find((card) => card.id === id);
			if (next && next === my.card && news.settings === my.settings) return;
			my.settings = news.settings;
			on.update(next);
		} else if (news.card !== id) return;
		else if (news.type === "posted") on.post(news.n, news.data);
		else {
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
		unwatch();
		unfollow();
		full.leave();
		on.end();
		live.leave();
		sender.retire();
		sender.idle().then(() => life.abort());
	};
};
