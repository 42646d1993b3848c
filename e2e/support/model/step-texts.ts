/** Texts of the random steps. */

/** A text, by characters and their number, so that a failing sequence can be read. */
export type Text = [characters: string, times: number][];

export const TEXTS = [
  ...[
    [["a", 160]],
    [["a", 161]],
    [
      ["a", 159],
      ["€", 1],
    ],
    [["ж", 70]],
    [["ж", 71]],
    [["{}[]~^|\\€", 1]],
  ],
  ...[
    [["a", 1_600]],
    [["😀", 35]],
    [["😀", 36]],
    [
      ["a", 152],
      ["€", 1],
      ["b", 153],
    ],
    [["ж", 1_600]],
    // Placeholders, which are text like any other without variables.
    [["Hello {{name}}, {{ order }}", 1]],
    // Smart encoding saves segments, or replaces what stays in UCS-2, or would need more segments.
    [
      ["“", 1],
      ["a", 98],
      ["”", 1],
    ],
    [["«Zażółć» – gęślą•·\u00a0\t…", 1]],
    [["…", 69]],
    [["…", 600]],
    [["cafe\u0301‘s\u200b", 20]],
    [["\u200b", 3]],
  ],
] as Text[];
export const HELLO: Text = [["Hello", 1]];
export const NO_TEXTS: Text[] = [[], [["a", 1_601]]];

/** Texts of a bulk with variables, and values of `name`. */
export const TEMPLATES: Text[] = [
  [["Hello {{name}}, {{ order }}.", 1]],
  [["{{name}}", 1]],
  [["{{ name }}{{name}}", 1]],
  [["{name} {{order}}", 1]],
];
export const VALUES = [
  ...[[["Ann", 1]], [["Ann", 1]], [["Бо", 1]], [["{{order}}", 1]], [["“Ann”…", 1]], [["€", 80]], [["Ж", 69]]],
  // A value has as many characters as a text, however many units these have.
  ...[[], [["a", 1_590]], [["😀", 801]]],
] as Text[];

/** A value of `name` for each recipient, and what is wrong with them. */
export type Variables = { template: Text; names: Text[]; fault: "none" | "too few" | "missing" | "too long" };

/** The text itself. */
export const textOf = (text: Text): string => text.map(([character, times]) => character.repeat(times)).join("");
