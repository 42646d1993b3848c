/** Runs the commands of the guide in a shell exactly as they are printed. */
import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { freePort } from "@/scripts/free-port";
import { expect, test } from "../test";

const GUIDE_PORT = "4000";

/** The only command of the guide that contains the mark. */
function commandWith(mark: string): string {
  const blocks = [...readFileSync("docs/quick-start.md", "utf8").matchAll(/```sh\n(.*?)```/gs)].map(([, code]) => code);
  const [command, ...more] = blocks.filter((code) => code?.includes(mark));
  if (!command || more.length > 0) throw new Error(`The guide does not have exactly one command with ${mark}.`);
  return command;
}

test("the commands of the quick start work on a local start", async ({ service, account, operator }) => {
  test.skip(spawnSync("curl", ["--version"]).status !== 0, "There is no curl.");
  const port = String(await freePort());
  const apiKey = await operator.makeTestKey(account);
  const env = { ...process.env, BASE_URL: `${service.url}/api/v1`, API_KEY: apiKey };
  const paste = async (mark: string, change: (command: string) => string = (command) => command) => {
    const { stdout } = await promisify(execFile)("sh", ["-c", change(commandWith(mark))], { env });
    return JSON.parse(stdout) as { success: boolean; data: Record<string, unknown> };
  };
  const sent = await paste("/messages/send");
  expect(sent).toMatchObject({ success: true, data: { object: "message", status: "pending" } });
  expect(await paste("/messages/send")).toMatchObject({ success: true, data: { id: sent.data.id } });
  const followed = () => paste("msg_…", (command) => command.replace("msg_…", String(sent.data.id)));
  await expect.poll(async () => (await followed()).data.status).toBe("delivered");

  // Exactly as in the guide, except for the port, which differs in every run.
  const created = await paste("/webhooks/create", (command) => command.replace(GUIDE_PORT, port));
  expect(created).toMatchObject({ success: true, data: { signing_secret: expect.stringMatching(/^whsec_/) } });
  const receiver: ChildProcess = spawn("sh", ["-c", `exec ${commandWith("createServer").replace(GUIDE_PORT, port)}`], {
    env: { ...env, SIGNING_SECRET: String(created.data.signing_secret) },
  });
  let printed = "";
  receiver.stdout?.on("data", (chunk: Buffer) => {
    printed += chunk;
  });
  const post = () => fetch(`http://localhost:${port}`, { method: "POST", body: "{}" });
  try {
    await expect.poll(() => post().then((answer) => answer.status, String)).toBe(200);
    await expect.poll(() => printed).toContain("forged {}");
    await paste("/messages/send", (command) => command.replaceAll("order-4711", "order-4712"));
    for (const type of ["message.sent", "message.delivered"]) {
      await expect.poll(() => printed).toMatch(new RegExp(`^genuine .*"${type}"`, "m"));
    }
  } finally {
    receiver.kill();
  }
});
