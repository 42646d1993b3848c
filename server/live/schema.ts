/** Console: changes, as they happen. */
import { z } from "zod";
import type { LIVE_TOPICS } from "../core/live";

/** The topics of core/live.ts, which pages cannot load. */
const TOPICS = ["messages", "deliveries", "suppressions"] as const satisfies typeof LIVE_TOPICS;

/** Kind of the change; it carries no data, which the page asks for. */
export const Changed = z.object({ topics: z.array(z.enum(TOPICS)) });
export type Changed = z.output<typeof Changed>;
