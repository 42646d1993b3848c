/** The whole service on this machine, built and as in production. */
import path from "node:path";
import { ensureBuilt } from "./build";
import { launch } from "./launch";
import { WORKER_OPTIONS } from "./worker-options";

await launch({
  mode: "production",
  prepare: ensureBuilt,
  commands: { web: [path.join("dist", "web.mjs")], worker: [...WORKER_OPTIONS, path.join("dist", "worker.mjs")] },
});
