// What a card's code throws, for its author. Part of the bridge's script, in one scope with card.js.

/** @type {import("./types.js").WatchErrors} */
const watchErrors = (post, take, pure, author) => {
	const ERRORS = 3;
	const TEXT = 500;
	const here = location.href;
	const { stringify } = JSON;
	const toInt = parseInt;
	for (const [owner, names] of [
		[ErrorEvent, "message filename lineno colno"],
		[PromiseRejectionEvent, "reason"],
		[SecurityPolicyViolationEvent, "effectiveDirective blockedURI sourceFile lineNumber columnNumber"],
	])
		take(/** @type {any} */ (owner).prototype, `${names}`);

	let told = 0;
	/** @type {(kind: string, text: string, file: string, line: number, column: number) => void} */
	const tell = (kind, text, file, line, column) => {
		if (told++ >= ERRORS) return;
		// Of what the author wrote: the bridge and what stands with it come before.
		const inHtml = file === here ? line - author.line + 1 : 0;
		const message = { type: "error", kind, text: pure.slice(text, 0, TEXT), line: 0, column: 0 };
		if (inHtml > 0) {
			message.line = inHtml;
			message.column = inHtml > 1 ? column : column - author.column + 1;
		}
		post(message);
	};

	/** @type {Record<string, (event: any) => void>} */
	const listeners = {
		error(event) {
			if (!event.isTrusted) return;
			let text;
			try {
				text = pure.message(event);
			} catch {
				// A resource that did not load has none.
				return;
			}
			const bare = pure.indexOf(text, "Uncaught ") ? text : pure.slice(text, 9);
			tell("error", bare, pure.filename(event), pure.lineno(event), pure.colno(event));
		},
		unhandledrejection(event) {
			if (!event.isTrusted) return;
			const reason = pure.reason(event);
			let text = "a promise was rejected";
			let [file, line, column] = ["", 0, 0];
			// The author's own object, whose getters may throw.
			try {
				const isPlain = typeof reason === "object" && reason && !("message" in reason);
				text = `${isPlain ? stringify(reason) : reason}`;
				const stack = `${reason.stack}`;
				const at = pure.indexOf(stack, `${here}:`);
				if (at >= 0) {
					const place = pure.slice(stack, at + here.length + 1);
					line = toInt(place, 10);
					column = toInt(pure.slice(place, pure.indexOf(place, ":") + 1), 10);
					file = here;
				}
			} catch {}
			tell("rejection", text, file, line, column);
		},
		securitypolicyviolation(event) {
			if (!event.isTrusted) return;
			const text = `${pure.effectiveDirective(event)} blocked ${pure.blockedURI(event)}`;
			tell("policy", text, pure.sourceFile(event), pure.lineNumber(event), pure.columnNumber(event));
		},
	};
	return listeners;
};
