import { defineTexts } from "./define-texts";

const en = {
  upload: {
    submit: "Upload a CSV file",
    tooLarge: "The file is too large",
    atMost: (megabytes: number) => `At most ${megabytes} MB can be read.`,
  },
  noNumber: "No number",
  notANumber: "Not a number in international form, such as +14155550123",
  problemLines: { label: "Lines with problems", line: "Line", number: "Number", problem: "Problem" },
};

/** The texts of lists of numbers that are pasted or uploaded. */
export const numbersTexts = defineTexts({ en });
