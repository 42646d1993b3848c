"use client";

import { Suspense } from "react";
import { lazily } from "@/app/_ui/connection/connection";

const NotFoundPage = lazily(() => import("./not-found-page").then((file) => ({ default: file.NotFoundPage })));

/** Every page includes this view, so its content is loaded only where a page is missing. */
export function NotFoundView() {
  return (
    <Suspense>
      <NotFoundPage />
    </Suspense>
  );
}
