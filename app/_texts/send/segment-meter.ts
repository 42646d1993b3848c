import { defineTexts, plural } from "../define-texts";

const en = {
  shareUsed: "Share of the last segment used",
  characters: (count: number, shown: string) =>
    plural(count, { one: `${shown} character`, other: `${shown} characters` }),
  segments: (count: number) => plural(count, { one: `${count} segment`, other: `${count} segments` }),
  left: (left: number, all: number) => `${left} of ${all} left in this segment`,
  outsideGsm: (count: number) =>
    plural(count, {
      one: "This character is outside the GSM-7 alphabet, so the whole text is sent as UCS-2, with fewer characters per segment:",
      other:
        "These characters are outside the GSM-7 alphabet, so the whole text is sent as UCS-2, with fewer characters per segment:",
    }),
  replace: (character: string, substitute: string) => `Replace ${character} with ${substitute}`,
  nothing: "nothing",
  space: "a space",
  lineBreak: "a line break",
  find: (character: string) => `Find ${character}`,
  more: (count: string) => `and ${count} more`,
  replaceTypographic: "Replace typographic punctuation",
  saves: (count: number, shown: string) =>
    plural(count, { one: `Saves ${shown} segment`, other: `Saves ${shown} segments` }),
};

/** The texts of the meter below a text to send. */
export const segmentMeterTexts = defineTexts({ en });
