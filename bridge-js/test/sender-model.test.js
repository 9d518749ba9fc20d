import assert from "node:assert/strict";
import { test } from "node:test";
import { makeSender } from "../sender.js";
import { makeClock } from "./clock.js";
import { makeShelf } from "./shelf.js";

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Numbers that a seed gives again: mulberry32. */
const dice = (seed) => () => {
	seed = (seed + 0x6d2b79f5) | 0;
	let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
	t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
	return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
};

const NAMES = ["size", "colour", "apply", "save"];
const isAction = (name) => name === "apply" || name === "save";

/** A server half that drops ids it has, and a person with a bad connection in front of it. */
async function run(seed) {
	const random = dice(seed);
	const pick = (list) => list[Math.floor(random() * list.length)];
	const network = { onLine: true };
	Object.defineProperty(globalThis, "navigator", { value: network, configurable: true, writable: true });
	/** A page's timers go with it. */
	let clock = makeClock();
	const unsent = makeShelf();
	/** What the person did, and what the server half took, each once. */
	const did = [];
	const took = [];
	const taken = new Set();
	const refused = [];
	const open = [];
	let sender;
	let living = 0;

	const take = (event) => {
		if (taken.has(event.id)) return;
		taken.add(event.id);
		took.push(event);
	};
	const load = () => {
		const mine = ++living;
		clock = makeClock();
		sender = makeSender(
			{
				post: (event) =>
					new Promise((answer) => {
						// Requests of a page that is gone get no answer.
						open.push({ event: { ...event }, answer: (value) => mine === living && answer(value), mine });
					}),
				waiting() {},
				settled: ({ status }, _left) => status >= 300 && refused.push(status),
				unsent,
			},
			clock,
		);
		sender.restore();
	};
	/** One of each page at a time, but for those sent as the page went. */
	const answerOne = async (kind) => {
		const request = open.shift();
		if (!request) return;
		const { event, answer } = request;
		if (kind === "lost on the way") answer({ status: 0, value: {} });
		else if (kind === "rate") answer({ status: 429, value: { retryAfterMs: 200 } });
		else if (kind === "broken") answer({ status: 500, value: {} });
		else {
			take(event);
			answer(kind === "answer lost" ? { status: 0, value: {} } : { status: 202, value: {} });
		}
		await settle();
	};

	load();
	for (let i = 0; i < 120; i++) {
		const dice = random();
		if (dice < 0.35) {
			const name = pick(NAMES);
			const event = { name, data: String(i), action: isAction(name) };
			did.push(event);
			sender.send({ load: "l", ...event });
		} else if (dice < 0.75)
			await answerOne(pick(["taken", "taken", "lost on the way", "answer lost", "rate", "broken"]));
		else if (dice < 0.87) clock.advance(pick([10, 200, 600, 4000, 16_000]));
		else if (dice < 0.92) network.onLine = false;
		else if (dice < 0.97) {
			network.onLine = true;
			sender.retry();
		} else {
			sender.leave();
			// The connection breaks somewhere among what goes out at once.
			living++;
			for (let arrives = true; open.length; arrives &&= random() < 0.7)
				await answerOne(arrives ? "taken" : "lost on the way");
			load();
		}
		const mine = open.filter((request) => request.mine === living);
		assert.ok(mine.length <= 1, `seed ${seed}: ${mine.length} under way at once`);
	}
	network.onLine = true;
	for (let i = 0; i < 200 && (open.length || clock.waiting); i++) {
		sender.retry();
		await answerOne("taken");
		clock.advance(16_000);
	}
	return { did, took, refused, unsent };
}

test("whatever becomes of its requests, the newest of every name arrives, each once, in the order it was done", async () => {
	for (let seed = 1; seed <= 300; seed++) {
		const { did, took, refused, unsent } = await run(seed);
		const at = took.map(({ data }) => Number(data));
		assert.deepEqual(
			at,
			[...new Set(at)].sort((a, b) => a - b),
			`seed ${seed}: once and in order`,
		);
		for (const name of NAMES) {
			const last = (list) => list.filter((event) => event.name === name).at(-1)?.data;
			assert.equal(last(took), last(did), `seed ${seed}: the newest ${name}`);
		}
		// What an action found pending went before it.
		for (const [i, event] of took.entries()) {
			if (!event.action) continue;
			const since = took.slice(0, i).findLastIndex((earlier) => earlier.action) + 1;
			const before = did.slice(
				0,
				did.findIndex(({ data }) => data === event.data),
			);
			const pending = before.slice(before.findLastIndex((earlier) => earlier.action) + 1);
			for (const { name } of pending) {
				const newest = pending.filter((other) => other.name === name).at(-1)?.data;
				const seen = took.slice(since, i).filter((other) => other.name === name);
				assert.ok(seen.at(-1)?.data === newest, `seed ${seed}: ${name} before the action`);
			}
		}
		assert.deepEqual(refused, []);
		assert.deepEqual(unsent.events, []);
	}
});
