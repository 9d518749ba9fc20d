import { api, onSignedOut } from "./api.js";
import { followOtherTabs } from "./appearance.js";
import { ChatView } from "./chat.js";
import { h } from "./dom.js";
import { HomeView } from "./home.js";
import { SettingsView } from "./settings.js";
import { Side } from "./side.js";
import { SignInView } from "./sign-in.js";

/** @typedef {{ elements: HTMLElement[], focus: () => void, close: () => void }} View */

const RETRY_MS = 2000;

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
/** @type {View | null} */
let view = null;
/** @type {Side | null} */
let side = null;
/** @type {import("./api.js").Me} */
let me;

/** @param {View} next @param {string} title */
function show(next, title) {
	view?.close();
	view = next;
	main.replaceChildren(...next.elements);
	document.title = title;
	scrollTo(0, 0);
}

/** Shows what the address names. */
function route() {
	const { pathname } = location;
	const chat = pathname.match(/^\/chats\/([^/]+)$/);
	side?.setCurrent(pathname);
	if (chat) openChat(decodeURIComponent(chat[1]));
	else if (pathname === "/settings") show(new SettingsView(modelChanged), "Settings · Inline UI");
	else if (pathname === "/") show(new HomeView(me, (id) => go(`/chats/${encodeURIComponent(id)}`)), "Inline UI");
	else show(absent("There is no such page."), "Not found · Inline UI");
	focusView();
}

/** @param {string} id */
function openChat(id) {
	const chat = new ChatView(id, {
		changed: () => side?.refresh(),
		titled: (title) => {
			document.title = `${title} · Inline UI`;
		},
		go,
		gone: () => {
			show(absent("This chat is not here any more."), "Not found · Inline UI");
			side?.refresh();
		},
	});
	show(chat, "Inline UI");
	chat.open();
	side?.refresh();
}

/** @param {string} text @returns {View} */
function absent(text) {
	const heading = h("h1", { tabindex: -1 }, text);
	return {
		elements: [h("div", { class: "column absent" }, heading, h("p", {}, h("a", { href: "/" }, "Start a new chat")))],
		focus: () => heading.focus(),
		close: () => {},
	};
}

/** @param {string} model */
function modelChanged(model) {
	me.model = model;
	side?.showModel();
}

/** @param {string} path */
function go(path) {
	if (path !== location.pathname) history.pushState(null, "", path);
	route();
}

/** A touch screen's keyboard comes up when the person asks for it. */
function focusView() {
	if (matchMedia("(pointer: coarse)").matches) main.focus({ preventScroll: true });
	else view?.focus();
}

/** @param {MouseEvent} event follows links of the page without leaving it */
function followLink(event) {
	const link = event.target instanceof Element ? event.target.closest("a") : null;
	const modified = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0;
	if (!link || modified || event.defaultPrevented || link.target || link.origin !== location.origin || link.hash)
		return;
	event.preventDefault();
	go(link.pathname);
}

function askToSignIn() {
	if (document.body.dataset.view === "sign-in") return;
	document.body.dataset.view = "sign-in";
	show(new SignInView(begin), "Sign in · Inline UI");
	view?.focus();
}

async function signOut() {
	await api.signOut().catch(() => {});
	askToSignIn();
}

async function begin() {
	try {
		me = await api.me();
	} catch (error) {
		main.replaceChildren(
			h("p", { class: "alone", role: "alert" }, error instanceof Error ? error.message : String(error)),
		);
		setTimeout(begin, RETRY_MS);
		return;
	}
	if (me.passwordNeeded && !me.signedIn) return askToSignIn();
	side ??= new Side(/** @type {HTMLElement} */ (document.getElementById("side")), me, signOut);
	document.body.dataset.view = "portal";
	side.refresh();
	route();
}

onSignedOut(askToSignIn);
followOtherTabs();
document.addEventListener("click", followLink);
history.scrollRestoration = "manual";
addEventListener("popstate", route);
begin();
