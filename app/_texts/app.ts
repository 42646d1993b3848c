import { defineTexts } from "./define-texts";

const en = {
  product: "Messaging Service",
  pageTitle: (title: string) => `${title} · Messaging Service`,
  showOrHideEntry: "Show or hide the entry",
  requestFailed: "The request failed",
  tryAgain: "Try again",
  unreachable: "The service could not be reached. Check your connection and try again.",
  failed: "Something went wrong on our side. Try again; if it keeps happening, tell the operator of this installation.",
  unavailable: "The service is not available at the moment. Try again shortly.",
  sessionEnded: "Your session has ended",
  confirmPassword: "Confirm your password",
  notFound: {
    title: "Page not found",
    reason: "The page does not exist, or it belongs to another account.",
    backToOverview: "Back to the overview",
  },
  error: {
    title: "This page failed to load",
    reason: "Something went wrong on our side. Nothing was sent or charged by opening this page.",
  },
};

/** The texts that every page brings along. */
export const appTexts = defineTexts({ en });
