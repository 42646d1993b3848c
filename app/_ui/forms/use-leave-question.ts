import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { formsTexts } from "@/app/_texts/ui/forms";
import { confirmAction } from "./confirm";

/** The link of this site that a click opens in this tab. */
function linkOf({ target, button, ctrlKey, metaKey, shiftKey, altKey }: MouseEvent): HTMLAnchorElement | null {
  if (button !== 0 || ctrlKey || metaKey || shiftKey || altKey || !(target instanceof Element)) return null;
  const link = target.closest<HTMLAnchorElement>("a[href]");
  return link?.target === "" && link.origin === window.location.origin ? link : null;
}

/**
 * Asks before a page is left whose form has entries that no draft keeps, because they are secrets: by a link, a reload or the end of
 * the tab. The way back cannot be held up.
 */
export function useLeaveQuestion(isEntered: boolean): void {
  const router = useRouter();
  useEffect(() => {
    if (!isEntered) return;
    const texts = formsTexts.discard;
    const onLeave = (event: BeforeUnloadEvent) => event.preventDefault();
    const onClick = (event: MouseEvent) => {
      const link = linkOf(event);
      if (!link) return;
      event.preventDefault();
      event.stopPropagation();
      confirmAction({
        title: texts.title,
        children: texts.ofPage,
        confirmLabel: texts.confirm,
        onConfirm: () => router.push(link.href),
      });
    };
    window.addEventListener("beforeunload", onLeave);
    document.addEventListener("click", onClick, { capture: true });
    return () => {
      window.removeEventListener("beforeunload", onLeave);
      document.removeEventListener("click", onClick, { capture: true });
    };
  }, [isEntered, router]);
}
