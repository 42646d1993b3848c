"use client";

import { startTransition, useEffect, useOptimistic, useState } from "react";
import { frameTexts as texts } from "@/app/_texts/ui/frame";
import { usePartUnderWay } from "../connection/connection";
import { onNavigationStart } from "./navigations";

/** Faster loads show no bar: one that flashes is worse than none. */
const SHOWN_AFTER_MS = 200;

/**
 * A bar at the top of the window while the next page, or the code of a dialog or menu, is being loaded, so that people see that
 * their click has worked.
 */
export function LoadingBar() {
  // React resets it when the router has rendered the page, also after a redirect or a failure.
  const [isPageUnderWay, setPageUnderWay] = useOptimistic(false);
  useEffect(() => onNavigationStart(() => startTransition(() => setPageUnderWay(true))), [setPageUnderWay]);
  const isPartUnderWay = usePartUnderWay();
  return isPageUnderWay || isPartUnderWay ? <Bar /> : null;
}

function Bar() {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), SHOWN_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return isShown ? <div className="loading-bar" role="progressbar" aria-label={texts.loading} /> : null;
}
