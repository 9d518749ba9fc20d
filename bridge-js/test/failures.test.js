import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { makeFailures } from "../failures.js";

let posts;
let status;
beforeEach(() => {
	posts = [];
	status = 200;
	mock.timers.enable({ apis: ["setTimeout"] });
	globalThis.fetch = async (url, { body }) => {
		posts.push([url, JSON.parse(body)]);
		return { status, json: async () => ({}) };
	};
});
afterEach(() => mock.timers.reset());

const settle = () => new Promise((resolve) => setImmediate(resolve));
const error = (text, line = 0) => ({ type: "error", kind: "error", text, line, column: line });

test("the first three of a load are shown and told together", async () => {
	const element = /** @type {any} */ ({});
	const failures = makeFailures(element, "/c1");
	failures.begin("l1");
	assert.equal(element.hidden, true);
	failures.heard(error("a", 3));
	assert.equal(element.textContent, "An error in this card: a (3:3)");
	for (const text of ["b", "c", "d"]) failures.heard(error(text));
	assert.equal(element.textContent, "3 errors in this card: a (3:3)");
	assert.equal(element.title, "a (3:3)\nb\nc");
	mock.timers.tick(300);
	await settle();
	const errors = [
		{ kind: "error", text: "a", line: 3, column: 3 },
		{ kind: "error", text: "b" },
		{ kind: "error", text: "c" },
	];
	assert.deepEqual(posts, [["/c1/errors", { load: "l1", errors }]]);
	failures.begin("l2");
	assert.equal(element.hidden, true);
	failures.heard(error("e"));
	mock.timers.tick(300);
	await settle();
	assert.deepEqual(posts[1][1], { load: "l2", errors: [{ kind: "error", text: "e" }] });
});

test("what could not be told is told when the portal is back, and what it refuses is dropped", async () => {
	const failures = makeFailures(/** @type {any} */ ({}), "/c1");
	failures.begin("l1");
	status = 502;
	failures.heard(error("a"));
	failures.stuck(true);
	mock.timers.tick(300);
	await settle();
	assert.equal(posts.length, 1);
	status = 404;
	failures.retry();
	await settle();
	failures.retry();
	await settle();
	assert.deepEqual(
		posts.slice(1).map(([, body]) => body),
		[
			{ load: "l1", errors: [{ kind: "error", text: "a" }] },
			{ load: "l1", stuck: true },
		],
	);
});

test("what is heard while a report is under way is in the next one, and none goes twice", async () => {
	const answers = [];
	globalThis.fetch = (url, { body }) => {
		posts.push([url, JSON.parse(body)]);
		return new Promise((resolve) => answers.push(() => resolve({ status: 200, json: async () => ({}) })));
	};
	const failures = makeFailures(/** @type {any} */ ({}), "/c1");
	failures.begin("l1");
	failures.heard(error("a"));
	mock.timers.tick(300);
	failures.heard(error("b"));
	failures.heard(error("c"));
	failures.retry();
	failures.retry();
	assert.equal(posts.length, 1);
	answers[0]();
	await settle();
	assert.deepEqual(
		posts.map(([, { errors }]) => errors.map(({ text }) => text)),
		[["a"], ["b", "c"]],
	);
});

test("that the page stopped it is told beside as many errors as a load may have", async () => {
	const failures = makeFailures(/** @type {any} */ ({}), "/c1");
	failures.begin("l1");
	for (const text of ["a", "b", "c"]) failures.heard(error(text));
	failures.stopped("d");
	mock.timers.tick(300);
	await settle();
	assert.deepEqual(
		posts.map(([, { errors }]) => errors.map(({ text }) => text)),
		[["a", "b", "c"], ["d"]],
	);
});
