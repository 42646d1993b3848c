import type { ReactNode } from "react";
import { defineTexts } from "../define-texts";

const en = {
  disabled: "Disabled",
  paused: "Paused",
  failing: "Failing",
  active: "Active",
  allEvents: "All events",
  allStatusChanges: "All status changes",
  enabled: "Endpoint enabled. New events are sent to it again. “Recover events” on its page sends the parked ones.",
  hasPaused: "Endpoint paused. Its events wait until you resume it.",
  isDisabled: "The endpoint is disabled already.",
  resumed: "Endpoint resumed. The events that waited are being sent.",
  delete: {
    title: "Delete this endpoint?",
    effect: (url: ReactNode) => <>Events are no longer sent to {url}. This cannot be undone.</>,
    submit: "Delete endpoint",
    deleted: "Endpoint deleted",
  },
  secret: { copyNow: "Copy the signing secret now", label: "Signing secret" },
  form: {
    enterUrl: "Enter the URL of your endpoint",
    selectEvent: "Select at least one event",
    url: { label: "Endpoint URL", description: "https is recommended" },
    description: "Description",
    events: "Events",
  },
};

/** The texts that the list of webhook endpoints and the page of one have in common. */
export const endpointPartsTexts = defineTexts({ en });
