/** Starts Kannel: its two processes, with messages kept in files. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import net from "node:net";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "@/scripts/free-port";
import { endChild } from "./kit/client";
import type { Stage } from "./kit/workload";

const PROGRAMS = { bearerbox: "/usr/sbin/bearerbox", smsbox: "/usr/sbin/smsbox" };
/** The only user that may send. */
export const KANNEL_USER = { user: "bench", password: "bench-1" };
const READY_WITHIN_MS = 20_000;
const POLL_MS = 50;

/** @throws Error that says how to install Kannel. */
export function requireKannel(): void {
  if (Object.values(PROGRAMS).every((program) => existsSync(program))) return;
  throw new Error("Kannel is not installed: `apt-get install kannel` on Debian and Ubuntu.");
}

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = net.connect({ port, host: "127.0.0.1" });
    const end = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once("connect", () => end(true)).once("error", () => end(false));
  });

async function waitUntilListening(stage: Stage, port: number): Promise<void> {
  const deadline = performance.now() + READY_WITHIN_MS;
  while (!(await isListening(port))) {
    if (performance.now() > deadline) throw new Error(`Kannel does not listen on port ${port}.`);
    await pause(POLL_MS, undefined, { signal: stage.signal });
  }
}

type Ports = { admin: number; smsbox: number; sends: number; centre: number };

/** Kannel's configuration: messages in files, one bind to the message centre, one user. */
const configuration = (folder: string, ports: Ports, window: number): string => `group = core
admin-port = ${ports.admin}
admin-password = ${KANNEL_USER.password}
smsbox-port = ${ports.smsbox}
store-type = spool
store-location = ${path.join(folder, "spool")}
dlr-storage = internal
log-level = 4

group = smsc
smsc = smpp
smsc-id = centre
host = 127.0.0.1
port = ${ports.centre}
transceiver-mode = 1
smsc-username = bench
smsc-password = bench
system-type = ""
max-pending-submits = ${window}
reconnect-delay = 1

group = smsbox
bearerbox-host = 127.0.0.1
sendsms-port = ${ports.sends}
log-level = 4

group = sendsms-user
username = ${KANNEL_USER.user}
password = ${KANNEL_USER.password}

group = sms-service
keyword = default
text = "none"
`;

export type Kannel = { sendsPort: number; bearerboxPid: number; smsboxPid: number };

/**
 * @param centre port of the message centre; if nothing listens there, messages wait.
 * @param window submits in flight.
 */
export async function startKannel(stage: Stage, folder: string, centre: number, window: number): Promise<Kannel> {
  await mkdir(path.join(folder, "spool"), { recursive: true });
  const ports = { admin: await freePort(), smsbox: await freePort(), sends: await freePort(), centre };
  const file = path.join(folder, "kannel.conf");
  await writeFile(file, configuration(folder, ports, window));
  const launch = (program: string) =>
    stage.keep(
      async () => spawn(program, ["-v", "4", file], { detached: true, stdio: "ignore", cwd: folder }),
      endChild,
    );
  const bearerbox = await launch(PROGRAMS.bearerbox);
  await waitUntilListening(stage, ports.smsbox);
  const smsbox = await launch(PROGRAMS.smsbox);
  await waitUntilListening(stage, ports.sends);
  return { sendsPort: ports.sends, bearerboxPid: bearerbox.pid ?? 0, smsboxPid: smsbox.pid ?? 0 };
}
