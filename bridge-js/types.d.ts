/** What a card's author can use, and what travels between the card, the page and the server half. */

export type Colour =
	| "canvas"
	| "surface"
	| "raised"
	| "line"
	| "fg"
	| "fg-muted"
	| "fg-subtle"
	| "fg-faint"
	| "accent"
	| "accent-fg"
	| "ok"
	| "warn"
	| "danger";

export interface Theme {
	readonly mode: "light" | "dark";
	/** Each as `#rrggbb`. */
	readonly colors: Readonly<Record<Colour, string>>;
}

/** The global that every card has. */
export interface Pithagoras {
	/**
	 * Sends an event. The data is taken at the call; absent data is `null`. False, with one console line that says why,
	 * for a name the card may not send, data that is not JSON or too large, a closed card, or a card nobody has touched.
	 */
	emit(name: string, data?: unknown): boolean;
	/** Calls `fn` with each post and with the latest one there already is. Returns what stops it. */
	onData(fn: (data: any) => void): () => void;
	/** The window gets a `pithagoras:theme` event when it changes. */
	readonly theme: Theme;
	readonly card: { readonly id: string; readonly title: string };
	/** The names this card may send. */
	readonly events: readonly string[];
}

declare global {
	const pithagoras: Pithagoras;
	/** Replaced by JSON when the server half assembles a card. */
	const __INLINE_UI_CONFIG__: BridgeConfig;
	interface WindowEventMap {
		"pithagoras:theme": Event;
	}
}

export interface BridgeConfig {
	nonce: string;
	card: { id: string; title: string };
	events: NamedEvent[];
	theme: Theme;
	open: boolean;
	/** Where the author's text begins in the document, from 1. */
	author: { line: number; column: number };
}

export interface NamedEvent {
	name: string;
	/** Sent at once, and what is pending goes before it. */
	action: boolean;
}

/** From the card document to the page, with one port. */
export interface Hello {
	type: "inline-ui:hello";
	nonce: string;
}

/** Over the port, from the bridge. */
export type FromBridge =
	| { type: "pressed" | "active" | "escape" | "left" }
	| { type: "emit"; name: string; data: string; held: boolean }
	| { type: "height"; height: number }
	| { type: "alive"; n: number }
	| CardError;

/** What a card's code threw, and where in its HTML, from 1; 0 where that is not known. */
export interface CardError {
	type: "error";
	kind: "error" | "rejection" | "policy";
	text: string;
	line: number;
	column: number;
}

/** Listeners that report what is thrown. `take` puts natives into `pure`. */
export type WatchErrors = (
	post: (message: any) => void,
	take: (owner: any, names: string) => void,
	pure: Record<string, (...rest: any[]) => any>,
	author: BridgeConfig["author"],
) => Record<string, (event: any) => void>;

/** Over the port, from the page. `data` is JSON text. */
export type FromPage =
	| { type: "open" | "closed" }
	| { type: "theme"; mode: Theme["mode"]; colors: Theme["colors"] }
	| { type: "post"; n: number; data: string }
	| { type: "card"; title: string; events: NamedEvent[] }
	| { type: "ping"; n: number }
	| { type: "sized"; height: number };

export interface CardEvent {
	name: string;
	description?: string;
	debounceMs?: number;
	wake: boolean;
	once: boolean;
	spent?: boolean;
}

export type Delivery = "answered" | "next_step" | "starting" | "next_message" | "delivered";

export interface Card {
	id: string;
	title: string;
	/** The id of the tool call it is drawn at. */
	anchor: string;
	call: string;
	open: boolean;
	closedBy?: "person" | "agent" | "fork";
	events: CardEvent[];
	at: number;
	revision: number;
	/** Pairs of a width class (`ceil(width / 160)`) and the last height at it. */
	heights: [number, number][];
	/** The number of its latest post; absent or 0 is none. */
	posts?: number;
	/** The names that an open wait asks for. */
	waiting?: string[];
	/** Its call stopped waiting and had no answer. */
	unanswered?: boolean;
	state?: Delivery;
	inMs?: number;
	/** What is shown where the card cannot be. */
	fallback?: string;
	/** It did not answer the last time it ran. */
	stuck?: boolean;
}

