import assert from "node:assert/strict";
import { test } from "node:test";
import { makeRealm } from "./realm.js";

const errors = ({ sent }) => sent.filter(({ type }) => type === "error").map(({ type, ...rest }) => rest);

/** The realm's getters answer with what this says. */
const thrown = (realm, said) => {
	const made = realm.run("new ErrorEvent()");
	return Object.assign(made, { isTrusted: true, said });
};

test("what nothing catches is told with its place in the author's text", () => {
	const realm = makeRealm();
	realm.fire("error", thrown(realm, { message: "Uncaught Error: a", filename: "about:srcdoc", lineno: 702, colno: 5 }));
	realm.fire("error", thrown(realm, { message: "Error: b", filename: "about:srcdoc", lineno: 700, colno: 17 }));
	realm.fire("error", thrown(realm, { message: "Error: c", filename: "about:srcdoc", lineno: 699, colno: 5 }));
	assert.deepEqual(errors(realm), [
		{ kind: "error", text: "Error: a", line: 3, column: 5 },
		{ kind: "error", text: "Error: b", line: 1, column: 11 },
		{ kind: "error", text: "Error: c", line: 0, column: 0 },
	]);
	realm.fire("error", thrown(realm, { message: "one too many" }));
	assert.equal(errors(realm).length, 3);
});

test("a text is cut, another file has no place, and what a card made up is not told", () => {
	const realm = makeRealm();
	realm.fire("error", { isTrusted: false });
	realm.fire("error", { isTrusted: true, type: "error" });
	const long = { message: "x".repeat(1000), filename: "blob:null/1", lineno: 800, colno: 1 };
	realm.fire("error", thrown(realm, long));
	assert.deepEqual(errors(realm), [{ kind: "error", text: "x".repeat(500), line: 0, column: 0 }]);
});

test("a rejection is told in its reason's words, whatever the reason is", () => {
	const realm = makeRealm();
	const reasons = [
		'Object.assign(new TypeError("a"), { stack: "TypeError: a\\n  at go (about:srcdoc:703:9)\\n" })',
		"({ code: 7 })",
		"Object.create({ get message() { throw 1; }, toString() { throw 2; } })",
	];
	for (const reason of reasons) {
		const made = realm.run("new PromiseRejectionEvent()");
		realm.fire("unhandledrejection", Object.assign(made, { isTrusted: true, said: { reason: realm.run(reason) } }));
	}
	assert.deepEqual(errors(realm), [
		{ kind: "rejection", text: "TypeError: a", line: 4, column: 9 },
		{ kind: "rejection", text: '{"code":7}', line: 0, column: 0 },
		{ kind: "rejection", text: "a promise was rejected", line: 0, column: 0 },
	]);
});

test("what the policy blocks is told", () => {
	const realm = makeRealm();
	const made = realm.run("new SecurityPolicyViolationEvent()");
	const said = { effectiveDirective: "img-src", blockedURI: "https://a.example/", sourceFile: "", lineNumber: 0 };
	realm.fire("securitypolicyviolation", Object.assign(made, { isTrusted: true, said }));
	assert.deepEqual(errors(realm), [{ kind: "policy", text: "img-src blocked https://a.example/", line: 0, column: 0 }]);
});
