import type { Token, Tokens } from "marked";
import { Children, type ReactNode } from "react";
import { CodeBlock } from "@/app/_ui/code-block";
import { SiteLink } from "@/app/_ui/site-link";
import { headingId, siteHref } from "./read-guide";

/** Draws markdown as elements, without any HTML of its own. Raw HTML in the text is shown as text. */
export function Markdown({ tokens = [] }: { tokens?: Token[] }): ReactNode {
  return Children.toArray(tokens.map(draw));
}

const inner = (token: Token): ReactNode => <Markdown tokens={"tokens" in token ? token.tokens : undefined} />;

function draw(token: Token): ReactNode {
  switch (token.type) {
    case "heading":
      return drawHeading(token as Tokens.Heading);
    case "paragraph":
      return <p>{inner(token)}</p>;
    case "strong":
      return <strong>{inner(token)}</strong>;
    case "em":
      return <em>{inner(token)}</em>;
    case "codespan":
      return <code>{token.text}</code>;
    case "code":
      return <CodeBlock value={token.text} copyLabel="Copy code" />;
    case "link":
      return drawLink(token as Tokens.Link);
    case "list":
      return drawList(token as Tokens.List);
    case "table":
      return drawTable(token as Tokens.Table);
    case "blockquote":
      return <blockquote>{inner(token)}</blockquote>;
    case "hr":
      return <hr />;
    case "br":
      return <br />;
    case "space":
      return null;
    default:
      return "tokens" in token && token.tokens ? inner(token) : "text" in token ? token.text : token.raw;
  }
}

function drawHeading(heading: Tokens.Heading): ReactNode {
  const id = headingId(heading.text);
  const Heading = heading.depth === 2 ? "h2" : "h3";
  return <Heading id={id}>{inner(heading)}</Heading>;
}

function drawLink(link: Tokens.Link): ReactNode {
  const href = siteHref(link.href);
  if (href === null) return inner(link);
  return href.startsWith("/") ? <SiteLink href={href}>{inner(link)}</SiteLink> : <a href={href}>{inner(link)}</a>;
}

function drawList(list: Tokens.List): ReactNode {
  const items = Children.toArray(list.items.map(drawItem));
  return list.ordered ? <ol>{items}</ol> : <ul>{items}</ul>;
}

const drawItem = (item: Tokens.ListItem) => <li>{inner(item)}</li>;

const drawTable = (table: Tokens.Table) => (
  <div className="guide-table">
    <table>
      <thead>
        <tr>{Children.toArray(table.header.map(drawColumn))}</tr>
      </thead>
      <tbody>{Children.toArray(table.rows.map(drawRow))}</tbody>
    </table>
  </div>
);

const drawColumn = (cell: Tokens.TableCell) => (
  <th scope="col">
    <Markdown tokens={cell.tokens} />
  </th>
);

const drawRow = (row: Tokens.TableCell[]) => <tr>{Children.toArray(row.map(drawCell))}</tr>;

const drawCell = (cell: Tokens.TableCell) => (
  <td>
    <Markdown tokens={cell.tokens} />
  </td>
);
