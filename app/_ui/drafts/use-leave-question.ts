import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { formsTexts } from "@/app/_texts/ui/forms";
import { isOnline } from "../connection/connection";
import { confirmAction } from "../forms/confirm";

const pageOf = ({ pathname, search }: HTMLAnchorElement | Location): string => pathname + search;

/** The link of a click, if it opens another page in this tab. */
function linkOf({ target, button, ctrlKey, metaKey, shiftKey, altKey }: MouseEvent): HTMLAnchorElement | null {
  if (button !== 0 || ctrlKey || metaKey || shiftKey || altKey || !(target instanceof Element)) return null;
  const link = target.closest<HTMLAnchorElement>("a[href]");
  if (link?.target !== "" || link.origin !== window.location.origin) return null;
  // It leads to a place on this page.
  return link.hash !== "" && pageOf(link) === pageOf(window.location) ? null : link;
}

/** The reason for a question before leaving: entries are not kept, or a secret is never shown again. */
type Risk = "entries" | "secret";

/** The risks of the page that is open, the newest last. */
const risks: Risk[] = [];

function askToLeave(risk: Risk, leave: () => void): void {
  const { leaveSecret, discard } = formsTexts;
  const [{ title, confirm }, question] =
    risk === "secret" ? [leaveSecret, leaveSecret.question] : [discard, discard.ofPage];
  confirmAction({ title, children: question, confirmLabel: confirm, onConfirm: leave });
}

/** Leaves the page by other means than a link, after the question of `useLeaveQuestion` if it is due. */
export function leaveBy(leave: () => void): void {
  const risk = risks.at(-1);
  if (risk) askToLeave(risk, leave);
  else leave();
}

/**
 * Asks before a page is left by a link, the search, a reload or closing the tab, if its form has entries that no draft keeps
 * because they are secrets, or if it shows a secret for the only time. Going back cannot be intercepted.
 */
export function useLeaveQuestion(isAtRisk: boolean, risk: Risk = "entries"): void {
  const router = useRouter();
  useEffect(() => {
    if (!isAtRisk) return;
    risks.push(risk);
    const onLeave = (event: BeforeUnloadEvent) => event.preventDefault();
    const onClick = (event: MouseEvent) => {
      const link = linkOf(event);
      // Without a connection a link does nothing.
      if (!link || !isOnline()) return;
      event.preventDefault();
      // Keeps other parts of the page from asking too.
      event.stopImmediatePropagation();
      askToLeave(risk, () => router.push(link.href));
    };
    window.addEventListener("beforeunload", onLeave);
    document.addEventListener("click", onClick, { capture: true });
    return () => {
      risks.splice(risks.indexOf(risk), 1);
      window.removeEventListener("beforeunload", onLeave);
      document.removeEventListener("click", onClick, { capture: true });
    };
  }, [isAtRisk, risk, router]);
}
