import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { formsTexts } from "@/app/_texts/ui/forms";
import { isOnline } from "../connection/connection";
import { confirmAction } from "../forms/confirm";

const pageOf = ({ pathname, search }: HTMLAnchorElement | Location): string => pathname + search;

/** The link of a click that opens another page of this site in this tab. */
function linkOf({ target, button, ctrlKey, metaKey, shiftKey, altKey }: MouseEvent): HTMLAnchorElement | null {
  if (button !== 0 || ctrlKey || metaKey || shiftKey || altKey || !(target instanceof Element)) return null;
  const link = target.closest<HTMLAnchorElement>("a[href]");
  if (link?.target !== "" || link.origin !== window.location.origin) return null;
  // A place on this page.
  return link.hash !== "" && pageOf(link) === pageOf(window.location) ? null : link;
}

function askToLeave(leave: () => void): void {
  const texts = formsTexts.discard;
  confirmAction({ title: texts.title, children: texts.ofPage, confirmLabel: texts.confirm, onConfirm: leave });
}

/** The page that is open has entries that would be lost. */
let isAtRisk = false;

/** Leaves the page by other means than a link, after the question of `useLeaveQuestion` if there is one. */
export function leaveBy(leave: () => void): void {
  if (isAtRisk) askToLeave(leave);
  else leave();
}

/**
 * Asks before a page is left whose form has entries that no draft keeps, because they are secrets: by a link, the search, a reload or
 * the end of the tab. The way back cannot be held up.
 */
export function useLeaveQuestion(isEntered: boolean): void {
  const router = useRouter();
  useEffect(() => {
    if (!isEntered) return;
    isAtRisk = true;
    const onLeave = (event: BeforeUnloadEvent) => event.preventDefault();
    const onClick = (event: MouseEvent) => {
      const link = linkOf(event);
      // Without a connection a link does nothing.
      if (!link || !isOnline()) return;
      event.preventDefault();
      event.stopPropagation();
      askToLeave(() => router.push(link.href));
    };
    window.addEventListener("beforeunload", onLeave);
    document.addEventListener("click", onClick, { capture: true });
    return () => {
      isAtRisk = false;
      window.removeEventListener("beforeunload", onLeave);
      document.removeEventListener("click", onClick, { capture: true });
    };
  }, [isEntered, router]);
}
