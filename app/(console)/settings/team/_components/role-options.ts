import { rolesTexts } from "@/app/_texts/settings/roles";
import { ROLES } from "@/server/members/roles";

/** The choices of a field for a role. */
export const roleOptions = () => ROLES.map((value) => ({ value, label: rolesTexts[value].label }));
