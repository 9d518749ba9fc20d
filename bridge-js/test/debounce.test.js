import assert from "node:assert/strict";
import { test } from "node:test";
import { makeDebounce } from "../debounce.js";
import { makeClock } from "./clock.js";

function setup(waits = {}) {
	const clock = makeClock();
	const sent = [];
	const debounce = makeDebounce(
		(name, data) => sent.push([name, data, clock.now()]),
		(name) => waits[name] ?? 400,
		clock,
	);
	return { clock, sent, debounce };
}

test("an event goes when its name has been quiet for its debounce", () => {
	const { clock, sent, debounce } = setup();
	debounce.push("name", "1");
	clock.advance(300);
	debounce.push("name", "2");
	clock.advance(399);
	assert.deepEqual(sent, []);
	clock.advance(1);
	assert.deepEqual(sent, [["name", "2", 700]]);
});

test("a name that never rests goes at the ceiling", () => {
	const { clock, sent, debounce } = setup();
	for (let i = 0; i < 500; i++) {
		debounce.push("move", String(i));
		clock.advance(8);
	}
	assert.deepEqual(
		sent.map(([, , at]) => at),
		[1600, 3200],
	);
});

test("the ceiling is at least a second", () => {
	const { clock, sent, debounce } = setup({ move: 50 });
	for (let i = 0; i < 300; i++) {
		debounce.push("move", String(i));
		clock.advance(8);
	}
	assert.deepEqual(
		sent.map(([, , at]) => at),
		[1000, 2000],
	);
});

test("an hour of dragging is at most one event a ceiling and leaves nothing behind", () => {
	const { clock, sent, debounce } = setup();
	for (let i = 0; i < 3_600_000 / 8; i++) {
		debounce.push("move", String(i));
		clock.advance(8);
	}
	assert.ok(sent.length <= 3_600_000 / 1600, `${sent.length}`);
	clock.advance(400);
	assert.equal(sent.at(-1)[1], String(3_600_000 / 8 - 1));
	assert.equal(clock.waiting, 0);
});

test("an action goes at once, and what is pending goes before it in the order of the newest emits", () => {
	const { clock, sent, debounce } = setup({ apply: 0, size: 1000 });
	debounce.push("size", "10");
	debounce.push("colour", '"red"');
	debounce.push("size", "80");
	debounce.push("apply", "null");
	assert.deepEqual(
		sent.map(([name, data]) => [name, data]),
		[
			["colour", '"red"'],
			["size", "80"],
			["apply", "null"],
		],
	);
	clock.advance(5000);
	assert.equal(sent.length, 3);
});

test("names wait apart from each other", () => {
	const { clock, sent, debounce } = setup({ slow: 5000 });
	debounce.push("slow", "1");
	debounce.push("quick", "2");
	clock.advance(400);
	assert.deepEqual(sent, [["quick", "2", 400]]);
	clock.advance(4600);
	assert.deepEqual(sent.at(-1), ["slow", "1", 5000]);
});

test("dropping forgets, and says whether there was anything", () => {
	const { clock, sent, debounce } = setup();
	assert.equal(debounce.drop(), false);
	debounce.push("a", "1");
	assert.equal(debounce.drop(), true);
	clock.advance(5000);
	assert.deepEqual(sent, []);
});
