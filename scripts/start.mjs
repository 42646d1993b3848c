/** `npm start`. */
import net from "node:net";
import { bootstrap } from "./bootstrap.mjs";

/** Checks that the port is free before the long installation. An invalid PORT is reported later with other settings. */
async function assertPortIsFree() {
  const port = Number(process.env.PORT || 3_000);
  if (!(Number.isInteger(port) && port > 0 && port < 65_536)) return;
  const host = process.env.HOST || "127.0.0.1";
  const server = net.createServer();
  await new Promise((resolve, reject) => {
    server.once("error", reject).listen(port, host, () => server.close(resolve));
  }).catch((failure) => {
    if (failure.code !== "EADDRINUSE")
      throw new Error(`Cannot listen on HOST ${host}, PORT ${port}: ${failure.message}`);
    throw new Error(
      `Port ${port} is taken: another program, or another start of this service, listens on ${host}:${port}.\n` +
        `Stop it, or set PORT to a free port, for example: PORT=${port === 65_535 ? 3_000 : port + 1} npm start`,
    );
  });
}

await bootstrap("start.ts", { forTests: false, beforeInstall: assertPortIsFree });
