/** Whether this process has the same SECRET_KEY as the others, for monitoring. */
import { defineProcessValue } from "../core/process";

/** `opens`: whether it opened one of the stored secrets at the start of this process, or there were none; null: not known. */
export const secretKey = defineProcessValue("observability.secret_key", (): { opens: boolean | null } => ({
  opens: null,
}));
