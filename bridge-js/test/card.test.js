import assert from "node:assert/strict";
import { test } from "node:test";
import { makeRealm } from "./realm.js";

const emits = ({ sent }) => sent.filter(({ type }) => type === "emit").map(({ name, data }) => [name, data]);

test("it says hello to the page two frames up, with its nonce and one port, and leaves no script behind", () => {
	const realm = makeRealm();
	assert.deepEqual(realm.hello, { message: { type: "inline-ui:hello", nonce: "nonce" }, target: "*", ports: 1 });
	assert.equal(realm.scriptRemoved, true);
});

test("the global is frozen and cannot be replaced", () => {
	const { pithagoras, run } = makeRealm();
	assert.ok(Object.isFrozen(pithagoras));
	assert.throws(() => run("'use strict'; pithagoras = 1"), /read only|Cannot assign/);
	assert.throws(() => run("'use strict'; pithagoras.emit = 1"), /read only|Cannot assign/);
	assert.deepEqual([...pithagoras.events], ["move", "go"]);
	assert.equal(pithagoras.card.id, "c1");
	assert.equal(pithagoras.theme.mode, "dark");
	assert.equal(pithagoras.theme.colors.canvas, "#102030");
});

test("nothing leaves a card nobody touched, and a trusted press changes that", () => {
	const realm = makeRealm();
	assert.equal(realm.pithagoras.emit("go", 1), false);
	assert.match(realm.warnings[0].join(" "), /nobody has touched/);
	realm.fire("pointerdown", { isTrusted: false });
	assert.equal(realm.pithagoras.emit("go", 1), false);
	realm.fire("pointerdown", { isTrusted: true });
	assert.equal(realm.pithagoras.emit("go", 1), true);
	assert.deepEqual(
		realm.sent.map(({ type }) => type),
		["pressed", "active", "emit"],
	);
	assert.equal(realm.sent.at(-1).held, false);
});

test("an emit within 500 ms of a trusted key press is held for the page", () => {
	const realm = makeRealm();
	realm.tick(1000);
	realm.fire("keydown", { isTrusted: true });
	realm.tick(499);
	assert.equal(realm.pithagoras.emit("go"), true);
	assert.deepEqual(
		realm.sent.map(({ type, held }) => [type, held]),
		[["emit", true]],
	);
	realm.tick(2);
	assert.equal(realm.pithagoras.emit("go"), false);
});

test("the page opens the gate, and a closed card sends nothing", () => {
	const realm = makeRealm();
	realm.say({ type: "open" });
	assert.equal(realm.pithagoras.emit("go"), true);
	realm.say({ type: "closed" });
	assert.equal(realm.pithagoras.emit("go"), false);
});

test("an emit is refused for a name that is not declared and for what is not JSON", () => {
	const { pithagoras, say, sent, run } = makeRealm();
	say({ type: "open" });
	for (const name of ["submitted", "toString", "__proto__", 7, null, undefined, ["go"]])
		assert.equal(pithagoras.emit(name, 1), false, String(name));
	assert.equal(pithagoras.emit("go", 1n), false);
	assert.equal(
		pithagoras.emit("go", () => {}),
		false,
	);
	assert.equal(run("let a = {}; a.a = a; pithagoras.emit('go', a)"), false);
	assert.deepEqual(sent, []);
	assert.equal(pithagoras.emit("go"), true);
	assert.equal(sent[0].data, "null");
});

test("data is 32768 bytes of UTF-8 at most, and 64 deep", () => {
	const { pithagoras, say } = makeRealm();
	say({ type: "open" });
	const deep = (levels) => JSON.parse("[".repeat(levels) + "]".repeat(levels));
	assert.equal(pithagoras.emit("go", "a".repeat(32_766)), true);
	assert.equal(pithagoras.emit("go", "a".repeat(32_767)), false);
	assert.equal(pithagoras.emit("go", "é".repeat(16_383)), true);
	assert.equal(pithagoras.emit("go", "é".repeat(16_384)), false);
	assert.equal(pithagoras.emit("go", "😀".repeat(8191)), true);
	assert.equal(pithagoras.emit("go", "😀".repeat(8192)), false);
	assert.equal(pithagoras.emit("go", deep(64)), true);
	assert.equal(pithagoras.emit("go", deep(65)), false);
	assert.equal(pithagoras.emit("go", "[".repeat(100)), true);
});

test("data is taken at the call", () => {
	const realm = makeRealm();
	realm.say({ type: "open" });
	const data = { n: 1 };
	realm.pithagoras.emit("move", data);
	data.n = 2;
	realm.tick(20);
	assert.deepEqual(emits(realm), [["move", '{"n":1}']]);
});

