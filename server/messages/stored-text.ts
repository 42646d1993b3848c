/** Limits of provider texts that are stored with attempts, receipts and messages. Lengths in UTF-16 code units. */
import { storableText } from "../core/wire";

const CODE_MAX = 100;
const DETAIL_MAX = 500;
/** The same limit as in receipts (server/providers/store-callback.ts), which are matched by the id. */
const PROVIDER_ID_MAX = 255;

/** A provider's error code or reference as it is stored, at most 100 units. */
export const storedCode = (code: string): string => storableText(code, CODE_MAX);

/** A provider's explanation as it is stored, at most 500 units. */
export const storedDetail = (detail: string): string => storableText(detail, DETAIL_MAX);

/** A provider's id of a message as it is stored, at most 255 units. */
export const storedProviderId = (id: string): string => storableText(id, PROVIDER_ID_MAX);
