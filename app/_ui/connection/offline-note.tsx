"use client";

import { frameTexts as texts } from "@/app/_texts/ui/frame";
import { useOnline } from "./connection";

/** Says so while there is no connection: links and dialogs that are not loaded yet do not open meanwhile. */
export function OfflineNote() {
  const isOnline = useOnline();
  // Screen readers announce a live region only if it exists before its text.
  return <div role="status">{!isOnline && <div className="offline-note">{texts.offline}</div>}</div>;
}
