"use client";

import { startTransition, useEffect, useOptimistic, useState } from "react";
import { frameTexts as texts } from "@/app/_texts/ui/frame";
import { onNavigationStart } from "./navigations";

/** Pages that are here sooner are not announced: a bar that flashes is worse than none. */
const SHOWN_AFTER_MS = 200;

/** A bar at the top of the window while the next page is awaited, so that a click on a link is seen to have worked. */
export function NavigationProgress() {
  // React takes it back when the router has rendered the page, also after a redirect or a failure.
  const [isUnderWay, setUnderWay] = useOptimistic(false);
  useEffect(() => onNavigationStart(() => startTransition(() => setUnderWay(true))), [setUnderWay]);
  return isUnderWay ? <Bar /> : null;
}

function Bar() {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), SHOWN_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return isShown ? <div className="navigation-progress" role="progressbar" aria-label={texts.loadingPage} /> : null;
}
