import assert from "node:assert/strict";
import { test } from "node:test";
import { makeGate } from "../gate.js";
import { makeClock } from "./clock.js";

function setup() {
	const clock = makeClock();
	const out = [];
	const gate = makeGate(
		({ name }) => out.push(name),
		() => out.push("(open)"),
		clock,
	);
	const emit = (name, held = false) => gate.take({ type: "emit", name, data: "1", held });
	return { clock, out, gate, emit };
}

test("nothing leaves while it is shut, and all does once it is open", () => {
	const { out, gate, emit } = setup();
	assert.equal(emit("a"), false);
	gate.open();
	assert.equal(emit("b"), true);
	assert.deepEqual(out, ["(open)", "b"]);
});

test("a held event goes, in order, when the gate opens in time", () => {
	const { clock, out, gate, emit } = setup();
	emit("a", true);
	emit("b", true);
	clock.advance(499);
	gate.open();
	gate.open();
	assert.deepEqual(out, ["(open)", "a", "b"]);
});

test("a held event is dropped when it does not", () => {
	const { clock, out, gate, emit } = setup();
	emit("a", true);
	clock.advance(500);
	gate.open();
	assert.deepEqual(out, ["(open)"]);
});
