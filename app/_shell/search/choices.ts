import { createAt } from "@/app/_ui/forms/use-create-dialog";
import type { Icon } from "@/app/_ui/icons/icon";
import {
  IconActivity,
  IconAddressBook,
  IconBuilding,
  IconDeviceDesktop,
  IconKey,
  IconLogout,
  IconMessage,
  IconMessageOff,
  IconMoon,
  IconPlus,
  IconSun,
  IconWebhook,
} from "@/app/_ui/icons/icons";
import type { Found } from "@/server/search/schema";
import { SECTIONS } from "../navigation";

/** Something that the search offers: a place to go to, or an action. */
export type Choice = {
  id: string;
  label: string;
  detail?: string;
  /** ISO 8601. */
  createdAt?: string | null;
  icon: Icon;
  /** Other words that people look for it by. */
  words?: string;
} & ({ href: string } | { action: ConsoleAction });

type ConsoleAction = "light" | "dark" | "auto" | "sign-out";

export type ChoiceGroup = { label: string; choices: Choice[] };

const ACTIONS: readonly Choice[] = [
  { id: "create-key", label: "Create an API key", icon: IconPlus, words: "new token", href: createAt("/api-keys") },
  { id: "register-sender", label: "Register a sender", icon: IconPlus, words: "new from", href: createAt("/senders") },
  {
    id: "add-endpoint",
    label: "Add a webhook endpoint",
    icon: IconPlus,
    words: "new url",
    href: createAt("/webhooks"),
  },
  {
    id: "suppress",
    label: "Suppress a number",
    icon: IconMessageOff,
    words: "block opt-out stop",
    href: createAt("/suppressions"),
  },
  {
    id: "quiet-hours",
    label: "Quiet hours",
    icon: IconMoon,
    words: "sending night time zone settings",
    href: "/settings/sending",
  },
  {
    id: "security",
    label: "Security",
    icon: IconKey,
    words: "password sessions two-factor",
    href: "/settings/security",
  },
  { id: "light", label: "Theme: light", icon: IconSun, words: "colours", action: "light" },
  { id: "dark", label: "Theme: dark", icon: IconMoon, words: "colours night", action: "dark" },
  { id: "auto", label: "Theme: match system", icon: IconDeviceDesktop, words: "colours", action: "auto" },
  { id: "sign-out", label: "Sign out", icon: IconLogout, words: "log out leave", action: "sign-out" },
];

/** The words of `text`, each of which must begin a word of what is looked for. */
const startsOf = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean);

const matches = ({ label, words = "" }: Choice, starts: readonly string[]): boolean => {
  const known = startsOf(`${label.replaceAll(/[:,-]/g, " ")} ${words}`);
  return starts.every((start) => known.some((word) => word.startsWith(start)));
};

/** Pages and actions that `text` names; without text the pages. */
export function knownChoices(text: string, isOperator: boolean): ChoiceGroup[] {
  const starts = startsOf(text);
  const pages = SECTIONS.filter((section) => isOperator || !section.operatorOnly).flatMap(({ title, items }) =>
    items.map(({ href, label, icon }) => ({ id: `page:${href}`, label, icon, href, words: title })),
  );
  return [
    { label: "Pages", choices: pages.filter((page) => matches(page, starts)) },
    { label: "Actions", choices: ACTIONS.filter((action) => matches(action, starts)) },
  ].filter(({ choices }) => choices.length > 0);
}

const KINDS: Readonly<Record<Found["kind"], { label: string; icon: Icon; hrefOf: (found: Found) => string }>> = {
  message: { label: "Messages", icon: IconMessage, hrefOf: ({ id }) => `/messages/${id}` },
  event: { label: "Events", icon: IconActivity, hrefOf: ({ message_id: id }) => `/messages/${id}` },
  webhook_endpoint: { label: "Webhook endpoints", icon: IconWebhook, hrefOf: ({ id }) => `/webhooks/${id}` },
  api_key: { label: "API keys", icon: IconKey, hrefOf: ({ id }) => `/api-keys/${id}` },
  sender: { label: "Senders", icon: IconAddressBook, hrefOf: () => "/senders" },
  account: { label: "Accounts", icon: IconBuilding, hrefOf: ({ id }) => `/operator/accounts/${id}` },
};

/** Results of the service, by kind. */
export const foundChoices = (found: readonly Found[]): ChoiceGroup[] =>
  (Object.keys(KINDS) as Found["kind"][]).flatMap((kind) => {
    const { label, icon, hrefOf } = KINDS[kind];
    const choices = found
      .filter((each) => each.kind === kind)
      .map((each) => ({
        id: each.id,
        label: each.title,
        detail: each.detail,
        createdAt: each.created_at,
        icon,
        href: hrefOf(each),
      }));
    return choices.length > 0 ? [{ label, choices }] : [];
  });
