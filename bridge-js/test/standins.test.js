import assert from "node:assert/strict";
import { test } from "node:test";
import { makeRealm } from "./realm.js";

test("storage works as long as the card is loaded, and each of the two is its own", () => {
	const { run } = makeRealm();
	assert.equal(run("localStorage.getItem('best')"), null);
	assert.equal(run("localStorage.setItem('best', 9); +localStorage.getItem('best')"), 9);
	assert.equal(run("sessionStorage.getItem('best')"), null);
	assert.equal(run("localStorage.best"), "9");
	assert.equal(run("localStorage.other = { toString: () => 'text' }; localStorage.getItem('other')"), "text");
	assert.equal(run("localStorage.length + Object.keys(localStorage).join() + localStorage.key(1)"), "2best,otherother");
	assert.equal(run("localStorage.key(2)"), null);
	assert.equal(run("'best' in localStorage"), true);
	assert.equal(run("localStorage.removeItem('best'); delete localStorage.other; localStorage.length"), 0);
	assert.equal(run("localStorage.setItem('a', 1); localStorage.clear(); localStorage.getItem('a')"), null);
	assert.equal(run("String(localStorage)"), "[object Storage]");
	assert.equal(run("localStorage.setItem('__proto__', 'x'); localStorage.getItem('__proto__')"), "x");
	assert.equal(run("localStorage.setItem('getItem', 'x'); localStorage.getItem('getItem')"), "x");
});

test("dialogs and windows answer at once with nothing, and say so on the console", () => {
	const { run, warnings } = makeRealm();
	for (const [call, answer] of [
		["alert('a')", undefined],
		["confirm('a')", false],
		["prompt('a', 'b')", null],
		["open('https://example.org')", null],
	])
		assert.equal(run(call), answer, call);
	assert.deepEqual(warnings, [
		["alert() does nothing in a card"],
		["confirm() does nothing in a card"],
		["prompt() does nothing in a card"],
		["open() does nothing in a card"],
	]);
});

test("a card may put its own in their place", () => {
	const { run } = makeRealm();
	assert.equal(run("'use strict'; window.localStorage = { getItem: () => 'mine' }; localStorage.getItem('a')"), "mine");
	assert.equal(run("'use strict'; window.confirm = () => true; confirm()"), true);
});
