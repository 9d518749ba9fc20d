import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

const folder = new URL("../", import.meta.url);
const read = (name) => readFileSync(new URL(name, folder), "utf8");
const zipped = (text) => gzipSync(text, { level: 9 }).length;
const bridge = ["errors.js", "card.js", "standins.js"];
const pageHalf = readdirSync(folder).filter((name) => name.endsWith(".js") && !bridge.includes(name));

// It is part of every card, so its size is every card's; the limit leaves room to write it readably.
test("the bridge is at most 9 KiB gzipped, as it stands", () => {
	const size = zipped(bridge.map(read).join(""));
	assert.ok(size <= 9216, `${size} bytes`);
});

test("the page half's modules together are at most 18 kB gzipped, as they stand", () => {
	// More than 10 kB: what keeps every event and says what became of it, has many cards take turns, enlarges a card,
	// holds its height, announces it and tells what it throws, in readable code.
	const size = zipped(pageHalf.map(read).join(""));
	assert.ok(size <= 18_000, `${size} bytes`);
});

test("the base sheet is at most 6 KiB", () => {
	assert.ok(Buffer.byteLength(read("base.css")) <= 6144);
});

test("the bridge has its configuration's place exactly once, and nothing that ends or hides a script element", () => {
	const text = read("card.js");
	assert.equal(text.split("__INLINE_UI_CONFIG__").length, 2);
	assert.match(text, /\}\)\(__INLINE_UI_CONFIG__\);\s*$/);
	for (const part of bridge) assert.doesNotMatch(read(part), /<\/script|<!--|^\s*(import|export)\b/im);
});

test("the page half's modules import each other by relative path and nothing else", () => {
	for (const name of pageHalf)
		for (const [, from] of read(name).matchAll(/\bfrom "([^"]+)"/g)) assert.match(from, /^\.\/[a-z]+\.js$/, name);
});

test("the page half sets no inline style in markup, which the portal's policy forbids", () => {
	for (const name of pageHalf) assert.doesNotMatch(read(name), /\sstyle="|<style|setAttribute\("style"/, name);
});

test("no file is over 600 lines", () => {
	for (const name of [...pageHalf, ...bridge]) assert.ok(read(name).split("\n").length <= 600, name);
});
