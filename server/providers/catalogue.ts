import { africastalking } from "./adapters/africastalking";
import { bandwidth } from "./adapters/bandwidth";
import { clickatell } from "./adapters/clickatell";
import { infobip } from "./adapters/infobip";
import { messagebird } from "./adapters/messagebird";
import { plivo } from "./adapters/plivo";
import { sinch } from "./adapters/sinch";
import { telnyx } from "./adapters/telnyx";
import { twilio } from "./adapters/twilio";
import { vonage } from "./adapters/vonage";
import type { HttpProvider, Settings } from "./port";

/** Erases the type of a provider's settings: only the same provider's {@link HttpProvider.settings} makes them. */
const widen = <Own extends Settings>(provider: HttpProvider<Own>): HttpProvider => provider as unknown as HttpProvider;

/** The providers that are called over HTTP. */
const HTTP_PROVIDERS: readonly HttpProvider[] = [
  widen(twilio),
  widen(vonage),
  widen(messagebird),
  widen(plivo),
  widen(telnyx),
  widen(sinch),
  widen(infobip),
  widen(africastalking),
  widen(clickatell),
  widen(bandwidth),
];

/** An HTTP provider by its id; null for any other. Its functions take only settings that its own schema has parsed. */
export const httpProvider = (id: string): HttpProvider | null =>
  HTTP_PROVIDERS.find((provider) => provider.id === id) ?? null;
