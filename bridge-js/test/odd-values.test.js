import assert from "node:assert/strict";
import { test } from "node:test";
import { counts, readBridge, readHello } from "../messages.js";

const KNOWN = ["pressed", "active", "escape", "left", "emit", "height", "alive", "error"];

/** A generator of its own, so that a failure comes again. */
const makeRandom = (seed) => () => {
	seed = (seed + 0x6d2b79f5) | 0;
	let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
	t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
	return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
};

const makeValues = (random) => {
	const pick = (list) => list[Math.floor(random() * list.length)];
	const LEAVES = [
		() => undefined,
		() => null,
		() => random() < 0.5,
		() => pick([0, -0, 1, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, 1e6, 999_999, 1e-7]),
		() => BigInt(Math.floor(random() * 1e9)) ** 7n,
		() => pick(["", "go", "emit", '{"a":1}', "\ud800", "constructor", "__proto__", "x".repeat(100_000)]),
		() => pick(KNOWN),
		() => new Date(pick([0, Number.NaN])),
		() => /x/gi,
		() => new Error("odd"),
		() => new ArrayBuffer(8),
		() => new Uint8Array(3),
		() => Object(pick([true, 1, "emit", 1n])),
		() => new Blob(["x"]),
	];
	const KEYS = [
		"type",
		"name",
		"data",
		"held",
		"height",
		"n",
		"kind",
		"text",
		"line",
		"column",
		"nonce",
		"length",
		"__proto__",
		"toString",
		"valueOf",
		"then",
	];
	const value = (depth = 0) => {
		const kind = random();
		if (depth > 3 || kind < 0.4) return pick(LEAVES)();
		if (kind < 0.5) return Array.from({ length: Math.floor(random() * 4) }, () => value(depth + 1));
		if (kind < 0.55) return new Map([[value(depth + 1), value(depth + 1)]]);
		if (kind < 0.6) return new Set([value(depth + 1)]);
		const made = {};
		for (const key of KEYS)
			if (random() < 0.4)
				Object.defineProperty(made, key, {
					enumerable: true,
					configurable: true,
					value: key === "type" && random() < 0.7 ? pick(KNOWN) : value(depth + 1),
				});
		if (random() < 0.1) made.self = made;
		return made;
	};
	return value;
};

/** What a message may be once it is read: these fields, of these kinds, and no others. */
const isKnown = (heard) => {
	const { type, ...fields } = heard;
	const kinds = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, typeof field]));
	const wanted = {
		emit: { name: "string", data: "string", held: "boolean" },
		height: { height: "number" },
		alive: { n: "number" },
	};
	assert.ok(KNOWN.includes(type));
	assert.deepEqual(kinds, wanted[type] ?? {});
	if (type === "height") assert.ok(Number.isSafeInteger(heard.height) && heard.height > 0 && heard.height < 1e6);
};

test("of a hundred thousand odd values none throws, and each is a known message or counted as ignored", () => {
	const seed = Number(process.env.SEED ?? 4);
	const value = makeValues(makeRandom(seed));
	let known = 0;
	for (let i = 0; i < 100_000; i++) {
		// As it would come out of postMessage.
		const message = structuredClone(value());
		const before = counts.ignored;
		const heard = readBridge(message);
		assert.equal(counts.ignored - before, heard ? 0 : 1, `value ${i} of seed ${seed}`);
		if (!heard) continue;
		isKnown(heard);
		known++;
	}
	assert.ok(known > 1000, `${known} were known: the values are not odd in the right way`);
});

test("no odd value sent to the page's window is a hello, whoever sends it", () => {
	const value = makeValues(makeRandom(5));
	const frame = {};
	const port = {};
	for (let i = 0; i < 20_000; i++) {
		const data = structuredClone(value());
		for (const source of [frame, {}, null])
			for (const ports of [[], [port], [port, port]])
				assert.equal(readHello(/** @type {any} */ ({ source, data, ports }), frame, "the nonce"), null);
	}
	const hello = { type: "inline-ui:hello", nonce: "the nonce" };
	assert.equal(readHello(/** @type {any} */ ({ source: frame, data: hello, ports: [port] }), frame, "the nonce"), port);
});
