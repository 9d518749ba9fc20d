// The stage in WebKit, as far as Debian's build of it goes: a card draws, hears, sends and is held.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { open, until } from "./driver.js";

const PROGRAM = process.env.INLINE_UI_BIN ?? new URL("../../target/debug/inline-ui", import.meta.url).pathname;

/** What the line under a card says of what was taken, as the agent works or not. */
const TAKEN = ["next_step", "next_message", "delivered"];

let browser;
let portal;
let folder;
/** Requests that somebody made of a server that no card may reach. */
const reached = [];
const sink = createServer((request, response) => {
	reached.push(request.url);
	response.end();
});

before(async () => {
	folder = await mkdtemp(join(tmpdir(), "inline-ui-webkit-"));
	portal = spawn(PROGRAM, ["portal", "--listen", "127.0.0.1:0", "--data", folder], {
		stdio: ["ignore", "pipe", "ignore"],
	});
	const url = await new Promise((resolve) =>
		portal.stdout.once("data", (line) => resolve(/listening on (\S+)/.exec(`${line}`)[1])),
	);
	await new Promise((resolve) => sink.listen(0, "127.0.0.1", resolve));
	browser = await open();
	await browser.goTo(url);
	await until("the composer", () => browser.evaluate("return !!document.querySelector('#message')"));
});

after(async () => {
	await browser?.close();
	portal?.kill();
	sink.close();
	if (folder) await rm(folder, { recursive: true, force: true });
});

const say = async (text) => {
	await browser.toPage();
	await browser.click("#message");
	const put =
		"const box = document.querySelector('#message'); box.value = arguments[0]; box.dispatchEvent(new Event('input'))";
	await browser.evaluate(put, text);
	await browser.type("\ue007");
	await until("the portal to take it", () =>
		browser.evaluate("return document.querySelector('#message').value === ''"),
	);
};
const of = (card, script) => {
	const host = `document.querySelector("inline-ui-card[card=${card}]")`;
	return browser.evaluate(`const root = ${host}?.shadowRoot; return root && (${script})`);
};
const line = async (card) => {
	await browser.toPage();
	return of(card, `root.querySelector("[part=line]").dataset.state`);
};
const show = async (card, html, events = []) => {
	await say(`/call ui_show ${JSON.stringify({ title: card, html, events })}`);
	await until(`card ${card}`, () => of(card, `!!root.querySelector("iframe.shown")`));
};
const read = async () => {
	await browser.toPage();
	return browser.evaluate(
		"return [...document.querySelectorAll('li.events pre')].map((pre) => pre.textContent).join()",
	);
};

test("a card draws in the portal's theme at the height of its content, and knows nothing it should not", async () => {
	await show("c1", "<p>one line</p><button id=b onclick=\"pithagoras.emit('go', 1)\">Go</button>", [
		{ name: "go", debounceMs: 0 },
	]);
	await pause(700);
	const height = await of("c1", `root.querySelector("iframe").clientHeight`);
	assert.ok(height > 40 && height < 160, `${height}`);
	await browser.toCard("c1");
	const seen = await browser.evaluate(`return [typeof RTCPeerConnection, document.referrer, document.cookie,
		pithagoras.theme.mode, getComputedStyle(document.documentElement).getPropertyValue("--accent") !== ""]`);
	assert.deepEqual(seen, ["undefined", "", "", "light", true]);
	const left = await browser.evaluate("localStorage.a = 1; return [localStorage.a, window.open('/'), confirm('?')]");
	assert.deepEqual(left, ["1", null, false]);
});

test("nothing leaves it before a person touched it; then a click arrives, and a form by its name", async () => {
	await browser.toCard("c1");
	assert.equal(await browser.evaluate("return pithagoras.emit('go', 0)"), false);
	assert.equal(await browser.evaluate("b.click(); return pithagoras.emit('go', 0)"), false);
	await browser.click("#b");
	await until("the click", async () => TAKEN.includes(await line("c1")));
	await show("c2", "<form data-event=send><input name=a><button id=b>Send</button></form>", [{ name: "send" }]);
	await browser.toCard("c2");
	await browser.click("input");
	await browser.type("hi");
	await browser.click("#b");
	await until("the form", async () => TAKEN.includes(await line("c2")));
	await say("hello");
	for (const event of [/"name":"go","count":1,"data":1/, /"name":"send","count":1,"data":\{"a":"hi"\}/])
		await until(`${event}`, async () => event.test(await read()));
});

test("a card that leaves for ever stands stopped, and the agent is told", async () => {
	await say(
		`/call ui_show ${JSON.stringify({ title: "c3", html: "<script>setTimeout(() => location.reload(), 100)</script>" })}`,
	);
	await until("the stop", async () => (await line("c3")) === "left");
	await say("hello");
	await until("the agent's word", async () => /kept leaving its page/.test(await read()));
});

test("no request of a card reaches a server, and those of a page do", async () => {
	const { port } = sink.address();
	const tries = (where) => `
		fetch("http://127.0.0.1:${port}/${where}-fetch", { mode: "no-cors" }).catch(() => {});
		new Image().src = "http://127.0.0.1:${port}/${where}-image";
		navigator.sendBeacon("http://127.0.0.1:${port}/${where}-beacon");
		document.head.append(Object.assign(document.createElement("script"), { src: "http://127.0.0.1:${port}/${where}-script" }));
		document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: "http://127.0.0.1:${port}/${where}-style" }));
		document.body.append(Object.assign(document.createElement("iframe"), { src: "http://127.0.0.1:${port}/${where}-frame" }));
		setTimeout(() => { location.href = "http://127.0.0.1:${port}/${where}-left"; }, 300);`;
	await show("c4", `<p>tries</p><script>${tries("card")}</script>`);
	await pause(2000);
	await browser.toPage();
	await browser.goTo(`http://127.0.0.1:${port}/twin`);
	await browser.evaluate(tries("twin"));
	await until("the twin's", () =>
		["fetch", "image", "script", "style", "left"].every((it) => reached.includes(`/twin-${it}`)),
	);
	assert.deepEqual(
		reached.filter((url) => url.includes("card")),
		[],
	);
});
