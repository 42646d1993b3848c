/** The Python client, tested by Python itself where it is installed. */
import { execFile, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { devNull } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startStub, success } from "./stub-service";

const hasPython = spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]).status === 0;

const cwd = path.join(import.meta.dirname, "python");
const environment = { ...process.env, PYTHONDONTWRITEBYTECODE: "1" };

test.runIf(hasPython)("the Python client's tests pass", async () => {
  const options = { cwd, env: environment };
  const { stderr } = await promisify(execFile)("python3", ["-m", "unittest", "messaging_service_test"], options);
  expect(stderr).toMatch(/^Ran \d+ tests/m);
  expect(stderr).toMatch(/^OK$/m);
});

const hasMypy = spawnSync("python3", ["-m", "mypy", "--version"]).status === 0;

test.runIf(hasMypy)("the client passes the strictest checks of types, as a copy in a caller's project", async () => {
  const strictly = ["-m", "mypy", "--strict", "--cache-dir", devNull, "messaging_service.py"];
  const { stdout } = await promisify(execFile)("python3", strictly, { cwd, env: environment });
  expect(stdout).toContain("no issues found");
});

/** A caller's program with times of all forms. */
const TIMES = `
import datetime
from messaging_service import MessagingClient
client = MessagingClient("http://localhost", "ds_live_test")
at = datetime.datetime.now(datetime.timezone.utc)
client.messages.send(to="+14155550123", from_="DEMO", body="Hello", send_at=at)
client.messages.reschedule("msg_1", send_at=at)
client.messages.reschedule("msg_1", send_at="2026-01-31T12:00:00Z")
client.messages.reschedule("msg_1", send_at=None)
client.webhooks.recover("whe_1", since=at)
client.webhooks.recover("whe_1", since="2026-01-31T12:00:00Z")
client.messages.list(created_after=at)
`;

test.runIf(hasMypy)("a time may be a datetime or text, by the types too", async () => {
  const strictly = ["-m", "mypy", "--strict", "--cache-dir", devNull, "-c", TIMES];
  const { stdout } = await promisify(execFile)("python3", strictly, { cwd, env: environment });
  expect(stdout).toContain("no issues found");
});

test.runIf(hasPython)("the quick start's program for Python sends as it is printed", async () => {
  const [, program = ""] = /```python\n(.*?)```/s.exec(readFileSync("docs/quick-start.md", "utf8")) ?? [];
  const { baseUrl, seen } = await startStub(() => success({ id: "msg_1", status: "pending" }, 201));
  const env = { ...environment, BASE_URL: baseUrl, API_KEY: "ds_live_test" };
  const { stdout } = await promisify(execFile)("python3", ["-c", program], { cwd, env });
  expect(stdout).toBe("msg_1 pending\n");
  expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual(["POST /api/v1/messages/send"]);
});
