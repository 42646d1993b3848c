"use client";

import { useDocumentTitle } from "@mantine/hooks";

/** Names the thing that a page shows in the browser's tab and history. */
export const usePageTitle = (title: string): void => useDocumentTitle(`${title} · Messaging Service`);
