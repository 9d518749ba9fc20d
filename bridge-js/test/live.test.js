import assert from "node:assert/strict";
import { test } from "node:test";

let see;
const cards = [];
Object.assign(globalThis, {
	innerHeight: 1000,
	IntersectionObserver: class {
		constructor(callback) {
			see = (...tops) => {
				callback(tops.map(([n, isIntersecting]) => ({ target: cards[n], isIntersecting })));
			};
		}
		observe() {}
		unobserve() {}
	},
});
const { makeLive } = await import("../live.js");

/** Thirty cards, each 500 px below the one before it, and the names of what runs. */
const thirty = (stays = () => false) => {
	const running = new Set();
	const members = Array.from({ length: 30 }, (_, n) => {
		cards[n] = /** @type {any} */ ({ getBoundingClientRect: () => ({ top: n * 500 }) });
		return makeLive(cards[n], {
			run: () => running.add(n),
			rest: () => running.delete(n),
			stays: () => stays(n),
		});
	});
	const numbers = () => [...running].sort((a, b) => a - b);
	const leave = () => {
		for (const member of members) member.leave();
	};
	return { running, members, numbers, leave };
};
const range = (from, to) => Array.from({ length: to - from }, (_, n) => n + from);

test("of many cards the nearest 24 run, and nothing before it was laid out", () => {
	const { members, numbers, leave } = thirty();
	for (const member of members) member.want();
	assert.deepEqual(numbers(), []);
	see(...range(0, 30).map((n) => [n, n < 3]));
	assert.deepEqual(numbers(), range(0, 24));
	leave();
});

test("one that comes near runs, and the farthest that nobody used rests", () => {
	const { members, numbers, leave } = thirty((n) => n === 23);
	for (const member of members) member.want();
	see(...range(0, 30).map((n) => [n, n < 3]));
	see([29, true]);
	assert.deepEqual(numbers(), [...range(0, 22), 23, 29]);
	// What rests comes back when it is near.
	see([22, true]);
	assert.deepEqual(numbers(), [...range(0, 21), 22, 23, 29]);
	leave();
});

test("one that stopped makes room and runs again only when it is wanted", () => {
	const { members, running, numbers, leave } = thirty();
	for (const member of members) member.want();
	see(...range(0, 30).map((n) => [n, n < 3]));
	running.delete(0);
	members[0].ended();
	assert.deepEqual(numbers(), range(1, 25));
	members[0].want();
	assert.deepEqual(numbers(), range(0, 24), "it is near, so the farthest makes room");
	leave();
});

test("one that runs and is wanted again is drawn again", () => {
	let drawn = 0;
	cards[0] = /** @type {any} */ ({ getBoundingClientRect: () => ({ top: 0 }) });
	const one = makeLive(cards[0], { run: () => drawn++, rest() {}, stays: () => false });
	one.want();
	see([0, true]);
	one.want();
	assert.equal(drawn, 2);
	one.leave();
});
