import assert from "node:assert/strict";
import { test } from "node:test";
import { announce } from "../announce.js";
import { makeClock } from "./clock.js";

test("a page says one thing in two seconds, of each card the newest, and nothing is left unsaid", () => {
	const time = makeClock();
	const said = [];
	const region = (name) =>
		/** @type {any} */ ({
			set textContent(text) {
				said.push([time.now(), name, text]);
			},
		});
	const [a, b] = [region("a"), region("b")];
	announce(a, "sending", time);
	time.advance(0);
	announce(a, "on its way", time);
	announce(b, "closed", time);
	time.advance(500);
	announce(a, "the agent has it", time);
	time.advance(10_000);
	const start = said[0][0];
	assert.deepEqual(
		said.map(([at, ...rest]) => [at - start, ...rest]),
		[
			[0, "a", "sending"],
			[2000, "b", "closed"],
			[4000, "a", "the agent has it"],
		],
	);
});
