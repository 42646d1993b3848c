import type { ReactNode } from "react";
import { defineTexts } from "./define-texts";

const en = {
  home: "Messaging Service, documentation",
  documentation: "Documentation",
  guides: "Guides",
  reference: "Reference",
  apiReference: "API reference",
  referenceTitle: "API reference · Messaging Service",
  openConsole: "Open the console",
  loadingReference: "Loading the reference",
  notLoaded: {
    title: "The reference could not be loaded",
    hint: (document: ReactNode) => <>Reload the page. The OpenAPI document is at {document}.</>,
  },
  viewAsMarkdown: "View as Markdown",
  onThisPage: "On this page",
  copyCode: "Copy code",
};

/** The texts around the guides and the API reference, whose own texts are English. */
export const docsTexts = defineTexts({ en });
