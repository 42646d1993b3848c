import type { Token, Tokens } from "marked";
import { Children, type ReactNode } from "react";
import { SiteLink } from "@/app/_ui/frame/site-link";
import { GuideCode } from "../_components/guide-code";
import { headingId, siteHref } from "./read-guide";

/** Renders Markdown tokens as elements. Raw HTML in the source is shown as text. */
export function Markdown({ tokens = [] }: { tokens?: Token[] }): ReactNode {
  return Children.toArray(tokens.map(render));
}

const inner = (token: Token): ReactNode => <Markdown tokens={"tokens" in token ? token.tokens : undefined} />;

function render(token: Token): ReactNode {
  switch (token.type) {
    case "heading":
      return renderHeading(token as Tokens.Heading);
    case "paragraph":
      return <p>{inner(token)}</p>;
    case "strong":
      return <strong>{inner(token)}</strong>;
    case "em":
      return <em>{inner(token)}</em>;
    case "codespan":
      return <code>{token.text}</code>;
    case "code":
      return <GuideCode value={token.text} />;
    case "link":
      return renderLink(token as Tokens.Link);
    case "list":
      return renderList(token as Tokens.List);
    case "table":
      return renderTable(token as Tokens.Table);
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

function renderHeading(heading: Tokens.Heading): ReactNode {
  const id = headingId(heading.text);
  const Heading = heading.depth === 2 ? "h2" : "h3";
  return <Heading id={id}>{inner(heading)}</Heading>;
}

function renderLink(link: Tokens.Link): ReactNode {
  const href = siteHref(link.href);
  if (href === null) return inner(link);
  return href.startsWith("/") ? <SiteLink href={href}>{inner(link)}</SiteLink> : <a href={href}>{inner(link)}</a>;
}

function renderList(list: Tokens.List): ReactNode {
  const items = Children.toArray(list.items.map(renderItem));
  return list.ordered ? <ol>{items}</ol> : <ul>{items}</ul>;
}

const renderItem = (item: Tokens.ListItem) => <li>{inner(item)}</li>;

const renderTable = (table: Tokens.Table) => (
  <div className="guide-table">
    <table>
      <thead>
        <tr>{Children.toArray(table.header.map(renderColumn))}</tr>
      </thead>
      <tbody>{Children.toArray(table.rows.map(renderRow))}</tbody>
    </table>
  </div>
);

const renderColumn = (cell: Tokens.TableCell) => (
  <th scope="col">
    <Markdown tokens={cell.tokens} />
  </th>
);

const renderRow = (row: Tokens.TableCell[]) => <tr>{Children.toArray(row.map(renderCell))}</tr>;

const renderCell = (cell: Tokens.TableCell) => (
  <td>
    <Markdown tokens={cell.tokens} />
  </td>
);
