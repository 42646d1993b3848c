/** The addresses from which a provider's callbacks may come: a setting that every provider with callbacks has. */
import { z } from "zod";
import { isAddressAllowed, isNetworkWithin } from "../addresses/networks";
import type { Settings } from "./port";

const EVERYWHERE = ["0.0.0.0/0", "::/0"];
const NETWORKS_MAX = 100;

/** The setting's shape, to be added to a provider's own settings. */
export const RECEIPT_NETWORKS = {
  receiptNetworks: z
    .string()
    .max(4_096)
    .transform((text) => text.split(/[\s,]+/).filter(Boolean))
    .refine((networks) => networks.length <= NETWORKS_MAX, `must not have more than ${NETWORKS_MAX} entries`)
    .refine(
      (networks) => networks.every((network) => isNetworkWithin(network, EVERYWHERE)),
      "each entry must be an address or a CIDR range, such as 203.0.113.0/24",
    )
    .optional()
    .describe("addresses or CIDR ranges from which the provider's callbacks come, separated by commas; empty: any"),
};

/** Whether a callback may come from an address. @param settings of the provider that its path names. */
export const isCallbackAllowed = (settings: Settings, address: string): boolean =>
  isAddressAllowed(address, (settings.receiptNetworks as readonly string[] | undefined) ?? null);
