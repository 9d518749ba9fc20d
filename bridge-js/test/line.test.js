import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { makeLine, reasonOf, unsentText } from "../line.js";

const setup = () => {
	const element = /** @type {any} */ ({ dataset: {}, textContent: "" });
	const line = makeLine(element);
	const is = (state, text) => assert.deepEqual([element.dataset.state, element.textContent], [state, text]);
	return { line, is };
};

test("each state of the delivery has its words and its name", () => {
	const { line, is } = setup();
	line.deliver("next_step");
	is("next_step", "The agent gets this at its next step.");
	line.deliver("starting");
	is("starting", "Starting the agent on this…");
	line.deliver("next_message");
	is("next_message", "The agent gets this with your next message.");
	line.deliver("delivered");
	is("delivered", "The agent has this.");
});

test("a start that is not yet due counts down", () => {
	mock.timers.enable({ apis: ["setTimeout"] });
	let now = 0;
	mock.method(performance, "now", () => now);
	const { line, is } = setup();
	line.deliver("starting", 7500);
	is("starting", "The agent starts on this in 8 s.");
	now = 3000;
	mock.timers.tick(250);
	is("starting", "The agent starts on this in 5 s.");
	now = 7600;
	mock.timers.tick(250);
	is("starting", "Starting the agent on this…");
	mock.reset();
});

test("a newer state ends the countdown", () => {
	mock.timers.enable({ apis: ["setTimeout"] });
	const { line, is } = setup();
	line.deliver("starting", 5000);
	line.deliver("delivered");
	mock.timers.tick(1000);
	is("delivered", "The agent has this.");
	mock.reset();
});

test("that the agent was waiting for it stays said when it has it", () => {
	const { line, is } = setup();
	line.ask("asked");
	line.deliver("answered");
	line.ask("");
	is("answered", "The agent was waiting for this and has it.");
	line.deliver("delivered");
	is("delivered", "The agent was waiting for this and has it.");
	line.deliver("next_message");
	line.deliver("delivered");
	is("delivered", "The agent has this.");
});

test("a question is said alone, and behind what became of another event", () => {
	const { line, is } = setup();
	line.ask("asked");
	is("asked", "The agent is waiting for your answer here.");
	line.deliver("next_step");
	is("next_step", "The agent gets this at its next step. It is waiting for your answer here.");
	line.deliver("delivered");
	is("delivered", "The agent has this. It is waiting for your answer here.");
});

test("a question that nobody waits for any more says so until a late answer is there", () => {
	const { line, is } = setup();
	line.ask("unanswered");
	is("unanswered", "The agent no longer waits for an answer here.");
	line.deliver("next_message");
	is("next_message", "The agent gets this with your next message. It no longer waits for an answer here.");
	line.deliver("delivered");
	is("delivered", "The agent has this.");
});

test("what this page could not send goes before what the server half says of earlier things", () => {
	const { line, is } = setup();
	line.unsent("sending", "Sending…");
	line.deliver("delivered");
	is("sending", "Sending…");
	line.unsent("unreachable", unsentText("unreachable", true, 0));
	line.deliver("next_message");
	is("unreachable", "The portal does not answer. This is kept and sent later.");
	line.unsent("");
	is("next_message", "The agent gets this with your next message.");
});

test("what cannot be kept is not said to be", () => {
	assert.equal(unsentText("offline", true, 0), "You are offline. This is kept and sent later.");
	assert.equal(unsentText("offline", false, 0), "You are offline. This is sent later if the page stays open.");
	assert.equal(unsentText("unreachable", true, 401), "You are signed out. This is kept and sent later.");
	assert.equal(unsentText("unreachable", true, 503), "The portal cannot take this yet. This is kept and sent later.");
});

test("a refusal stays said until the next thing, also behind one that was taken after it", () => {
	const { line, is } = setup();
	line.deliver("next_message");
	line.refuse("the card is closed.");
	is("refused", "Not sent: the card is closed.");
	line.deliver("delivered");
	is("refused", "Not sent: the card is closed.");
	line.took();
	is("delivered", "The agent has this. Something before it was not sent: the card is closed.");
	line.refuse("");
	is("delivered", "The agent has this.");
});

test("a refusal's reason is for a person", () => {
	const refused = (value) => reasonOf({ status: 409, value });
	assert.equal(refused({ code: "card_closed", detail: "use ui_show" }), "the card is closed.");
	assert.equal(refused({ code: "data_too_large", detail: "it is too large" }), "it is too large.");
	assert.equal(refused({ code: "event_spent", detail: "x" }), "the agent takes this once, and has it already.");
	assert.equal(refused({ detail: "It has a full stop." }), "It has a full stop.");
	assert.equal(refused({}), "the portal answered 409.");
});

test("an end says more than all, but what is stopped in this page may still be asked", () => {
	const { line, is } = setup();
	line.ask("asked");
	line.deliver("next_step");
	line.end("silent");
	is("silent", "This card was stopped: it does not answer. The agent is waiting for your answer here.");
	line.end("");
	is("next_step", "The agent gets this at its next step. It is waiting for your answer here.");
	line.end("closed", "Closed by you.");
	is("closed", "Closed by you.");
});

test("what a fresh list does not name any more has arrived", () => {
	const { line, is } = setup();
	line.deliver(undefined);
	is("", "");
	line.deliver("next_step");
	line.deliver(undefined);
	is("delivered", "The agent has this.");
});
