import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { follow } from "../stream.js";

/** @type {any[]} */
let sources;
/** @type {string[]} */
let lists;
/** @type {any} */
let page;
let answer;
let chat = 0;

class Source {
	heard = {};
	closed = false;
	constructor(url) {
		this.url = url;
		sources.push(this);
	}
	addEventListener(type, fn) {
		this.heard[type] = fn;
	}
	close() {
		this.closed = true;
	}
	say(type, data, lastEventId = "") {
		this.heard[type]({ data: JSON.stringify(data), lastEventId });
	}
}

const settle = () => new Promise((resolve) => setImmediate(resolve));
const card = (id, more = {}) => ({ id, title: id, open: true, revision: 1, events: [], heights: [], ...more });
const ids = (news) => news.cards.map(({ id }) => id).join();

beforeEach(() => {
	sources = [];
	lists = [];
	chat++;
	answer = { cards: [card("c1")], after: "5", settings: { debounceMs: 300, maxHeight: 200 } };
	page = Object.assign(new EventTarget(), { hidden: false });
	Object.assign(globalThis, {
		document: page,
		EventSource: Source,
		fetch: async (url) => {
			lists.push(url);
			return { ok: true, json: async () => structuredClone(answer) };
		},
	});
});

test("one list and one stream serve all who follow a chat", async () => {
	const heard = [[], []];
	const stops = heard.map((list) => follow("/ext/inline-ui/", `chat ${chat}`, (news) => list.push(news)));
	await settle();
	assert.deepEqual(lists, [`/ext/inline-ui/chats/chat%20${chat}/cards`]);
	assert.deepEqual(
		sources.map(({ url }) => url),
		[`/ext/inline-ui/chats/chat%20${chat}/stream?after=5`],
	);
	for (const list of heard) assert.equal(ids(list[0]), "c1");
	assert.equal(heard[0][0].settings.maxHeight, 200);
	stops[0]();
	assert.equal(sources[0].closed, false);
	stops[1]();
	assert.equal(sources[0].closed, true);
});

test("who follows later gets the list at once", async () => {
	const stop = follow("", `${chat}`, () => {});
	await settle();
	const late = [];
	const stopLate = follow("", `${chat}`, (news) => late.push(news));
	assert.equal(ids(late[0]), "c1");
	stop();
	stopLate();
});

test("changes reach the list, and posts and states their card", async () => {
	const heard = [];
	const stop = follow("", `${chat}`, (news) => heard.push(news));
	await settle();
	const [source] = sources;
	source.say("shown", { card: card("c2") }, "6");
	source.say("closed", { card: card("c1", { open: false }) }, "7");
	assert.equal(ids(heard.at(-1)), "c1,c2");
	assert.equal(heard.at(-1).cards[0].open, false);
	source.say("removed", { card: "c1" }, "8");
	assert.equal(ids(heard.at(-1)), "c2");
	source.say("posted", { card: "c2", n: 1, data: { a: 1 } }, "9");
	assert.deepEqual(heard.at(-1), { type: "posted", card: "c2", n: 1, data: { a: 1 } });
	source.say("state", { card: "c2", state: "starting", inMs: 8000 }, "10");
	assert.deepEqual(heard.at(-1), { type: "state", card: "c2", state: "starting", inMs: 8000 });
	source.say("settings", { debounceMs: 50, maxHeight: 99 }, "11");
	assert.deepEqual(heard.at(-1).settings, { debounceMs: 50, maxHeight: 99 });
	stop();
});

test("the stream is closed while the tab is hidden, and resumes after the last id it saw", async () => {
	const stop = follow("", `${chat}`, () => {});
	await settle();
	sources[0].say("shown", { card: card("c2") }, "77");
	page.hidden = true;
	page.dispatchEvent(new Event("visibilitychange"));
	assert.equal(sources[0].closed, true);
	assert.equal(sources.length, 1);
	page.hidden = false;
	page.dispatchEvent(new Event("visibilitychange"));
	await settle();
	assert.match(sources[1].url, /after=77$/);
	stop();
});

test("resync lists the cards again", async () => {
	const heard = [];
	const stop = follow("", `${chat}`, (news) => heard.push(news));
	await settle();
	answer = { ...answer, cards: [card("c9")], after: "90" };
	sources[0].say("resync", {}, "");
	await settle();
	assert.equal(lists.length, 2);
	assert.equal(ids(heard.findLast(({ type }) => type === "cards")), "c9");
	assert.match(sources[1].url, /after=90$/);
	stop();
});

test("a fresh list says of each card what is on its way, or that nothing is", async () => {
	const heard = [];
	const stop = follow("", `${chat}`, (news) => heard.push(news));
	await settle();
	answer = { ...answer, cards: [card("c1", { state: "starting", inMs: 900 }), card("c2")], after: "90" };
	sources[0].say("resync", {}, "");
	await settle();
	assert.deepEqual(heard.slice(-2), [
		{ type: "state", card: "c1", state: "starting", inMs: 900 },
		{ type: "state", card: "c2", state: undefined, inMs: undefined },
	]);
	stop();
});

test("who follows later gets each card with its newest state and post, and cards that stay keep their identity", async () => {
	const heard = [];
	const stop = follow("", `${chat}`, (news) => heard.push(news));
	await settle();
	const [first] = heard[0].cards;
	sources[0].say("state", { card: "c1", state: "next_step" }, "6");
	sources[0].say("posted", { card: "c1", n: 4, data: 1 }, "7");
	sources[0].say("shown", { card: card("c2") }, "8");
	const late = [];
	const stopLate = follow("", `${chat}`, (news) => late.push(news));
	assert.deepEqual([late[0].cards[0].state, late[0].cards[0].posts], ["next_step", 4]);
	assert.equal(heard.at(-1).cards[0], first);
	assert.equal(heard.at(-1).settings, heard[0].settings);
	stop();
	stopLate();
});
