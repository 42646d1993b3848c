import type { MEMBER_ROLES } from "../core/actor";

/** All roles, the weakest first. Separate from core/actor.ts, so that pages need not load its errors. */
export const ROLES = ["viewer", "developer", "owner"] as const satisfies typeof MEMBER_ROLES;
