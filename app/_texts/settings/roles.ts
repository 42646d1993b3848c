import type { Member } from "@/server/members/schema";
import { defineTexts } from "../define-texts";

const en = {
  viewer: { label: "Viewer", may: "Can read everything except the audit log, and change nothing." },
  developer: {
    label: "Developer",
    may: "Also sends messages, and manages senders, suppressions, API keys, webhooks and quiet hours.",
  },
  owner: {
    label: "Owner",
    may: "Also decides who is a member, changes the profile, alerts, sending limits and text retention, and reads the audit log.",
  },
} satisfies Record<Member["role"], { label: string; may: string }>;

/** Each role in a word, and what it may do. */
export const rolesTexts = defineTexts({ en });
