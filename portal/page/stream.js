const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 8000;

/**
 * One server-sent stream that outlives the connection: it comes back where it was, and rests while the tab is hidden
 * (a browser has six connections for a plain-http portal, over all its tabs). The browser's own reconnect is not used:
 * it gives up on an answer that is not a stream.
 */
export class Stream {
	#address;
	#events;
	#onConnection;
	/** @type {string | null} null while nobody has said where to begin */
	#after = null;
	/** @type {EventSource | null} */
	#source = null;
	/** @type {number | undefined} */
	#timer;
	#failures = 0;
	#watch = new AbortController();

	/**
	 * @param {(after: string) => string} address
	 * @param {Record<string, (data: any) => void>} events
	 * @param {(connected: boolean) => void} onConnection
	 */
	constructor(address, events, onConnection) {
		this.#address = address;
		this.#events = events;
		this.#onConnection = onConnection;
		const { signal } = this.#watch;
		document.addEventListener("visibilitychange", () => (document.hidden ? this.#disconnect() : this.retry()), {
			signal,
		});
		addEventListener("online", () => this.retry(), { signal });
	}

	/** @param {string} after the id to go on from */
	start(after) {
		this.#disconnect();
		this.#after = after;
		this.retry();
	}

	/** Connects at once, if it is not connected. */
	retry() {
		if (this.#after === null || document.hidden || this.#watch.signal.aborted) return;
		if (this.#source?.readyState === EventSource.OPEN) return;
		this.#disconnect();
		this.#connect(this.#after);
	}

	/** Stays away until the next `start`. */
	rest() {
		this.#disconnect();
		this.#after = null;
	}

	close() {
		this.rest();
		this.#watch.abort();
	}

	/** @param {string} after */
	#connect(after) {
		const source = new EventSource(this.#address(after));
		this.#source = source;
		source.addEventListener("open", () => {
			this.#failures = 0;
			this.#onConnection(true);
		});
		source.addEventListener("error", () => this.#lost());
		for (const [name, act] of Object.entries(this.#events)) {
			source.addEventListener(name, (event) => {
				if (this.#source !== source) return;
				if (event.lastEventId) this.#after = event.lastEventId;
				act(JSON.parse(event.data || "null"));
			});
		}
	}

	#disconnect() {
		clearTimeout(this.#timer);
		this.#source?.close();
		this.#source = null;
	}

	#lost() {
		this.#disconnect();
		this.#onConnection(false);
		const delay = Math.min(FIRST_RETRY_MS * 2 ** this.#failures, LONGEST_RETRY_MS);
		this.#failures += 1;
		this.#timer = setTimeout(() => this.retry(), delay);
	}
}
