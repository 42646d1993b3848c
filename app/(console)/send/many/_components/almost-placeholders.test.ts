import { expect, test } from "vitest";
import { almostPlaceholders, replaceAlmost } from "./almost-placeholders";

const COLUMNS = ["name", "Order no"];

test.each(["{name}", "{ name }", `$${"{name}"}`, "{Name}", "[name]", "<name>", "%name%", "{{{name}}}"])(
  "%s is recognized as a column and replaced everywhere",
  (written) => {
    const body = `Hi ${written}, dear ${written}, {{Order no}} is ready`;
    const found = almostPlaceholders(body, COLUMNS);
    expect(found).toEqual([{ written, meant: "{{name}}" }]);
    expect(replaceAlmost(body, found)).toBe("Hi {{name}}, dear {{name}}, {{Order no}} is ready");
  },
);

test("real placeholders and text that names no column are left alone", () => {
  const body = "Hi {{name}}, {{ Order no }}: 10 % off, {code}, [1], a < b > c and {{other}}";
  expect(almostPlaceholders(body, COLUMNS)).toEqual([]);
  expect(almostPlaceholders("Hi {name}", [])).toEqual([]);
});

test("several are replaced at once", () => {
  const body = "{name}: [order no]";
  expect(replaceAlmost(body, almostPlaceholders(body, COLUMNS))).toBe("{{name}}: {{Order no}}");
});
