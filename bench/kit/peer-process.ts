/** Child processes of a workload that respond over IPC. */
import { type ChildProcess, fork } from "node:child_process";
import path from "node:path";
import { endChild } from "./client";
import type { Stage } from "./workload";

/** Starts `bench/<file>`; its first argument is `role`. It must exit when its IPC channel closes. */
export const startPeer = (stage: Stage, file: string, role: string): Promise<ChildProcess> =>
  stage.keep(
    async () => fork(path.join("bench", file), [role], { detached: true, stdio: ["ignore", 2, 2, "ipc"] }),
    endChild,
  );

/** @throws Error when the process ends first. */
export const nextMessage = <Message>(peer: ChildProcess): Promise<Message> =>
  new Promise((resolve, reject) => {
    const onExit = (code: number | null) => reject(new Error(`A process of the benchmark ended early (code ${code}).`));
    peer.once("exit", onExit);
    peer.once("message", (message) => {
      peer.off("exit", onExit);
      resolve(message as Message);
    });
  });

/** Sends `message` and waits for the response. */
export function askPeer<Response>(peer: ChildProcess, message: object | string): Promise<Response> {
  const response = nextMessage<Response>(peer);
  peer.send(message);
  return response;
}
