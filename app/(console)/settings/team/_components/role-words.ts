import { rolesTexts } from "@/app/_texts/settings/roles";
import { ROLES } from "@/server/members/roles";
import type { Member } from "@/server/members/schema";

/** Each role in a word, and what it may do. */
export const ROLE_WORDS: Record<Member["role"], { label: string; may: string }> = rolesTexts;

export const roleOptions = () => ROLES.map((value) => ({ value, label: rolesTexts[value].label }));
