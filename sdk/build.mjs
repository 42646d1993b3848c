/** The last step of the client's build: the compiler takes the declarations that it is given, but does not pass them on. */
import { copyFileSync } from "node:fs";

copyFileSync(new URL("src/schema.d.ts", import.meta.url), new URL("dist/schema.d.ts", import.meta.url));
