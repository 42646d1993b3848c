/** Console: changes, as they happen. */
import { z } from "zod";

/** What changed; nothing else is said, and the page asks for it. */
export const Changed = z.object({ topics: z.array(z.enum(["messages", "deliveries"])) });
export type Changed = z.output<typeof Changed>;
