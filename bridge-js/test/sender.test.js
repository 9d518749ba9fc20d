import assert from "node:assert/strict";
import { test } from "node:test";
import { makeSender } from "../sender.js";
import { makeClock } from "./clock.js";
import { makeShelf } from "./shelf.js";

const accepted = { status: 202, value: { state: "next_message" } };
const settle = () => new Promise((resolve) => setImmediate(resolve));

function setup({ online = true, unsent = makeShelf() } = {}) {
	const network = { onLine: online };
	Object.defineProperty(globalThis, "navigator", { value: network, configurable: true, writable: true });
	const clock = makeClock();
	const posts = [];
	const states = [];
	const settled = [];
	const sender = makeSender(
		{
			post: (event) => new Promise((answer) => posts.push({ ...event, answer })),
			waiting: (state, kept) => states.push(kept ? state : `${state}, not kept`),
			settled: (answer) => settled.push(answer.status),
			unsent,
		},
		clock,
	);
	const send = (name, data, action = false) => sender.send({ load: "l", name, data, action });
	const answer = async (value) => {
		posts.at(-1).answer(value);
		await settle();
	};
	const names = () => posts.map(({ name, data }) => `${name}=${data}`);
	const kept = () => unsent.events.map(({ name, data }) => `${name}=${data}`);
	return { network, clock, posts, states, settled, sender, send, answer, names, unsent, kept };
}

test("one post is under way at a time, in order", async () => {
	const { send, answer, names } = setup();
	send("a", "1");
	send("b", "2");
	assert.deepEqual(names(), ["a=1"]);
	await answer(accepted);
	assert.deepEqual(names(), ["a=1", "b=2"]);
});

test("a newer event takes the place of a waiting one of its name, never of one under way", async () => {
	const { send, answer, names } = setup();
	send("a", "1");
	for (const data of ["2", "3", "4"]) send("a", data);
	await answer(accepted);
	await answer(accepted);
	assert.deepEqual(names(), ["a=1", "a=4"]);
});

test("what was pending before an action stays before it", async () => {
	const { send, answer, names } = setup();
	send("x", "0");
	send("size", "80");
	send("apply", "null", true);
	send("size", "90");
	for (let i = 0; i < 4; i++) await answer(accepted);
	assert.deepEqual(names(), ["x=0", "size=80", "apply=null", "size=90"]);
});

test("a queue that cannot leave stays bounded", () => {
	const { sender, send, posts } = setup();
	for (let i = 0; i < 1000; i++) {
		send("size", String(i));
		send("apply", String(i), true);
	}
	sender.leave();
	assert.ok(posts.length < 8, `${posts.length}`);
	assert.equal(posts.at(-1).data, "999");
});

test("a refused rate waits as long as it says, and the newest of the name goes", async () => {
	const { clock, sender, send, answer, names, states, posts } = setup();
	send("a", "1");
	await answer({ status: 429, value: { retryAfterMs: 700 } });
	assert.equal(states.at(-1), "rate_limited");
	send("a", "2");
	sender.retry();
	clock.advance(699);
	assert.equal(posts.length, 1);
	clock.advance(1);
	assert.deepEqual(names(), ["a=1", "a=2"]);
});

test("an unknown outcome is retried under the same id, and a newer event follows it", async () => {
	const { clock, send, answer, posts } = setup();
	send("a", "1");
	await answer({ status: 0, value: {} });
	send("a", "2");
	clock.advance(500);
	assert.equal(posts.length, 2);
	assert.equal(posts[1].id, posts[0].id);
	assert.equal(posts[1].data, "1");
	await answer({ status: 503, value: {} });
	clock.advance(1000);
	assert.equal(posts[2].id, posts[0].id);
	await answer(accepted);
	assert.equal(posts[3].data, "2");
	assert.notEqual(posts[3].id, posts[0].id);
});

test("a portal that does not answer is said from the first failure to the next answer, and is asked at once when it is back", async () => {
	const { clock, sender, send, answer, states, posts, settled } = setup();
	send("a", "1");
	await answer({ status: 0, value: {} });
	assert.deepEqual(states, ["sending", "unreachable"]);
	clock.advance(500);
	await answer({ status: 0, value: {} });
	assert.deepEqual(states, ["sending", "unreachable", "unreachable"]);
	sender.retry();
	assert.equal(posts.length, 3);
	await answer(accepted);
	assert.deepEqual(settled, [202]);
	send("a", "2");
	assert.equal(states.at(-1), "sending");
});

