/** What becomes of the last thing sent, as the server half says. @type {Record<string, string>} */
const DELIVERY = {
	answered: "The agent was waiting for this and has it.",
	next_step: "The agent gets this at its next step.",
	starting: "Starting the agent on this…",
	next_message: "The agent gets this with your next message.",
	delivered: "The agent has this.",
};

/** @type {Record<string, string>} */
const QUESTION = {
	asked: "is waiting for your answer here.",
	unanswered: "no longer waits for an answer here.",
};

/** @type {Record<string, string>} */
const END = {
	missing: "This card did not load.",
	removed: "This card is not kept any more.",
	left: "This card was stopped: it kept leaving its page.",
	silent: "This card was stopped: it does not answer.",
	stuck: "This card did not answer the last time, so it was not started.",
	noisy: "This card was stopped: it kept sending messages.",
	thief: "This card was stopped: it kept taking the keyboard.",
};

/** Over for good: nothing that was sent or asked matters here any more. */
const OVER = ["closed", "removed"];

/** Where the server half's own words are not for a person. @type {Record<string, string>} */
const REASONS = {
	stale_load: "the agent changed the card meanwhile",
	card_closed: "the card is closed",
	unknown_card: "the card is not kept any more",
	undeclared_event: "the agent did not ask for this",
	event_spent: "the agent takes this once, and has it already",
};

/** @type {import("./types.js").ReasonOf} */
export const reasonOf = ({ status, value }) =>
	`${REASONS[value.code] ?? value.detail ?? `the portal answered ${status}`}.`.replace("..", ".");

/** @type {import("./types.js").UnsentText} */
export const unsentText = (state, kept, status) => {
	if (state === "sending") return "Sending…";
	if (state === "rate_limited") return "Waiting a moment before sending…";
	let why = "The portal does not answer.";
	if (state === "offline") why = "You are offline.";
	else if (status === 401) why = "You are signed out.";
	else if (status) why = "The portal cannot take this yet.";
	return kept ? `${why} This is kept and sent later.` : `${why} This is sent later if the page stays open.`;
};

/** @type {import("./types.js").MakeLine} */
export const makeLine = (element, announce = () => {}) => {
	let timer = 0;
	/** What it says as the page opens is no news. */
	let isNews = false;
	let told = "";
	let delivery = "";
	let delivered = "";
	let unsent = { state: "", text: "" };
	let refusal = "";
	let refusedLast = false;
	let question = "";
	let end = { state: "", text: "" };

	const about = (/** @type {string} */ subject) => (question ? `${subject} ${QUESTION[question]}` : "");
	/** @type {() => [state: string, sentences: string[]]} */
	const compose = () => {
		if (OVER.includes(end.state)) return [end.state, [end.text]];
		const stuck = unsent.state && unsent.state !== "sending" ? unsent.text : "";
		if (end.state) return [end.state, [end.text, stuck, question === "asked" ? about("The agent") : ""]];
		if (unsent.state) return [unsent.state, [unsent.text]];
		if (refusedLast) return ["refused", [`Not sent: ${refusal}`, about("The agent")]];
		const earlier = refusal && `Something before it was not sent: ${refusal}`;
		const settled = ["answered", "delivered"].includes(delivery) && question === "unanswered";
		return [delivery || question, [delivered, earlier, settled ? "" : about(delivered ? "It" : "The agent")]];
	};
	const show = () => {
		const [state, sentences] = compose();
		const text = sentences.filter(Boolean).join(" ");
		element.dataset.state = state;
		if (element.textContent !== text) element.textContent = text;
		// A countdown is told of once.
		const words = text.replace(/\d+/g, "");
		if (isNews && words !== told) announce(text);
		told = words;
	};

	return {
		get state() {
			return element.dataset.state ?? "";
		},
		deliver(state, inMs = 0) {
			clearTimeout(timer);
			// What a listing no longer names has left the outbox.
			const next = state ?? (delivery && "delivered");
			// That the agent was waiting for it says more, and stays true.
			if (next !== "delivered" || delivery !== "answered") delivered = DELIVERY[next] ?? "";
			delivery = next;
			const at = performance.now() + inMs;
			const tick = () => {
				const seconds = Math.ceil((at - performance.now()) / 1000);
				if (inMs) delivered = seconds > 0 ? `The agent starts on this in ${seconds} s.` : DELIVERY[next];
				if (seconds > 0) timer = setTimeout(tick, 250);
				show();
			};
			tick();
			isNews = true;
		},
		unsent(state, text = "") {
			unsent = { state, text };
			show();
		},
		refuse(reason) {
			refusal = reason;
			refusedLast = reason !== "";
			show();
		},
		took() {
			refusedLast = false;
			show();
		},
		ask(next) {
			question = next;
			show();
		},
		end(state, text = END[state] ?? "") {
			end = { state, text };
			show();
		},
	};
};
