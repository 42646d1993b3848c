"use client";

import { Suspense } from "react";
import { lazily } from "@/app/_ui/connection/connection";

const NotFoundPage = lazily(() => import("./not-found-page").then((file) => ({ default: file.NotFoundPage })));

/** Every page brings this view along, so what it shows is loaded where a page is missing. */
export function NotFoundView() {
  return (
    <Suspense>
      <NotFoundPage />
    </Suspense>
  );
}
