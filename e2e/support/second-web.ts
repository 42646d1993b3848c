import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import path from "node:path";
import { freePort } from "@/scripts/postgres";
import type { Service } from "./service";

const READY_WITHIN_MS = 30_000;

/** Another web process of the running installation: the built one, on a port of its own, with the same database. */
export async function startSecondWeb(service: Service): Promise<{ service: Service; stop: () => Promise<void> }> {
  const read = (name: string) => readFileSync(path.join(service.dataDir, name), "utf8");
  const { databaseUrl } = JSON.parse(read("runtime.json")) as { databaseUrl: string };
  const port = await freePort();
  const child = spawn(process.execPath, [path.join("dist", "web.mjs")], {
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      SECRET_KEY: read("secret-key"),
      SANDBOX: "true",
      WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/8,::1/128",
      NODE_ENV: "production",
      HOST: "127.0.0.1",
      PORT: String(port),
    },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const stop = async () => {
    const ended = once(child, "exit");
    if (child.exitCode === null && child.kill("SIGTERM")) await ended;
  };
  const url = `http://127.0.0.1:${port}`;
  const isReady = async () => (await fetch(`${url}/api/health`).catch(() => null))?.status === 200;
  for (const deadline = Date.now() + READY_WITHIN_MS; !(await isReady()); ) {
    if (child.exitCode === null && Date.now() < deadline) continue;
    await stop();
    throw new Error("The second web process did not start.");
  }
  return { service: { ...service, url }, stop };
}