export interface Settings {
	debounceMs: number;
	maxHeight: number;
}

export interface Post {
	n: number;
	data: unknown;
}

export interface Loaded {
	load: string;
	frame: string;
	nonce: string;
	card: Card;
	post?: Post;
}

export interface Problem {
	status: number;
	code: string;
	detail?: string;
	retryAfterMs?: number;
}

/** What a chat's stream tells those who follow it. */
export type News =
	| { type: "cards"; cards: Card[]; settings: Settings }
	| { type: "posted"; card: string; n: number; data: unknown }
	/** Without a state: a fresh list says nothing of it, so nothing of it is on its way. */
	| { type: "state"; card: string; state?: Delivery; inMs?: number };

// Inside the page half. What is said here is not sent to every page.

export type ChatUrl = (base: string, chat: string) => string;
/** Posts JSON text, and finishes that when the page goes away meanwhile. Never rejects. */
export type PostJson = (url: string, body: string) => Promise<Answer>;
/** The nonce's hello from this window, with its one port. `origin` says nothing: it is "null" for every card. */
export type ReadHello = (event: MessageEvent, from: unknown, nonce: string) => MessagePort | null;
/** What a bridge may say, copied field by field. Anything else is counted in `counts.ignored`. */
export type ReadBridge = (message: unknown) => FromBridge | null;
/** What the element draws around its frame, which goes into `stage`. */
export type Draw = (root: ShadowRoot) => View;

export interface Clock {
	now(): number;
	setTimeout(fn: () => void, ms: number): number;
	clearTimeout(timer: number): void;
}

/** `status` 0 when nothing is known of the outcome. */
export interface Answer {
	status: number;
	value: any;
}

/**
 * One card's events on their way out. An event waits until its name has been quiet for its debounce, and no longer than
 * max(4 x debounce, 1 s) while the card keeps emitting it. A debounce of 0 is an action: what is pending goes before it.
 */
export type MakeDebounce = (
	send: (name: string, data: string) => void,
	/** In milliseconds. */
	waitOf: (name: string) => number,
	time?: Clock,
) => {
	/** `data` is JSON text. */
	push(name: string, data: string): void;
	/** Sends everything, in order. */
	flush(): void;
	/** Forgets what is pending and says whether that was anything. */
	drop(): boolean;
};

export interface Outgoing {
	id: string;
	/** The load it was emitted in. */
	load: string;
	name: string;
	/** JSON text. */
	data: string;
	action: boolean;
	/** It was posted, and may have arrived. */
	tried: boolean;
}

/** Why events wait: one is under way, the rate, no network, no answer. */
export type Waiting = "sending" | "rate_limited" | "offline" | "unreachable";

/**
 * One card's events that could not be sent, kept for this tab's next load of the page. Nothing throws: where there is no
 * room, `keep` says so.
 */
export interface Unsent {
	read(): Outgoing[];
	/** All of them, in place of what was kept. Says whether that is kept. */
	keep(events: Outgoing[]): boolean;
	forget(id: string): boolean;
}
export type MakeUnsent = (key: string) => Unsent;

/**
 * Sends one card's events: one at a time, in order, each under one id until it is known to have arrived or to be refused.
 * While an event waits, a newer one of its name takes its place, but never ahead of an action between the two, and never
 * one that may have arrived.
 */
export type MakeSender = (
	to: {
		post(event: Outgoing): Promise<Answer>;
		/** `kept`: a reload of the page does not lose them. `status` is that of the last answer. */
		waiting(state: Waiting, kept: boolean, status: number): void;
		/** `left` counts those still to be sent. */
		settled(answer: Answer, left: number): void;
		unsent: Unsent;
	},
	time?: Clock,
) => {
	send(event: Omit<Outgoing, "id" | "tried">): void;
	/** Before anything is sent: takes up what an earlier load of the page kept, under the same ids. */
	restore(): void;
	/** Forgets what cannot have arrived and says whether that was anything. */
	drop(): boolean;
	/** Tries again at once: the portal answers, the network is back, or the page is looked at again. */
	retry(): void;
	/** The page goes away: what is not known to be stuck goes out at once, what is under way once more under its own id. */
	leave(): void;
	/** Nobody shows this card here any more: what is left is sent all the same, and nothing is said of it. */
	retire(): void;
	/** Resolves when nothing is left to send. */
	idle(): Promise<void>;
};

