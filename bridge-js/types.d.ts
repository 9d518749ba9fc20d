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
	| { type: "pressed" | "active" | "left" }
	| { type: "emit"; name: string; data: string; held: boolean }
	| { type: "height"; height: number }
	| { type: "alive"; n: number };

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
	/** The names that an open wait asks for. */
	waiting?: string[];
	state?: Delivery;
	inMs?: number;
	fallback?: string;
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
	| { type: "state"; card: string; state: Delivery; inMs?: number };

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
	name: string;
	/** JSON text. */
	data: string;
	action: boolean;
}

/**
 * Sends one card's events: one at a time, in order, each under one id until it is known to have arrived or to be refused.
 * While an event waits, a newer one of its name takes its place, but never ahead of an action between the two.
 */
export type MakeSender = (
	to: {
		post(event: Outgoing): Promise<Answer>;
		waiting(state: "sending" | "rate_limited" | "offline"): void;
		settled(answer: Answer): void;
	},
	time?: Clock,
) => {
	send(name: string, data: string, action: boolean): void;
	/** Forgets what has not left and says whether that was anything. */
	drop(): boolean;
	/** Tries again at once: the network is back, or the page is looked at again. */
	retry(): void;
	/** The page goes away: everything goes out at once, what is under way once more under its own id. */
	leave(): void;
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
	open(): void;
	/** Says whether the event went or may still go. */
	take(emit: Emit): boolean;
}
export type MakeGate = (deliver: (emit: Emit) => void, opened: () => void, time?: Clock) => Gate;

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

/** The line under a card: what became of the last thing it sent. */
export interface Line {
	readonly state: string;
	say(state: string, text?: string): void;
	/** `inMs`: not before that long. */
	deliver(state: string, inMs?: number): void;
}
export type MakeLine = (element: HTMLElement) => Line;

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
		gone(why: "missing" | "left" | "silent" | "noisy"): void;
	},
) => Load;

/** The theme as the host element sees it. `probe` is an element in its shadow root whose `color` is ours to set. */
export type ReadTheme = (host: HTMLElement, probe: HTMLElement) => Theme;
/** Calls back when the host's colours may have changed. Returns what stops it. */
export type WatchTheme = (host: HTMLElement, change: () => void) => () => void;

export interface View {
	card: HTMLElement;
	title: HTMLElement;
	id: HTMLElement;
	enter: HTMLButtonElement;
	more: HTMLButtonElement;
	close: HTMLButtonElement;
	stage: HTMLElement;
	line: HTMLElement;
	action: HTMLButtonElement;
	probe: HTMLElement;
}

/** Draws one card in its element, and follows it. Returns what stops it. */
export type Present = (host: HTMLElement, view: View, base: string, chat: string, id: string) => () => void;
export interface Presenting {
	update(next: Card | undefined): void;
	rest(): void;
	close(): Promise<void>;
	draw(): Promise<void>;
	end(): void;
	/** `theme` is the one that the document was made in. */
	ready(theme: string): void;
	gone(why: "missing" | "left" | "silent" | "noisy"): void;
	stop(why: string): void;
	hear(message: FromBridge): void;
	describe(): void;
	post(n: number, data: unknown): void;
	emit(emit: Emit): void;
	wait(name: string): number;
	paint(): void;
	measured(height: number): void;
	fit(): void;
	keep(): void;
	/** The last height at this width. */
	kept(): number | undefined;
}
export interface Presented {
	card?: Card;
	settings: Settings;
	load?: Load;
	loadId: string;
	gate?: Gate;
	latest?: { n: number; data: string };
	theme: string;
}
