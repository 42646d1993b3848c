import { ROLES } from "@/server/members/roles";
import type { Member } from "@/server/members/schema";

type Role = Member["role"];

/** Each role in a word, and what it may do. */
export const ROLE_WORDS: Record<Role, { label: string; may: string }> = {
  viewer: { label: "Viewer", may: "Reads everything but the audit log, and changes nothing." },
  developer: {
    label: "Developer",
    may: "Also sends messages, and manages senders, suppressions, API keys and webhooks.",
  },
  owner: {
    label: "Owner",
    may: "Also decides who is a member, changes the profile and alerts, and reads the audit log.",
  },
};

export const ROLE_OPTIONS = ROLES.map((value) => ({ value, label: ROLE_WORDS[value].label }));
