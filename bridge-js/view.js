import { sheet } from "./style.js";

const MARKUP = `
<section class="card" part="card">
	<header part="head">
		<b class="title"></b>
		<small class="id"></small>
		<button class="enter quiet">Enter card</button>
		<button class="more" hidden></button>
		<button class="full"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M9.5 3H13v3.5M6.5 13H3V9.5" /></svg></button>
		<button class="close" aria-label="Close" title="Close card">×</button>
	</header>
	<a class="skip quiet" href="#">Skip card</a>
	<div class="failed" part="error" hidden></div>
	<div class="stage" part="stage"></div>
	<details class="fallback" hidden><summary>In words</summary><p class="words"></p></details>
	<footer>
		<div class="line" part="line"></div>
		<span class="said quiet" role="status"></span>
		<button class="action" hidden></button>
		<span class="end" tabindex="-1"></span>
	</footer>
</section>
<span class="probe" hidden></span>`;

/** @type {import("./types.js").Draw} */
export const draw = (root) => {
	root.adoptedStyleSheets = [sheet];
	root.innerHTML = MARKUP;
	const view = Object.fromEntries([...root.querySelectorAll("[class]")].map((part) => [part.classList[0], part]));
	const { skip, end } = /** @type {any} */ (view);
	skip.onclick = () => {
		end.focus();
		return false;
	};
	// From a negative index Chromium would start over in this root.
	end.onfocus = () => {
		end.tabIndex = 0;
	};
	end.onblur = () => {
		end.tabIndex = -1;
	};
	return /** @type {any} */ (view);
};
