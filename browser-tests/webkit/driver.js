// WebKit through its own WebDriver, on a display of its own: Playwright's build of it is in no package.
import { spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";

const BROWSER = "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser";
const PATIENCE_MS = 20_000;
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

/** What `look` finds, as soon as it does. */
export const until = async (what, look) => {
	const end = Date.now() + PATIENCE_MS;
	let last;
	while (Date.now() < end) {
		try {
			last = await look();
			if (last) return last;
		} catch (error) {
			last = error;
		}
		await pause(100);
	}
	throw new Error(`${what} does not come about: ${last}`);
};

const run = (command, args, options = {}) => spawn(command, args, { stdio: "ignore", ...options });
const ended = (child) => new Promise((resolve) => child.once("exit", resolve));

/** A window, and what ends it. */
export const open = async () => {
	const display = await new Promise((resolve, reject) => {
		const server = run("Xvfb", ["-displayfd", "3", "-screen", "0", "1280x1000x24"], {
			stdio: ["ignore", "ignore", "ignore", "pipe"],
		});
		server.once("error", reject);
		server.stdio[3].once("data", (number) => resolve({ server, name: `:${`${number}`.trim()}` }));
	});
	const port = 20_000 + (process.pid % 20_000);
	const env = {
		...process.env,
		DISPLAY: display.name,
		LIBGL_ALWAYS_SOFTWARE: "1",
		WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1",
	};
	const driver = run("WebKitWebDriver", [`--port=${port}`, "--host=127.0.0.1"], { env });
	const ask = async (method, path, body) => {
		const response = await fetch(`http://127.0.0.1:${port}${path}`, {
			method,
			headers: { "content-type": "application/json" },
			body: body && JSON.stringify(body),
		});
		const { value } = await response.json();
		if (!response.ok) throw new Error(value?.message ?? `${response.status}`);
		return value;
	};
	const options = { "webkitgtk:browserOptions": { binary: BROWSER, args: ["--automation"] } };
	const { sessionId } = await until("a session", () =>
		ask("POST", "/session", { capabilities: { alwaysMatch: options } }),
	);
	const session = `/session/${sessionId}`;
	const evaluate = (script, ...args) => ask("POST", `${session}/execute/sync`, { script, args });
	const find = (selector) => ask("POST", `${session}/element`, { using: "css selector", value: selector });
	return {
		evaluate,
		goTo: (url) => ask("POST", `${session}/url`, { url }),
		click: async (element) => {
			const { [ELEMENT]: id } = typeof element === "string" ? await find(element) : element;
			await ask("POST", `${session}/element/${id}/click`, {});
		},
		type: (text) => {
			const actions = [...text].flatMap((value) => [
				{ type: "keyDown", value },
				{ type: "keyUp", value },
			]);
			return ask("POST", `${session}/actions`, { actions: [{ type: "key", id: "keys", actions }] });
		},
		toPage: () => ask("POST", `${session}/frame`, { id: null }),
		/** Into the document of a card. */
		async toCard(card) {
			await ask("POST", `${session}/frame`, { id: null });
			const host = `inline-ui-card[card=${card}]`;
			const outer = await evaluate(`return document.querySelector("${host}").shadowRoot.querySelector("iframe")`);
			await ask("POST", `${session}/frame`, { id: outer });
			await ask("POST", `${session}/frame`, { id: await find("iframe") });
		},
		async close() {
			await ask("DELETE", session).catch(() => {});
			for (const child of [driver, display.server]) {
				const end = ended(child);
				child.kill();
				await end;
			}
		},
	};
};
