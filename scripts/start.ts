/** The whole service on this machine, built and as in production. */
import path from "node:path";
import { ensureBuilt } from "./build";
import { launch } from "./local/launch";
import { NODE_OPTIONS_OF } from "./node-options";

await launch({
  mode: "production",
  prepare: ensureBuilt,
  commands: {
    web: [...NODE_OPTIONS_OF.web, path.join("dist", "web.mjs")],
    worker: [...NODE_OPTIONS_OF.worker, path.join("dist", "worker.mjs")],
  },
});
