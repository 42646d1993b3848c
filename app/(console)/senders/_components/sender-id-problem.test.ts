import { expect, it } from "vitest";
import { senderIdProblem } from "./sender-id-problem";

it("takes names and numbers", () => {
  for (const id of ["ACME", "A & B", "12345678901", "+4915112345678", "x".repeat(11)]) {
    expect(senderIdProblem(id), id).toBeNull();
  }
});

it("says what is wrong in words that fit what was entered", () => {
  for (const [id, problem] of [
    ["", "Enter the sender ID"],
    ["x".repeat(12), "A name has at most 11 characters"],
    ["12", "A number has 3 to 15 digits"],
    ["+1234567890123456", "A number has 3 to 15 digits"],
    ["Bäckerei", "This character is not allowed: ä"],
    ["Groß & schön!", "These characters are not allowed: ß ö !"],
    ["ACME+", "This character is not allowed: +"],
    ["1-2-3", "Enter a name with at least one letter, or a number"],
  ] as const) {
    expect(senderIdProblem(id), id).toBe(problem);
  }
});
