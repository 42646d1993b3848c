"use client";

import { useDocumentTitle } from "@mantine/hooks";
import { appTexts } from "@/app/_texts/app";

/** Names the thing that a page shows in the browser's tab and history. */
export const usePageTitle = (title: string): void => useDocumentTitle(appTexts.pageTitle(title));
