/** The four books, side by side: what callers, carriers, the database and the receivers say of one run. */

import type { DatabaseBook } from "./books";
import type { CarrierRequest, Taken } from "./carriers";
import type { History } from "./history";
import type { Send } from "./load";
import type { Reading } from "./reader";
import type { Answered, ReceivedEvent } from "./receivers";
import type { FrozenQueue, Unresolved } from "./rest";

export type Evidence = {
  policy: "fallback" | "hold";
  openingMicros: number;
  priceMicros: number;
  /** The callers' book. */
  sends: readonly Send[];
  reading: Reading;
  /** The carriers' book. */
  requests: readonly CarrierRequest[];
  taken: readonly Taken[];
  /** The database's book, and how it came about. */
  database: DatabaseBook;
  history: History;
  /** The receivers' book. */
  received: readonly ReceivedEvent[];
  answered: readonly Answered[];
  /** Receivers whose endpoints were found disabled when the faults were over, and what the service says why. */
  disabled: ReadonlyMap<string, string>;
  /** Pending messages that only time would end, before it was made to pass. */
  unresolved: readonly Unresolved[];
  /** Jobs that were locked when everything was over, and that nobody did. */
  stuckJobs: number;
  /** Output of the service's own ledger check. */
  ownCheck: string;
  frozen: readonly FrozenQueue[];
};
