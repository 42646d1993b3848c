/** Turns the output of Next and other libraries to the console into lines of the log, whose readers parse each line. */
import { format, stripVTControlCharacters } from "node:util";
import { log, loggedText } from "../../core/log";

/** Next announces its start and the like by `log` and `info`. */
const LEVELS = { debug: "debug", log: "debug", info: "debug", warn: "warn", error: "error" } as const;
type Method = keyof typeof LEVELS;

/** Turns everything that is written to the console from now on into `pages.output`. */
export function logConsole(): void {
  for (const method of Object.keys(LEVELS) as Method[]) {
    console[method] = (...parts: unknown[]) => {
      const text = loggedText(stripVTControlCharacters(format(...parts)).trim());
      if (text !== "") log(LEVELS[method], "pages.output", { text });
    };
  }
}
