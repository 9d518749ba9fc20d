import assert from "node:assert/strict";
import { test } from "node:test";
import { takeTurn } from "../turns.js";

const settle = () => new Promise((resolve) => setImmediate(resolve));
const cardAt = (top) => /** @type {any} */ ({ getBoundingClientRect: () => ({ top }) });

test("four cards load at once, then those nearest to what is looked at, however often a turn is given back", async () => {
	Object.assign(globalThis, { innerHeight: 1000 });
	const began = [];
	const ends = [];
	for (const top of [0, 1, 2, 3, 9000, 600, -3000])
		takeTurn(cardAt(top)).then((over) => {
			began.push(top);
			ends.push(over);
		});
	await settle();
	assert.deepEqual(began, [0, 1, 2, 3]);
	ends[0]();
	ends[0]();
	await settle();
	assert.deepEqual(began.slice(4), [600]);
	ends[1]();
	ends[2]();
	await settle();
	assert.deepEqual(began.slice(4), [600, -3000, 9000]);
});