test("a person who is signed out loses nothing", async () => {
	const { clock, send, answer, states, posts, settled } = setup();
	send("a", "1");
	await answer({ status: 401, value: {} });
	assert.equal(states.at(-1), "unreachable");
	clock.advance(500);
	assert.equal(posts[1].id, posts[0].id);
	await answer(accepted);
	assert.deepEqual(settled, [202]);
});

test("a refusal is reported and the next one goes", async () => {
	const { send, answer, names, settled } = setup();
	send("a", "1");
	send("b", "2");
	await answer({ status: 409, value: { code: "event_spent" } });
	assert.deepEqual(settled, [409]);
	assert.deepEqual(names(), ["a=1", "b=2"]);
});

test("offline keeps, and sends when the network is back", () => {
	const { network, sender, send, names, states, kept } = setup({ online: false });
	send("a", "1");
	assert.deepEqual(kept(), ["a=1"]);
	send("a", "2");
	assert.deepEqual(names(), []);
	assert.equal(states.at(-1), "offline");
	network.onLine = true;
	sender.retry();
	assert.deepEqual(names(), ["a=2"]);
	assert.equal(states.at(-1), "sending");
});

test("leaving sends everything at once, what is under way once more under its id", () => {
	const { sender, send, posts } = setup();
	send("a", "1");
	send("b", "2");
	sender.leave();
	assert.deepEqual(
		posts.map(({ name }) => name),
		["a", "a", "b"],
	);
	assert.equal(posts[0].id, posts[1].id);
});

test("what is stuck and kept as the page leaves is not sent all at once, and what could not be kept is", async () => {
	for (const full of [false, true]) {
		const unsent = makeShelf();
		unsent.full = full;
		const { sender, send, answer, names } = setup({ unsent });
		send("a", "1");
		send("b", "2");
		await answer({ status: 0, value: {} });
		sender.leave();
		assert.deepEqual(names(), full ? ["a=1", "a=1", "b=2"] : ["a=1"]);
	}
});

test("what is left goes out under its ids after a reload, before anything new, and is then kept no more", async () => {
	const before = setup({ online: false });
	before.send("a", "1");
	before.send("b", "2");
	before.send("a", "3");
	before.sender.leave();
	assert.deepEqual(before.kept(), ["b=2", "a=3"]);
	const ids = before.unsent.events.map(({ id }) => id);

	const { sender, send, answer, names, posts, kept } = setup({ unsent: before.unsent });
	sender.restore();
	send("b", "4");
	for (let i = 0; i < 3; i++) await answer(accepted);
	assert.deepEqual(names(), ["b=2", "a=3", "b=4"]);
	assert.deepEqual(
		posts.slice(0, 2).map(({ id, load }) => [id, load]),
		ids.map((id) => [id, "l"]),
	);
	assert.deepEqual(kept(), []);
});

test("what cannot be kept is said, and sent all the same", () => {
	const unsent = makeShelf();
	unsent.full = true;
	const { network, sender, send, states, names } = setup({ online: false, unsent });
	send("a", "1");
	assert.equal(states.at(-1), "offline, not kept");
	network.onLine = true;
	sender.retry();
	assert.deepEqual(names(), ["a=1"]);
});

test("a card that is not shown any more sends what it has left in order and says nothing", async () => {
	const { clock, sender, send, answer, names, states, settled, kept } = setup();
	send("a", "1");
	send("b", "2");
	const said = states.length;
	sender.retire();
	assert.deepEqual(kept(), ["a=1", "b=2"]);
	await answer({ status: 0, value: {} });
	clock.advance(500);
	await answer(accepted);
	assert.deepEqual(kept(), ["b=2"]);
	await answer(accepted);
	assert.deepEqual(names(), ["a=1", "a=1", "b=2"]);
	assert.deepEqual(kept(), []);
	assert.deepEqual([states.length, settled], [said, []]);
});

test("idle resolves when the last answer is here", async () => {
	const { sender, send, answer } = setup();
	await sender.idle();
	send("a", "1");
	let idle = false;
	const waited = sender.idle().then(() => {
		idle = true;
	});
	await settle();
	assert.equal(idle, false);
	await answer(accepted);
	await waited;
});

test("dropping forgets what cannot have arrived, and nothing else", async () => {
	const { clock, sender, send, answer, names } = setup();
	send("a", "1");
	assert.equal(sender.drop(), false);
	send("b", "2");
	assert.equal(sender.drop(), true);
	await answer({ status: 0, value: {} });
	assert.equal(sender.drop(), false);
	clock.advance(500);
	await answer(accepted);
	assert.deepEqual(names(), ["a=1", "a=1"]);
});
