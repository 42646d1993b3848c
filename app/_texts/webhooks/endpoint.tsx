import type { ReactNode } from "react";
import { defineTexts } from "../define-texts";

const en = {
  title: "Webhook endpoint",
  titleOf: (host: string) => `Webhook ${host}`,
  allEndpoints: "All endpoints",
  isDisabled: "This endpoint is disabled",
  whyDisabled: {
    consecutive_failures:
      "25 tries in a row failed. New events are parked. Fix your server, enable the endpoint, then recover the parked events.",
    gone: "It responded with 410 Gone. New events are parked. If it still exists, correct its response or the URL, enable it, then recover the parked events.",
    unknown:
      "Too many tries in a row failed, or it responded with 410. New events are parked. Fix your server, enable the endpoint, then recover the parked events.",
  },
  enable: "Enable endpoint",
  pause: "Pause",
  isPaused: "This endpoint is paused",
  pausedBy: (time: ReactNode, who: ReactNode) => (
    <>
      Paused {time} by {who}. Its events wait, and are sent when you resume it.
    </>
  ),
  formerMember: "a former member",
  resume: "Resume",
  notFound: "Endpoint not found",
  whyNotFound: "It was deleted, or it belongs to another account.",
  facts: {
    title: "Endpoint",
    state: "State",
    events: "Events",
    consecutiveFailures: "Consecutive failures",
    lastSuccess: "Last success",
    lastFailure: "Last failure",
    never: "Never",
    disabled: "Disabled",
    paused: "Paused",
  },
  edit: {
    title: "Edit the endpoint",
    effect:
      "Waiting deliveries go to the new URL. Newly chosen events are sent from now on. The signing secret stays the same.",
    form: "Endpoint",
    notChanged: "The endpoint was not changed",
    changed: "Endpoint changed",
  },
  test: {
    button: "Send test event",
    title: "Test event",
    delivered: "Delivered",
    notDelivered: "Not delivered",
    response: (status: number, milliseconds: string) => `HTTP ${status}, ${milliseconds} ms`,
    noResponse: (milliseconds: string) => `No response, ${milliseconds} ms`,
    copyResponse: "Copy response",
    about:
      "The test event has the header Service-Test: true and is about a message that does not exist. It is not listed under deliveries, not retried, and does not change the state of the endpoint.",
  },
  rotate: {
    button: "Rotate secret",
    title: "Rotate the signing secret?",
    notRotated: "The secret was not rotated",
    effect:
      "Events are signed with the new secret at once, and also with the current one for 24 hours. An older secret still in use from an earlier rotation stops signing now.",
    submit: "Rotate now",
    rotated: "New signing secret",
    secretOnce:
      "It is shown only once. The previous secret signs too for 24 hours: switch your server to the new one before then.",
    twoSignatures: "Until then each request has two signatures; it is genuine if one of them matches.",
  },
  recover: {
    button: "Recover events",
    title: "Recover missed events",
    enterTime: "Enter a date and a time",
    form: "Recovery",
    notRecovered: "No events were recovered",
    unknown: "It is unknown whether the events were recovered",
    partly: "Some of the events were recovered",
    restNext: "The service was interrupted. Try again: it recovers the rest.",
    again: "Try again: events that are already on their way are left out.",
    effect:
      "Parked and abandoned events since then are sent again. Your server may already have received some of them.",
    since: "Since",
    inZone: (zone: string) => `Date and time in ${zone}.`,
    submit: "Recover events",
    nothing: "No event since then was parked or abandoned. Those still failing are retried automatically.",
  },
};

/** The texts of the page of a webhook endpoint. */
export const endpointTexts = defineTexts({ en });
