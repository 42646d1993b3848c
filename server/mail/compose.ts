/** The text of an email, plain and as simple HTML. */

/** `link`: what the reader is to open, with the words on it. */
export type Letter = { subject: string; paragraphs: readonly string[]; link?: { label: string; url: string } };

export type Composed = { subject: string; text: string; html: string };

const FOOT = "This message was sent by an installation of Messaging Service.";

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);

/** Names of accounts and people stand in texts: on one line, so that they cannot pose as other lines. */
const oneLine = (text: string): string => text.replace(/\p{Cc}+/gu, " ").trim();

const paragraph = (text: string) => `<p style="margin:0 0 16px">${escapeHtml(text)}</p>`;

/** Composes an email. All values are text: anything that looks like HTML is escaped. */
export function compose({ subject, paragraphs, link }: Letter): Composed {
  const lines = paragraphs.map(oneLine);
  const text = [...lines, ...(link ? [`${link.label}: ${link.url}`] : []), `-- \n${FOOT}`].join("\n\n");
  const button = link
    ? `<p style="margin:0 0 16px"><a href="${escapeHtml(link.url)}">${escapeHtml(link.label)}</a></p>` +
      `<p style="margin:0 0 16px;color:#666;font-size:13px;word-break:break-all">${escapeHtml(link.url)}</p>`
    : "";
  const html =
    `<!doctype html><html lang="en"><body style="font-family:sans-serif;font-size:15px;line-height:1.5;max-width:560px">` +
    `${lines.map(paragraph).join("")}${button}<p style="color:#666;font-size:13px">${FOOT}</p></body></html>`;
  return { subject: oneLine(subject), text, html };
}