test("a burst of one name is one message, and an action takes it along first", () => {
	const realm = makeRealm();
	realm.say({ type: "open" });
	for (let i = 0; i < 500; i++) realm.pithagoras.emit("move", i);
	assert.deepEqual(emits(realm), []);
	realm.tick(16);
	assert.deepEqual(emits(realm), [["move", "499"]]);
	realm.pithagoras.emit("move", 500);
	realm.pithagoras.emit("go", null);
	assert.deepEqual(emits(realm).slice(1), [
		["move", "500"],
		["go", "null"],
	]);
	realm.tick(50);
	assert.equal(emits(realm).length, 3);
});

test("what is gathered goes when the page is hidden", () => {
	const realm = makeRealm();
	realm.say({ type: "open" });
	realm.pithagoras.emit("move", 1);
	realm.fire("pagehide", { isTrusted: true, persisted: false });
	assert.deepEqual(
		realm.sent.map(({ type }) => type),
		["emit", "left"],
	);
});

test("onData gets the latest post, then each newer one, and can be stopped", async () => {
	const realm = makeRealm();
	realm.say({ type: "post", n: 3, data: '{"n":3}' });
	const seen = [];
	const stop = realm.pithagoras.onData((data) => seen.push(data.n));
	await Promise.resolve();
	realm.say({ type: "post", n: 4, data: '{"n":4}' });
	realm.say({ type: "post", n: 4, data: '{"n":4}' });
	stop();
	realm.say({ type: "post", n: 5, data: '{"n":5}' });
	assert.deepEqual(seen, [3, 4]);
});

test("one subscriber that throws does not stop the next", () => {
	const realm = makeRealm();
	const seen = [];
	realm.pithagoras.onData(() => {
		throw new Error("mine");
	});
	realm.pithagoras.onData((data) => seen.push(data));
	realm.say({ type: "post", n: 1, data: "1" });
	assert.deepEqual(seen, [1]);
	assert.equal(realm.reported.length, 1);
});

test("a new description changes title and names", () => {
	const realm = makeRealm();
	realm.say({ type: "open" });
	realm.say({ type: "card", title: "New", events: [{ name: "other", action: true }] });
	assert.equal(realm.pithagoras.card.title, "New");
	assert.deepEqual([...realm.pithagoras.events], ["other"]);
	assert.equal(realm.pithagoras.emit("go"), false);
	assert.equal(realm.pithagoras.emit("other"), true);
});

test("a theme is replaced whole and the window is told", () => {
	const realm = makeRealm();
	const before = realm.dispatched.length;
	realm.say({ type: "theme", mode: "light", colors: { canvas: "#ffffff" } });
	assert.equal(realm.pithagoras.theme.mode, "light");
	assert.ok(Object.isFrozen(realm.pithagoras.theme.colors));
	assert.deepEqual(realm.dispatched.slice(before), ["pithagoras:theme"]);
});

test("no card code runs while the port's event is handled, where window.event would lead to the port", () => {
	const realm = makeRealm();
	realm.run("pithagoras.onData(() => { globalThis.seen = [globalThis.event] })");
	realm.say({ type: "post", n: 1, data: "1" });
	assert.equal(realm.run("seen.length"), 1);
	assert.equal(realm.run("seen[0]"), undefined);
});

test("it answers a ping", () => {
	const realm = makeRealm();
	realm.say({ type: "ping", n: 9 });
	assert.deepEqual(realm.sent, [{ type: "alive", n: 9 }]);
});

test("a card that tampers with what the bridge uses changes nothing", () => {
	const realm = makeRealm();
	realm.run(`
		for (const owner of [Array.prototype, Object.prototype, Function.prototype, Map.prototype, String.prototype, JSON, Reflect])
			for (const name of Object.getOwnPropertyNames(owner))
				try { if (typeof owner[name] === "function" && name !== "constructor") owner[name] = () => { throw new Error("tampered") } } catch {}
		Object.prototype.held = false;
	`);
	assert.equal(realm.pithagoras.emit("go", 1), false);
	realm.fire("pointerdown", { isTrusted: true });
	assert.equal(realm.pithagoras.emit("move", { a: [1] }), true);
	assert.equal(realm.pithagoras.emit("go", 1), true);
	assert.deepEqual(
		realm.sent.filter(({ type }) => type === "emit").map(({ name }) => name),
		["move", "go"],
	);
});
