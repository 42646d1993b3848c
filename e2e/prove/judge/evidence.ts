/** The four books side by side: the records of callers, carriers, database and receivers of one run. */

import type { Happened } from "../faults/faults";
import type { Ban } from "../load/bans";
import type { Cancellation } from "../load/cancellations";
import type { EndpointLife } from "../load/endpoints";
import type { KeyLife } from "../load/keys";
import type { LimitedBook } from "../load/limited-book";
import type { QuotaLife } from "../load/quotas";
import type { RateLife } from "../load/rates";
import type { Reading } from "../load/reader";
import type { Redaction } from "../load/redactions";
import type { Reply } from "../load/replies";
import type { Send } from "../load/sends";
import type { CarrierRequest, Taken } from "../world/carriers";
import type { ReceivedEvent, Responded } from "../world/receivers";
import type { FrozenQueue, Unresolved } from "../world/settle";
import type { DatabaseBook } from "./books";
import type { History } from "./history";

export type Evidence = {
  policy: "fallback" | "hold";
  openingMicros: number;
  pricesMicros: readonly number[];
  /** The callers' book. */
  sends: readonly Send[];
  cancellations: readonly Cancellation[];
  /** Sender IDs with a throughput limit, which is the same for all. */
  paced: { senders: readonly string[]; segmentsPerSecond: number };
  /** The book of people who replied to a customer. */
  replies: readonly Reply[];
  redactions: readonly Redaction[];
  bans: readonly Ban[];
  keys: readonly KeyLife[];
  /** Daily quotas of keys that customers made and used up. */
  quotas: readonly QuotaLife[];
  /** Keys whose requests per minute customers used up. */
  rates: readonly RateLife[];
  /** Endpoints that customers made, and changed, under load. */
  endpoints: readonly EndpointLife[];
  reading: Reading;
  /** The faults that were injected. */
  happened: readonly Happened[];
  /** Books of the customers with limits; null: there were none. */
  limited: LimitedBook | null;
  /** The carriers' book. */
  requests: readonly CarrierRequest[];
  taken: readonly Taken[];
  /** The database's book, and its history. */
  database: DatabaseBook;
  history: History;
  /** The receivers' book. */
  received: readonly ReceivedEvent[];
  answered: readonly Responded[];
  /** Receivers whose endpoints were disabled at the end of the faults, with the recorded reason. */
  disabled: ReadonlyMap<string, string>;
  /** Pending messages that only their age would end, before time was advanced. */
  unresolved: readonly Unresolved[];
  /** Jobs still locked at the end although no process works on them. */
  stuckJobs: number;
  /** Output of the service's own check of the ledger, and of the audit log. */
  ownCheck: string;
  auditCheck: string;
  frozen: readonly FrozenQueue[];
  /** Requests that an upgrade failed: those with a 5xx or without a response. Faults may fail some, so it is empty then. */
  unserved: readonly string[];
};
