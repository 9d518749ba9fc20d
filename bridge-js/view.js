import { sheet } from "./style.js";

const MARKUP = `<section part="card"><header part="head"><b></b><small></small><button class="quiet">Enter card</button
><button hidden></button><button class="close" aria-label="Close" title="Close card">×</button></header>
<a class="quiet" href="#">Skip card</a><div part="stage"></div>
<footer><div part="line" role="status" aria-live="polite"></div><button hidden></button><i tabindex="-1"></i></footer>
</section><s hidden></s>`;

/** @type {import("./types.js").Draw} */
export const draw = (root) => {
	root.adoptedStyleSheets = [sheet];
	root.innerHTML = MARKUP;
	/** @type {any} */
	const all = root.querySelectorAll("section, b, small, button, a, div, i, s");
	const [card, title, id, enter, more, close, skip, stage, line, action, end, probe] = all;
	skip.onclick = () => {
		// From a negative index Chromium would start over in this root.
		end.tabIndex = 0;
		end.focus();
		return false;
	};
	end.onblur = () => {
		end.tabIndex = -1;
	};
	return { card, title, id, enter, more, close, stage, line, action, probe };
};
