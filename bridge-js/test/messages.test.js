import assert from "node:assert/strict";
import { test } from "node:test";
import { counts, readBridge, readHello } from "../messages.js";

const ignored = (act) => {
	const before = counts.ignored;
	act();
	return counts.ignored - before;
};

test("known messages are copied field by field", () => {
	const emit = { type: "emit", name: "pick", data: "1", held: false, extra: "x" };
	assert.deepEqual(readBridge(emit), { type: "emit", name: "pick", data: "1", held: false });
	assert.deepEqual(readBridge({ type: "height", height: 12, html: "" }), { type: "height", height: 12 });
	assert.deepEqual(readBridge({ type: "alive", n: 3 }), { type: "alive", n: 3 });
	const error = { type: "error", kind: "policy", text: "a", line: 0, column: 7 };
	assert.deepEqual(readBridge({ ...error, extra: 1 }), error);
	assert.equal(readBridge({ ...error, text: "x".repeat(600) })?.text.length, 500);
	for (const type of ["pressed", "active", "left"]) assert.deepEqual(readBridge({ type, x: 1 }), { type });
});

test("anything else is ignored and counted", () => {
	const others = [
		null,
		undefined,
		7,
		"pressed",
		[],
		{},
		{ type: "open" },
		{ type: "emit", name: 1, data: "1" },
		{ type: "emit", name: "a", data: { b: 1 } },
		{ type: "height", height: 0 },
		{ type: "height", height: -5 },
		{ type: "height", height: 1.5 },
		{ type: "height", height: Number.POSITIVE_INFINITY },
		{ type: "height", height: 1e9 },
		{ type: "height", height: "40" },
		{ type: "alive", n: "1" },
		{ type: "error", kind: "error", text: "a" },
		{ type: "error", kind: "stuck", text: "a", line: 1, column: 1 },
		{ type: "error", kind: "error", text: {}, line: 1, column: 1 },
		{ type: "error", kind: "error", text: "a", line: -1, column: 1 },
		{ type: "error", kind: "error", text: "a", line: 1, column: 1.5 },
	];
	assert.equal(
		ignored(() => {
			for (const message of others) assert.equal(readBridge(message), null);
		}),
		others.length,
	);
});

test("a hello counts from the right window with the right nonce and one port, whatever its origin", () => {
	const frame = {};
	const port = /** @type {any} */ ({});
	const event = (changes = {}) =>
		/** @type {any} */ ({
			source: frame,
			origin: "null",
			data: { type: "inline-ui:hello", nonce: "n" },
			ports: [port],
			...changes,
		});
	assert.equal(readHello(event(), frame, "n"), port);
	assert.equal(readHello(event({ source: {} }), frame, "n"), null);
	assert.equal(readHello(event({ source: undefined }), undefined, "n"), null);
	assert.equal(
		ignored(() => {
			assert.equal(readHello(event(), frame, "other"), null);
			assert.equal(readHello(event({ ports: [] }), frame, "n"), null);
			assert.equal(readHello(event({ ports: [port, port] }), frame, "n"), null);
			assert.equal(readHello(event({ data: "inline-ui:hello" }), frame, "n"), null);
		}),
		4,
	);
});
