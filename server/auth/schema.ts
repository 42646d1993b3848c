import { z } from "zod";
import { EmailAddress } from "../core/wire";

const PASSWORD_MIN = 10;
const PASSWORD_MAX = 200;

export const SignUpInput = z.object({
  email: EmailAddress,
  password: z.string().min(PASSWORD_MIN, `must have at least ${PASSWORD_MIN} characters`).max(PASSWORD_MAX),
  name: z.string().trim().min(1).max(100),
  company_name: z.string().trim().max(100).default(""),
});
export type SignUpInput = z.output<typeof SignUpInput>;

export const SignedUp = z.object({ account_id: z.string() });

/** Console: who is signed in, and what this installation lets them do. */
export const Viewer = z.object({
  name: z.string(),
  email: z.string(),
  is_operator: z.boolean(),
});
export type Viewer = z.output<typeof Viewer>;

/** Console, before sign-in. */
export const SignUpState = z.object({ open: z.boolean() });
