/** @type {Record<string, string>} */
const TEXTS = {
	sending: "Sending…",
	answered: "The agent was waiting for this and has it.",
	next_step: "The agent gets this at its next step.",
	starting: "Starting the agent on this…",
	next_message: "The agent gets this with your next message.",
	delivered: "The agent has this.",
	rate_limited: "Waiting a moment before sending…",
	offline: "You are offline. This is kept and sent when you are back.",
	asked: "The agent is waiting for your answer here.",
	missing: "This card did not load.",
	removed: "This card is not kept any more.",
	left: "This card was stopped: it kept leaving its page.",
	silent: "This card was stopped: it does not answer.",
	noisy: "This card was stopped: it kept sending messages.",
	thief: "This card was stopped: it kept taking the keyboard.",
};

/** @type {import("./types.js").MakeLine} */
export const makeLine = (element) => {
	let timer = 0;
	/** @type {import("./types.js").Line} */
	const line = {
		get state() {
			return element.dataset.state ?? "";
		},
		say(state, text = TEXTS[state] ?? "") {
			clearTimeout(timer);
			element.dataset.state = state;
			if (element.textContent !== text) element.textContent = text;
		},
		deliver(state, inMs = 0) {
			const at = performance.now() + inMs;
			const tick = () => {
				const seconds = Math.ceil((at - performance.now()) / 1000);
				line.say(state, seconds > 0 ? `The agent starts on this in ${seconds} s.` : TEXTS[state]);
				if (seconds > 0) timer = setTimeout(tick, 250);
			};
			tick();
		},
	};
	return line;
};
