import { searchTexts as texts } from "@/app/_texts/shell/search";
import { createAt } from "@/app/_ui/forms/use-create-dialog";
import type { Icon } from "@/app/_ui/icons/icon";
import {
  IconActivity,
  IconAddressBook,
  IconAdjustments,
  IconBuilding,
  IconCoins,
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
import { sections } from "../navigation";

/** Something that the search offers: a place to go to, or an action. `changes`: it changes something. */
export type Choice = {
  id: string;
  label: string;
  detail?: string;
  /** ISO 8601. */
  createdAt?: string | null;
  icon: Icon;
  /** Other words that people look for it by. */
  words?: string;
  changes?: boolean;
} & ({ href: string } | { action: ConsoleAction });

type ConsoleAction = "light" | "dark" | "auto" | "sign-out";

export type ChoiceGroup = { label: string; choices: Choice[] };

const actions = (): readonly Choice[] => [
  { id: "create-key", ...texts.createKey, icon: IconPlus, href: createAt("/api-keys"), changes: true },
  { id: "register-sender", ...texts.registerSender, icon: IconPlus, href: createAt("/senders"), changes: true },
  { id: "add-endpoint", ...texts.addEndpoint, icon: IconPlus, href: createAt("/webhooks"), changes: true },
  { id: "suppress", ...texts.suppressNumber, icon: IconMessageOff, href: createAt("/suppressions"), changes: true },
  { id: "countries", ...texts.countries, icon: IconAdjustments, href: "/settings/sending" },
  { id: "spending-cap", ...texts.spendingCap, icon: IconCoins, href: "/settings/sending" },
  { id: "quiet-hours", ...texts.quietHours, icon: IconMoon, href: "/settings/sending" },
  { id: "text-retention", ...texts.textRetention, icon: IconMessage, href: "/settings/sending" },
  { id: "security", ...texts.security, icon: IconKey, href: "/settings/security" },
  { id: "light", ...texts.themeLight, icon: IconSun, action: "light" },
  { id: "dark", ...texts.themeDark, icon: IconMoon, action: "dark" },
  { id: "auto", ...texts.themeAuto, icon: IconDeviceDesktop, action: "auto" },
  { id: "sign-out", ...texts.signOut, icon: IconLogout, action: "sign-out" },
];

/** The words of `text`; each must be the beginning of a word of the choice. */
const startsOf = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean);

const matches = ({ label, words = "" }: Choice, starts: readonly string[]): boolean => {
  const known = startsOf(`${label.replaceAll(/[:,-]/g, " ")} ${words}`);
  return starts.every((start) => known.some((word) => word.startsWith(start)));
};

/** The person: an operator, or not; with a role that changes things, or one that only reads. */
type Searcher = { isOperator: boolean; mayChange: boolean };

/** Pages and actions that `text` names, of those that are open to the person; without text the pages. */
export function knownChoices(text: string, { isOperator, mayChange }: Searcher): ChoiceGroup[] {
  const starts = startsOf(text);
  const isOffered = (choice: Choice) => (mayChange || !choice.changes) && matches(choice, starts);
  const pages = sections()
    .filter((section) => isOperator || !section.operatorOnly)
    .flatMap(({ title, items }) =>
      items.map(({ href, label, icon, changes }) => ({ id: `page:${href}`, label, icon, href, words: title, changes })),
    );
  return [
    { label: texts.pages, choices: pages.filter(isOffered) },
    { label: texts.actions, choices: actions().filter(isOffered) },
  ].filter(({ choices }) => choices.length > 0);
}

const KINDS: Readonly<Record<Found["kind"], { icon: Icon; hrefOf: (found: Found) => string }>> = {
  message: { icon: IconMessage, hrefOf: ({ id }) => `/messages/${id}` },
  event: { icon: IconActivity, hrefOf: ({ message_id: id }) => `/messages/${id}` },
  webhook_endpoint: { icon: IconWebhook, hrefOf: ({ id }) => `/webhooks/${id}` },
  api_key: { icon: IconKey, hrefOf: ({ id }) => `/api-keys/${id}` },
  sender: { icon: IconAddressBook, hrefOf: () => "/senders" },
  account: { icon: IconBuilding, hrefOf: ({ id }) => `/operator/accounts/${id}` },
};

/** Results of the service, by kind. */
export const foundChoices = (found: readonly Found[]): ChoiceGroup[] =>
  (Object.keys(KINDS) as Found["kind"][]).flatMap((kind) => {
    const { icon, hrefOf } = KINDS[kind];
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
    return choices.length > 0 ? [{ label: texts.kinds[kind], choices }] : [];
  });
