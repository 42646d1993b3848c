/** Runs the whole service for development: pages reload automatically, and processes restart when their code changes. */
import { watch } from "node:fs";
import { ensureClient } from "./build";
import { launch } from "./local/launch";
import type { Services } from "./local/services";
import { say } from "./progress.mjs";

/** An editor writes a file in several steps, and a checkout many files. */
const SETTLE_MS = 200;

function reloadOnChange(services: Services): void {
  let timer: NodeJS.Timeout | undefined;
  let reloading = Promise.resolve();
  const reload = async (file: string) => {
    say(`${file} changed, restarting …`);
    await services.stop();
    await ensureClient();
    await services.start();
    say("Running again.");
  };
  for (const folder of ["server", "worker", "prisma/schema"]) {
    watch(folder, { recursive: true }, (_, file) => {
      if (!file || file.endsWith(".test.ts")) return;
      clearTimeout(timer);
      timer = setTimeout(() => {
        // A build error is printed; the next change builds again.
        reloading = reloading.then(() => reload(file)).catch((thrown: Error) => say(thrown.message));
      }, SETTLE_MS);
    });
  }
}

await launch({
  mode: "development",
  prepare: ensureClient,
  commands: {
    web: ["--import", "tsx", "server/main.ts"],
    worker: ["--import", "tsx", "worker/index.ts"],
  },
  onRunning: reloadOnChange,
});
