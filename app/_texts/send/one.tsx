import type { ReactNode } from "react";
import { defineTexts } from "../define-texts";

const en = {
  title: "Send a message",
  description: "Send one message to one recipient. The cost is shown before you send.",
  sendToMany: "Send to many",
  noSender: {
    title: "Register a sender first",
    explanation: "Recipients see the sender ID as the origin of your messages. You need an approved one to send.",
    register: "Register a sender",
  },
  senderPending: {
    title: "Your sender is waiting for approval",
    explanation: "You can send from this page as soon as it is approved.",
    view: "View senders",
  },
  form: "Message",
  refused: "The message was not sent",
  unconfirmed: {
    title: "We could not confirm that the message was accepted",
    explanation: "Select the button again: as long as you change nothing, it is sent and billed only once.",
    draftIsKept: "A draft is kept. Sent from there, the message is sent and billed only once, however often you try.",
  },
  from: "From",
  selectSender: "Select a sender",
  to: "To",
  toHint: "With + and country code (E.164)",
  enterNumber: "Enter the number in international format, such as +14155550123",
  text: "Text",
  enterText: "Enter a text",
  reference: "Reference",
  referenceHint: "Optional. Your own ID, returned in webhooks.",
  later: {
    label: "Send later",
    hint: (days: number) => `Optional. Date and time, at most ${days} days ahead.`,
    hintInZone: (zone: string, days: number) => `Optional. Date and time in ${zone}, at most ${days} days ahead.`,
    enterTime: "Enter a date and a time",
    noSuchTime: "This time does not exist: the clocks are put forward then",
    chooseFuture: "Choose a time in the future",
    chooseWithin: (days: number) => `Choose a time within ${days} days`,
  },
  quietHours: {
    label: "Send in quiet hours too",
    hours: (from: string, to: string) =>
      `From ${from} to ${to} by the recipient's clock, this account's messages wait.`,
    putOff: (time: ReactNode) => <>This one would be sent {time}.</>,
  },
  warning: {
    refused: "This message would be refused",
    notCovered: "Your balance does not cover this message",
    askForCredit: "Ask the operator of this installation for credit, then send it.",
    fails: "This message would fail at once",
    notCharged: (reason: string) => `${reason} You would not be charged.`,
    viewSuppression: "View the suppression",
    checkNumber: "Check the number",
    notInPlan:
      "No country has such a number: its country code is not assigned, or it has too few or too many digits. A message to it is charged, but hardly ever delivered.",
  },
  send: "Send message",
  schedule: "Schedule message",
  done: {
    failed: (number: string) => `The message to ${number} failed`,
    notSent: "It was not sent.",
    scheduled: (number: string) => `Message to ${number} scheduled`,
    accepted: (number: string) => `Message to ${number} accepted`,
  },
  cost: {
    title: "Cost",
    perSegment: "Price per segment",
    segments: "Segments",
    ofMessage: "Cost of this message",
    balance: "Your balance",
    balanceAfter: "Balance after this message",
    enterNumber: "Enter a complete phone number to see the cost.",
    enterText: "Enter a text to see the cost.",
    waiting: "Getting the price…",
    textUnusable: "This text cannot be sent. See the message below it.",
  },
  scenarios: {
    title: "Scenario numbers",
    explanation: "The sandbox provider sends nothing. Use these recipients to simulate an outcome:",
    copy: (number: string) => `Copy ${number}`,
    delivered: "Delivered at once",
    deliveredLate: "Delivered after 5\u00a0s",
    refused: "Refused permanently",
    unavailable: "The provider responds 503: falls back to the next one, then fails",
    timeout: "The provider does not respond: timeout",
    receiptFirst: "The receipt arrives before the provider’s response",
    receiptsTwice: "Receipts arrive twice and out of order",
    noReceipt: "No receipt arrives",
    undelivered: "Sent, then undelivered: the handset cannot be reached",
    anyOther: "Any other number",
    deliveredSoon: "Delivered after about 1\u00a0s",
  },
};

/** The texts of the page that sends one message. */
export const sendTexts = defineTexts({ en });