export type Emit = Extract<FromBridge, { type: "emit" }>;

/**
 * Lets a load's events out once the person is in the card. Only the page opens it: on a press that the bridge reports
 * over its port, on focus that follows a Tab the page saw, or on its own button.
 */
export interface Gate {
	isOpen: boolean;
	/** When focus was last given back: a press that is heard of a moment later meant it to be here. */
	bouncedAt: number;
	open(): void;
	/** Says whether the event went or may still go. */
	take(emit: Emit): boolean;
}
export type MakeGate = (deliver: (emit: Emit) => void, opened: (bounced: boolean) => void, time?: Clock) => Gate;

/**
 * Gives back focus and scroll positions that the frame takes while its gate is shut, and has it suspended when it keeps
 * taking them. No event and no attribute holds in every engine, so it polls while there is a frame to watch. Returns what
 * stops it.
 */
export type Guard = (frame: HTMLIFrameElement, gate: Gate, suspend: () => void) => () => void;

/** Follows a chat: one list and one stream, however many listen. `cards` comes first. Returns what stops it. */
export type Follow = (base: string, chat: string, listener: (news: News) => void) => () => void;

/** Closed while the tab is hidden: the server half counts the pages that are really looked at. */
export type MakeStream = (url: string) => {
	join(listener: (news: News) => void): void;
	/** Says whether that was the last one. */
	leave(listener: (news: News) => void): boolean;
};

/** Follows a chat's cards: first the list, then the list again after every change. Returns what stops it. */
export type WatchCards = (base: string, chat: string, onCards: (cards: Card[]) => void) => () => void;

/**
 * The line under a card, composed of what became of the last thing sent, what this page could not send, and whether
 * the agent waits for an answer. Its state is the first of these that says something; an end says more than all.
 */
export interface Line {
	readonly state: string;
	/** `inMs`: not before that long. Without a state: what was on its way has arrived. */
	deliver(state?: Delivery, inMs?: number): void;
	/** What waits in this page; empty when nothing does. */
	unsent(state: Waiting | "refused" | "", text?: string): void;
	/** The last thing was refused; an empty reason takes that back. */
	refuse(reason: string): void;
	/** The last thing was accepted, whatever was refused before it. */
	took(): void;
	ask(question: "asked" | "unanswered" | ""): void;
	/** Closed, not kept, or stopped in this page; empty when it runs again. */
	end(state: string, text?: string): void;
}
export type MakeLine = (element: HTMLElement, announce?: (text: string) => void) => Line;
/** Has a screen reader told of it politely, by way of the card's live region: one thing in 2 s on a page. */
export type Announce = (region: HTMLElement, text: string, time?: Clock) => void;
export type UnsentText = (state: Waiting, kept: boolean, status: number) => string;
/** Why something was refused, for a person. */
export type ReasonOf = (answer: Answer) => string;

/** How tall a card's frame is, and what is remembered of that. */
export interface Height {
	/** Whether the content was measured. */
	isKnown(): boolean;
	/** Room for a document that is not here yet. */
	reserve(): void;
	forget(): void;
	measured(height: number): void;
	fit(): void;
}
export type MakeHeight = (
	view: View,
	my: Presented,
	/** Has a height kept for this width. */
	tell: (size: { width: number; height: number }) => void,
) => Height;

/** Full screen, in and out by its button; `fit` draws the frame as tall as there is room. */
export interface Full {
	leave(): void;
	/** The person pressed Escape in the card. */
	escaped(): void;
}
export type MakeFull = (host: HTMLElement, view: View, fit: () => void) => Full;

