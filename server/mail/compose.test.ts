import { expect, test } from "vitest";
import { compose } from "./compose";

test("a letter has the same words as plain text and as HTML, with its link", () => {
  const { subject, text, html } = compose({
    subject: "Join Acme",
    paragraphs: ["You were invited.", "It works once."],
    link: { label: "Accept", url: "https://sms.example.com/invitation?token=a&b=1" },
  });
  expect(subject).toBe("Join Acme");
  expect(text).toContain(
    "You were invited.\n\nIt works once.\n\nAccept: https://sms.example.com/invitation?token=a&b=1",
  );
  expect(html).toContain('<a href="https://sms.example.com/invitation?token=a&amp;b=1">Accept</a>');
});

test("names are text: they bring in neither HTML nor lines of their own", () => {
  const name = `<img src=x onerror="alert(1)">\r\nBcc: everybody@example.com`;
  const { subject, text, html } = compose({ subject: name, paragraphs: [name] });
  expect(html).not.toContain("<img");
  expect(html).toContain("&lt;img src=x onerror=&quot;alert(1)&quot;&gt;");
  for (const line of [subject, ...text.split("\n")]) expect(line).not.toMatch(/^Bcc/);
  expect(subject).not.toMatch(/[\r\n]/);
});
