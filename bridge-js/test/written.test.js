import assert from "node:assert/strict";
import { test } from "node:test";
import { makeRealm } from "./realm.js";

const OFF = " shadowrootmode=off";

/** What the parser gets of what a script writes, in one or several calls. */
const written = (...pieces) => {
	const realm = makeRealm();
	for (const piece of pieces) realm.run(`Document.prototype.write(${JSON.stringify(piece)})`);
	return realm.written;
};

test("what scripts write arrives as it is", () => {
	assert.equal(written("best ", "9"), "best 9");
	assert.equal(written("<p>5 < 6 && <b>a</b>"), "<p>5 < 6 && <b>a</b>");
	assert.equal(written("<", "b>bold</b", "><t", "able>"), "<b>bold</b><table>");
	assert.equal(written("<template-card a=1>", "<templates>"), "<template-card a=1><templates>");
	const realm = makeRealm();
	realm.run("Document.prototype.writeln('a', 1, null); Document.prototype.write({ toString: () => 'b' })");
	assert.equal(realm.written, "a1null\nb");
});

test("a template cannot be the shadow root of what it stands in, however it is spelt and wherever it is cut", () => {
	const html = "<div><TemPlate\tid='a'\nShadowRootMode=open>x</template></div>";
	const safe = `<div><TemPlate${OFF}\tid='a'\nShadowRootMode=open>x</template></div>`;
	assert.equal(written(html), safe);
	for (let at = 0; at <= html.length; at++) assert.equal(written(html.slice(0, at), html.slice(at)), safe, String(at));
	assert.equal(written(...html), safe);
	assert.equal(written("<template>", "<template/>", "<template "), `<template${OFF}><template${OFF}/><template${OFF} `);
});

test("the source behind a script cannot complete a name that the script began", async () => {
	for (const piece of ["a<", "a<t", "a<TEMPLAT", "a<template"]) {
		const realm = makeRealm();
		realm.run(`Document.prototype.write(${JSON.stringify(piece)})`);
		await Promise.resolve();
		realm.run("Document.prototype.write('b')");
		assert.equal(realm.written, "ab", piece);
	}
});

test("a card that patches strings and arrays changes nothing of it", () => {
	const realm = makeRealm();
	realm.run(`
		String.prototype.indexOf = () => -1;
		String.prototype.charCodeAt = () => 0;
		String.prototype.slice = function () { return String(this) };
		Array.prototype[Symbol.iterator] = function* () {};
		Document.prototype.write("<template shadowrootmode=open>");
	`);
	assert.equal(realm.written, `<template${OFF} shadowrootmode=open>`);
});

test("every parser that is unsafe by name is gone, and nothing else", () => {
	const { run } = makeRealm();
	assert.equal(run("'appendHTMLUnsafe' in Range.prototype || 'parseHTMLUnsafe' in Range"), false);
	assert.equal(run("'stayed' in Range.prototype"), true);
});
