/** Console: changes, as they happen. */
import { z } from "zod";

/** Kind of the change; it carries no data, which the page asks for. */
export const Changed = z.object({ topics: z.array(z.enum(["messages", "deliveries", "suppressions"])) });
export type Changed = z.output<typeof Changed>;
