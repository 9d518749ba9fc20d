import assert from "node:assert/strict";
import { test } from "node:test";
import { makeSender } from "../sender.js";
import { makeClock } from "./clock.js";

const accepted = { status: 202, value: { state: "next_message" } };
const settle = () => new Promise((resolve) => setImmediate(resolve));

function setup({ online = true } = {}) {
	const network = { onLine: online };
	Object.defineProperty(globalThis, "navigator", { value: network, configurable: true, writable: true });
	const clock = makeClock();
	const posts = [];
	const states = [];
	const settled = [];
	const sender = makeSender(
		{
			post: (event) => new Promise((answer) => posts.push({ ...event, answer })),
			waiting: (state) => states.push(state),
			settled: (answer) => settled.push(answer.status),
		},
		clock,
	);
	const answer = async (value) => {
		posts.at(-1).answer(value);
		await settle();
	};
	const names = () => posts.map(({ name, data }) => `${name}=${data}`);
	return { network, clock, posts, states, settled, sender, answer, names };
}

test("one post is under way at a time, in order", async () => {
	const { sender, answer, names } = setup();
	sender.send("a", "1", false);
	sender.send("b", "2", false);
	assert.deepEqual(names(), ["a=1"]);
	await answer(accepted);
	assert.deepEqual(names(), ["a=1", "b=2"]);
});

test("a newer event takes the place of a waiting one of its name, never of one under way", async () => {
	const { sender, answer, names } = setup();
	sender.send("a", "1", false);
	for (const data of ["2", "3", "4"]) sender.send("a", data, false);
	await answer(accepted);
	await answer(accepted);
	assert.deepEqual(names(), ["a=1", "a=4"]);
});

test("what was pending before an action stays before it", async () => {
	const { sender, answer, names } = setup();
	sender.send("x", "0", false);
	sender.send("size", "80", false);
	sender.send("apply", "null", true);
	sender.send("size", "90", false);
	for (let i = 0; i < 4; i++) await answer(accepted);
	assert.deepEqual(names(), ["x=0", "size=80", "apply=null", "size=90"]);
});

test("a queue that cannot leave stays bounded", () => {
	const { sender, posts } = setup();
	for (let i = 0; i < 1000; i++) {
		sender.send("size", String(i), false);
		sender.send("apply", String(i), true);
	}
	sender.leave();
	assert.ok(posts.length < 8, `${posts.length}`);
	assert.equal(posts.at(-1).data, "999");
});

test("a refused rate waits as long as it says, and the newest of the name goes", async () => {
	const { clock, sender, answer, names, states, posts } = setup();
	sender.send("a", "1", false);
	await answer({ status: 429, value: { retryAfterMs: 700 } });
	assert.equal(states.at(-1), "rate_limited");
	sender.send("a", "2", false);
	clock.advance(699);
	assert.equal(posts.length, 1);
	clock.advance(1);
	assert.deepEqual(names(), ["a=1", "a=2"]);
});

test("an unknown outcome is retried under the same id, and a newer event follows it", async () => {
	const { clock, sender, answer, posts } = setup();
	sender.send("a", "1", false);
	await answer({ status: 0, value: {} });
	sender.send("a", "2", false);
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

test("a refusal is reported and the next one goes", async () => {
	const { sender, answer, names, settled } = setup();
	sender.send("a", "1", false);
	sender.send("b", "2", false);
	await answer({ status: 409, value: { code: "event_spent" } });
	assert.deepEqual(settled, [409]);
	assert.deepEqual(names(), ["a=1", "b=2"]);
});

test("offline keeps, and sends when the network is back", () => {
	const { network, sender, names, states } = setup({ online: false });
	sender.send("a", "1", false);
	sender.send("a", "2", false);
	assert.deepEqual(names(), []);
	assert.equal(states.at(-1), "offline");
	network.onLine = true;
	sender.retry();
	assert.deepEqual(names(), ["a=2"]);
});

test("leaving sends everything at once, what is under way once more under its id", () => {
	const { sender, posts } = setup();
	sender.send("a", "1", false);
	sender.send("b", "2", false);
	sender.leave();
	assert.deepEqual(
		posts.map(({ name }) => name),
		["a", "a", "b"],
	);
	assert.equal(posts[0].id, posts[1].id);
});

test("idle resolves when the last answer is here", async () => {
	const { sender, answer } = setup();
	await sender.idle();
	sender.send("a", "1", false);
	let idle = false;
	const waited = sender.idle().then(() => {
		idle = true;
	});
	await settle();
	assert.equal(idle, false);
	await answer(accepted);
	await waited;
});

test("dropping forgets what has not left", async () => {
	const { sender, answer, names } = setup();
	sender.send("a", "1", false);
	assert.equal(sender.drop(), false);
	sender.send("b", "2", false);
	assert.equal(sender.drop(), true);
	await answer(accepted);
	assert.deepEqual(names(), ["a=1"]);
});