/** One load of a card: one frame, one hello, one port. It dies with its document. */
export interface Load {
	readonly frame: HTMLIFrameElement;
	post(message: FromPage): void;
	end(): void;
}
export type MakeLoad = (
	frame: HTMLIFrameElement,
	nonce: string,
	hear: {
		ready(): void;
		message(message: FromBridge): void;
		/** `dead`: nothing in the process of the cards answers. */
		gone(why: "missing" | "left" | "silent" | "noisy", dead?: boolean, suspect?: boolean): void;
	},
) => Load;

/**
 * Waits until few enough cards are loading, those that are looked at first. Resolves with what is to be called when the
 * card is there, or will not be.
 */
export type TakeTurn = (card: Element) => Promise<() => void>;

/** A card as far as it is about whether it runs. */
export interface Runner {
	/** Whether it is near what is looked at; unknown before it was laid out. */
	near: boolean | undefined;
	wants: boolean;
	runs: boolean;
	/** Draws it. */
	run(): void;
	/** Takes its document away and holds its place. It wants to run still. */
	rest(): void;
	/** Whether it is not to rest: somebody used it. */
	stays(): boolean;
}

/** Has a card run while it is near what is looked at, or few enough do. */
export type MakeLive = (
	card: Element,
	runner: Pick<Runner, "run" | "rest" | "stays">,
) => {
	/** It is to be drawn, now or when it comes near. */
	want(): void;
	/** It stands stopped until it is wanted again. */
	ended(): void;
	leave(): void;
};

/** The theme as the host element sees it. `probe` is an element in its shadow root whose `color` is ours to set. */
export type ReadTheme = (host: HTMLElement, probe: HTMLElement) => Theme;
/** Calls back when the host's colours may have changed. Returns what stops it. */
export type WatchTheme = (host: HTMLElement, change: () => void) => () => void;

export interface View {
	card: HTMLElement;
	title: HTMLElement;
	id: HTMLElement;
	enter: HTMLButtonElement;
	full: HTMLButtonElement;
	more: HTMLButtonElement;
	close: HTMLButtonElement;
	stage: HTMLElement;
	/** What its code threw. */
	failed: HTMLElement;
	/** Its words for those who cannot see it. */
	fallback: HTMLDetailsElement;
	words: HTMLElement;
	line: HTMLElement;
	/** What a screen reader is told of the line. */
	said: HTMLElement;
	/** Behind the card, for those who come past it. */
	end: HTMLElement;
	action: HTMLButtonElement;
	probe: HTMLElement;
}

/** Shows what a card's code throws and tells the server half, the first few of each load. */
export type MakeFailures = (
	element: HTMLElement,
	url: string,
) => {
	/** Another load. */
	begin(load: string): void;
	heard(error: CardError): void;
	/** The page stopped it, and says so itself. */
	stopped(text: string): void;
	stuck(is: boolean): void;
	/** Tells what could not be told. */
	retry(): void;
};

/** Draws one card in its element, and follows it. Returns what stops it. */
export type Present = (host: HTMLElement, view: View, base: string, chat: string, id: string) => () => void;
export interface Presenting {
	update(next: Card | undefined): void;
	/** Forgets what has not left, and says whether that was anything. */
	drop(): boolean;
	over(dropped: boolean): void;
	removed(): void;
	close(): Promise<void>;
	draw(): Promise<void>;
	/** Far from what is looked at: its document goes, its place stays. */
	rest(): void;
	end(): void;
	/** `theme` is the one that the document was made in. */
	ready(theme: string): void;
	/** `suspect`: it may be the one that keeps all of them from answering. */
	gone(why: "missing" | "left" | "silent" | "noisy", dead?: boolean, suspect?: boolean): void;
	stop(why: string): void;
	hear(message: FromBridge): void;
	describe(): void;
	post(n: number, data: unknown): void;
	/** The stream does not bring again what was posted while the extension was away. */
	catchUp(): Promise<void>;
	emit(emit: Emit): void;
	wait(name: string): number;
	paint(): void;
}
export interface Presented {
	/** The person wants it run although it did not answer last time. */
	anyway: boolean;
	card?: Card;
	settings: Settings;
	load?: Load;
	loadId: string;
	gate?: Gate;
	latest?: { n: number; data: string };
	turnOver?: () => void;
	theme: string;
}
