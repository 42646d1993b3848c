import { env } from "../core/env";
import type { Adapter } from "./port";
import { sandbox } from "./sandbox";

/** The adapter of a provider that this installation can use; null: no such provider, or it has no credentials. */
export function adapterOf(provider: string): Adapter | null {
  if (provider === "sandbox" && env().SANDBOX) return sandbox();
  return null;
}

/** Whether messages can be handed to `provider` now. */
export const isRoutable = (provider: string): boolean => adapterOf(provider) !== null;
