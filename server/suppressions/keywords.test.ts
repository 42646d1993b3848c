import { expect, test } from "vitest";
import { keywordOf } from "./keywords";

test.each([
  "STOP",
  "STOPALL",
  "STOP ALL",
  "UNSUBSCRIBE",
  "CANCEL",
  "END",
  "QUIT",
  "REVOKE",
  "OPTOUT",
  "OPT OUT",
  "opt-out",
  "Opt – Out",
])("%j ends the messages", (text) => {
  expect(keywordOf(text)).toBe("stop");
  expect(keywordOf(text.toLowerCase())).toBe("stop");
});

test.each(["START", "unstop", "Start!"])("%j undoes it", (text) => {
  expect(keywordOf(text)).toBe("start");
});

test.each([
  " stop\n",
  "Stop.",
  "«STOP»",
  "“Stop”",
  "'stop'!!!",
  "(stop)",
  "\u00a0STOP\u200b",
  "\ufeffstop",
  "STOP 🙏",
  "stop ❤️",
  "¡STOP!",
  "ＳＴＯＰ",
  "「ｓｔｏｐ」　",
])("%j is a stop, whatever stands around the word", (text) => {
  expect(keywordOf(text)).toBe("stop");
});

test.each([
  "",
  "...",
  "please stop",
  "stop it",
  "stop all that",
  "don't stop",
  "STOPP",
  "non-stop",
  "s t o p",
  "unstoppable",
  "started",
  "end of story",
  "1 STOP",
  "help",
  "constructor",
  "__proto__",
  `STOP${" ".repeat(200)}`,
])("%j is no keyword", (text) => {
  expect(keywordOf(text)).toBeNull();
});

test("a malicious text is checked in linear time", () => {
  // Quadratic time would exceed the test's timeout.
  expect(keywordOf(`a${".".repeat(2_000_000)}a`)).toBeNull();
});
