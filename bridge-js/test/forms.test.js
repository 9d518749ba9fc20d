import assert from "node:assert/strict";
import { test } from "node:test";
import { makeRealm } from "./realm.js";

const form = (event, ...entries) => ({ attributes: event === undefined ? {} : { "data-event": event }, entries });

/** Submits the form as the window sees it, when the author's handlers have run. */
const submit = (realm, target, { prevented = false } = {}) => {
	const event = { type: "submit", isTrusted: true, prevented, path: [target], submitter: null };
	realm.fire("submit", event);
	return event;
};

const emits = ({ sent }) =>
	sent.filter(({ type }) => type === "emit").map(({ name, data }) => [name, JSON.parse(data)]);

test("a form that names a declared event is sent as that event, and is never submitted", () => {
	const realm = makeRealm();
	realm.say({ type: "open" });
	const event = submit(realm, form("go", ["city", "Oslo"], ["act", "go"]));
	assert.equal(event.prevented, true);
	assert.deepEqual(emits(realm), [["go", { city: "Oslo", act: "go" }]]);
});

test("fields of one name are a list, and any name is a name", () => {
	const realm = makeRealm();
	realm.say({ type: "open" });
	submit(realm, form("go", ["a", "1"], ["a", "2"], ["a", "3"], ["__proto__", "x"]));
	const [[, data]] = emits(realm);
	assert.deepEqual(data.a, ["1", "2", "3"]);
	assert.deepEqual(Object.keys(data), ["a", "__proto__"]);
});

test("a form that names no event, or none of the card's, is only kept from being submitted", () => {
	const realm = makeRealm();
	realm.say({ type: "open" });
	for (const name of [undefined, "", "gone", "Go", "toString"])
		assert.equal(submit(realm, form(name, ["a", "1"])).prevented, true);
	assert.deepEqual(emits(realm), []);
});

test("a form whose handler took it is the author's business", () => {
	const realm = makeRealm();
	realm.say({ type: "open" });
	submit(realm, form("go", ["a", "1"]), { prevented: true });
	assert.deepEqual(emits(realm), []);
});

test("a form in a card nobody touched sends nothing", () => {
	const realm = makeRealm();
	submit(realm, form("go", ["a", "1"]));
	assert.deepEqual(emits(realm), []);
	realm.fire("pointerdown", { isTrusted: true });
	submit(realm, form("go", ["a", "1"]));
	assert.deepEqual(emits(realm), [["go", { a: "1" }]]);
});

test("nothing is sent while a word is being composed", () => {
	const realm = makeRealm();
	realm.say({ type: "open" });
	realm.fire("compositionstart", { isTrusted: true });
	assert.equal(submit(realm, form("go", ["a", "に"])).prevented, true);
	assert.deepEqual(emits(realm), []);
	realm.fire("compositionend", { isTrusted: true });
	submit(realm, form("go", ["a", "日本"]));
	assert.deepEqual(emits(realm), [["go", { a: "日本" }]]);
	realm.fire("compositionstart", { isTrusted: false });
	submit(realm, form("go", ["a", "x"]));
	assert.equal(emits(realm).length, 2);
});
