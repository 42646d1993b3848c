import { africastalking } from "./africastalking";
import { bandwidth } from "./bandwidth";
import { clickatell } from "./clickatell";
import { infobip } from "./infobip";
import { messagebird } from "./messagebird";
import { plivo } from "./plivo";
import type { HttpProvider, Settings } from "./port";
import { sinch } from "./sinch";
import { telnyx } from "./telnyx";
import { twilio } from "./twilio";
import { vonage } from "./vonage";

/** Forgets the type of a provider's settings: only {@link HttpProvider.settings} of the same provider makes them. */
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

/** An HTTP provider by its identifier; its functions take only settings that its own schema has read. */
export const httpProvider = (id: string): HttpProvider | null =>
  HTTP_PROVIDERS.find((provider) => provider.id === id) ?? null;
