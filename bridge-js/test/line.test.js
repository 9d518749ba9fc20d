import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { makeLine } from "../line.js";

const setup = () => {
	const element = /** @type {any} */ ({ dataset: {}, textContent: "" });
	return { element, line: makeLine(element) };
};

test("each state has its words and its name", () => {
	const { element, line } = setup();
	line.deliver("next_step");
	assert.equal(line.state, "next_step");
	assert.equal(element.textContent, "The agent gets this at its next step.");
	line.say("refused", "Not sent: the card is closed.");
	assert.equal(element.dataset.state, "refused");
	assert.equal(element.textContent, "Not sent: the card is closed.");
	line.say("");
	assert.equal(element.textContent, "");
});

test("a start that is not yet due counts down", () => {
	mock.timers.enable({ apis: ["setTimeout"] });
	let now = 0;
	mock.method(performance, "now", () => now);
	const { element, line } = setup();
	line.deliver("starting", 7500);
	assert.equal(element.textContent, "The agent starts on this in 8 s.");
	now = 3000;
	mock.timers.tick(250);
	assert.equal(element.textContent, "The agent starts on this in 5 s.");
	now = 7600;
	mock.timers.tick(250);
	assert.equal(element.textContent, "Starting the agent on this…");
	mock.reset();
});

test("a newer state ends the countdown", () => {
	mock.timers.enable({ apis: ["setTimeout"] });
	const { element, line } = setup();
	line.deliver("starting", 5000);
	line.deliver("delivered");
	mock.timers.tick(1000);
	assert.equal(element.textContent, "The agent has this.");
	mock.reset();
});
